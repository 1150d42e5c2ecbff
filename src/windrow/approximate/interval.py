"""A result and how far the exact one may be from it: one, or columns of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Kind
from windrow.algebra.numeric import Dtypes
from windrow.errors import ResultOverflowError

__all__ = [
    "EXACT",
    "HAS_ENDS",
    "HAS_VALUE",
    "TOO_LARGE",
    "Interval",
    "Intervals",
    "interval_from",
    "interval_of",
    "intervals_of",
    "room_for",
]

# What is known of a result, added up.
HAS_VALUE, HAS_ENDS, EXACT, TOO_LARGE = 1, 2, 4, 8


class Interval(NamedTuple):
    """A result with bounds: the exact result lies in [low, high], both null if nothing is known.

    `exact` says that `value` is the exact result.  The bounds of a sketch hold with a confidence of
    at least 99 %, all others for certain.

    >>> Interval(value=10, low=9, high=12, exact=False).low
    9
    """

    value: Any
    low: Any
    high: Any
    exact: bool

    @classmethod
    def of_exact(cls, value: Any) -> "Interval":
        """A result that is not approximate."""
        return cls(value, value, value, True)

    @classmethod
    def unknown(cls, value: Any) -> "Interval":
        """A result without bounds."""
        return cls(value, None, None, False)

    def unsigned(self) -> "Interval":
        """The same, and no zero has a sign.

        The order that buckets are added up in would decide over it: -0.0 and nothing are -0.0, but
        -0.0 and 0.0 are 0.0.
        """
        value, low, high = (end + 0.0 if type(end) is float else end for end in self[:3])
        return Interval(value, low, high, self.exact)


def interval_from(value: Any, low: Any, high: Any, status: int) -> Interval:
    """A result and its ends, as far as they are known."""
    if not status & HAS_ENDS:
        low = high = None
    return Interval(value if status & HAS_VALUE else None, low, high, bool(status & EXACT))


def interval_of(aggregate: Aggregate[Any], state: Any) -> Interval:
    """The result of a state of just the right updates: exact, unless the aggregate is a sketch.

    >>> from windrow import agg
    >>> interval_of(agg.sum(), agg.sum().monoid.lift(3))
    Interval(value=3, low=3, high=3, exact=True)
    """
    monoid = aggregate.monoid
    value = monoid.lower(state)
    if monoid.bounds is None:
        return Interval.unknown(value) if monoid.kind is Kind.SKETCH else Interval.of_exact(value)
    ends = monoid.bounds(state)
    if ends is None:
        return Interval.of_exact(value)
    low, high = ends
    return Interval(value, low, high, False)


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
