"""Variance and standard deviation: bounded by a bucket's own spread and its extreme values."""

from math import isfinite, sqrt
from typing import Any

from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.approximate.trace import trace_of
from windrow.algebra.aggregate import Aggregate

__all__ = ["Spread"]

_ROUNDING = 2.0**-40  # of squares that are added up
_OF_MEANS = 2.0**-50  # of a mean, which is then subtracted from another


class Spread:
    """The trace of a bucket is its smallest and its largest value."""

    def __init__(self, aggregate: Aggregate[Any]) -> None:
        self._monoid = aggregate.bound()
        self._root = aggregate.monoid.name == "stddev"
        self._ddof = 0 if "ddof=0" in aggregate.monoid.parameters else 1
        self.trace = trace_of("extremes", self._lift, _wider)

    def _lift(self, row: Any) -> Any:
        count, mean, _ = self._monoid.lift(row)
        return (mean, mean) if count else None

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """What is left of the bucket spreads no more than all of it, around a mean among it."""
        count, mean, squares = bucket
        fewest, most = left.counted(int(count))
        share = left.share if count else 0.0
        part = (count * share, mean, squares * share)
        value = self._monoid.lower(self._monoid.combine(part, rest))
        number, centre, around = rest
        if value is None or trace is None or number + fewest <= self._ddof:
            return Interval.unknown(value)
        low, high = trace
        nearest = max(low - centre, centre - high, 0.0) if number else 0.0
        farthest = max(abs(low - centre), abs(high - centre)) if number else 0.0
        least = around + _apart(nearest, number, fewest)
        greatest = around + squares + _apart(farthest, number, most)
        off = _OF_MEANS * max(abs(low), abs(high), abs(centre))
        slack = _ROUNDING * greatest + off * (2 * farthest + off) * (number + most)
        smallest = max(least - slack, 0.0) / (number + most - self._ddof)
        largest = (greatest + slack) / (number + fewest - self._ddof)
        if self._root:
            smallest, largest = sqrt(smallest), sqrt(largest)
        if not (isfinite(value) and isfinite(largest)):
            return Interval.unknown(value)
        return Interval(value, smallest, largest, False)


def _wider(older: Any, newer: Any) -> Any:
    return min(older[0], newer[0]), max(older[1], newer[1])


def _apart(distance: float, here: float, there: float) -> float:
    """What two groups spread because their means are so far apart."""
    return distance * distance * here * there / (here + there) if here + there else 0.0
