"""Results of many updates at once: columns of intervals, as compiled code writes them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.kernels.buckets.bounds import EXACT, HAS_ENDS, HAS_VALUE, TOO_LARGE
from windrow.algebra.numeric import Dtypes
from windrow.errors import ResultOverflowError

__all__ = ["Intervals", "intervals_of", "room_for"]

_STATUS = np.dtype(np.uint8)


class Intervals(NamedTuple):
    """Results of many updates: masked where nothing is known."""

    value: Any
    low: Any
    high: Any
    exact: NDArray[np.bool_]

    def first(self) -> Interval:
        """That of the first update."""
        value, low, high = (None if e[0] is np.ma.masked else e[0].item() for e in self[:3])
        return Interval(value, low, high, bool(self.exact[0]))


def room_for(results: Sequence[np.dtype[Any]], rows: int) -> list[NDArray[Any]]:
    """Arrays for values, low ends, high ends and statuses of each aggregate."""
    kinds: Dtypes = tuple(d for result in results for d in (*[result] * 3, _STATUS))
    return [np.empty(rows, dtype) for dtype in kinds]


def intervals_of(out: Sequence[NDArray[Any]], number: int, name: str) -> Intervals:
    """What was written of one aggregate, whose name errors tell."""
    value, low, high, status = out[4 * number : 4 * number + 4]
    always, ever = np.bitwise_and.reduce(status), np.bitwise_or.reduce(status)
    if ever & TOO_LARGE:
        raise ResultOverflowError(f"{name} may not fit 64 bits; use float64, dtypes=('float64',)")
    return Intervals(
        value if always & HAS_VALUE else np.ma.masked_array(value, status & HAS_VALUE == 0),
        low if always & HAS_ENDS else np.ma.masked_array(low, status & HAS_ENDS == 0),
        high if always & HAS_ENDS else np.ma.masked_array(high, status & HAS_ENDS == 0),
        (status & EXACT) != 0,
    )
