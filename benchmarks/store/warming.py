"""Compiled code is loaded, or compiled at first, when it is called: before anything is timed."""

from typing import Any

import numpy as np

from windrow.algebra.aggregate import Aggregation
from windrow.paged import PagedAmta
from windrow.paged.stores import MemoryStore
from windrow.structures import CompiledAmta
from windrow.windows import Policy

__all__ = ["warm_up"]


def warm_up(
    aggregation: Aggregation,
    policy: Policy | None = None,
    dtypes: tuple[Any, ...] = (np.float64,),
) -> None:
    """Load all that windows of numbers call, in memory and in stores."""
    columns = [np.ones(2, dtype) for dtype in dtypes]
    in_memory = CompiledAmta(aggregation, policy, dtypes)
    with PagedAmta(aggregation, MemoryStore(), "warm", policy, dtypes=dtypes) as in_store:
        for window in (in_memory, in_store):
            window.extend(*columns)
            window.advance(*columns)
            window.evict()
            window.query()
            if policy is not None:
                window.slide()
