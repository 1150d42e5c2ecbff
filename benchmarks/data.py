"""What is aggregated, and how: the same for all experiments."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from windrow import agg
from windrow.algebra.aggregate import Aggregate

__all__ = ["AGGREGATES", "LONGEST_RUN", "Floats", "positive"]

Floats: TypeAlias = NDArray[np.float64]

LONGEST_RUN = "longest increasing run"  # the one that reads times too

AGGREGATES: dict[str, Aggregate[Any]] = {
    "sum": agg.sum(),
    "max": agg.max(),
    "geometric mean": agg.geometric_mean(),
    "std dev": agg.stddev(),
    LONGEST_RUN: agg.longest_increasing_run(),
}


def positive(rows: int) -> Floats:
    """Random numbers around 1, so that logarithms exist and sums of others do not drift far."""
    return np.random.default_rng(0).uniform(0.5, 1.5, rows)
