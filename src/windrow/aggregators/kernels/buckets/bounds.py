"""What compiled buckets keep of one aggregate, and how its results are bounded."""

from typing import Any, NamedTuple

import numpy as np

from windrow.algebra.numeric import Dtypes, State

__all__ = ["EXACT", "HAS_ENDS", "HAS_VALUE", "TOO_LARGE", "BoundCode", "counted"]

# What is known of a result, added up.
HAS_VALUE, HAS_ENDS, EXACT, TOO_LARGE = 1, 2, 4, 8


class BoundCode(NamedTuple):
    """The functions for one aggregate; sizes are those of buckets, in updates."""

    result: np.dtype[Any]
    state: Dtypes
    identity: State
    lift: Any  # lift(number, known) → the state of one update
    combine: Any  # combine(older, newer, older_size, newer_size) → state; none is empty
    answer: Any  # answer(state) → (value, status), of whole buckets
    adopt: Any  # adopt(state, trace) → the state of a bucket of Python's; not compiled
    interval: Any  # interval(bucket, rest, size, least, most) → (value, low, high, status)
    worst: Any = None  # worst(state, size) → the error a bucket may cause, of sums
    total: Any = None  # total(state) → their sum, a float
    deciding: Any = None  # deciding(state) → (whether there is one, the number), of extrema


def counted(values: Any, size: Any, least: Any, most: Any) -> Any:
    """How many of a bucket's values that are not null may be among what is left of it."""
    return max(least - (size - values), 0), min(most, values)
