"""Variance and standard deviation: bounded by a bucket's own spread and its extreme values."""

from math import inf, isfinite, sqrt
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Monoid, numeric_of
from windrow.algebra.numeric import FLOAT, VALUE, Numeric
from windrow.approximate.bounds import BoundCode, Remainder, counted, trace_of
from windrow.approximate.interval import EXACT, HAS_ENDS, HAS_VALUE, Interval, interval_from
from windrow.compiler.marks import hot

__all__ = ["Spread", "spread_code"]

_ROUNDING = 2.0**-40  # of squares that are added up
_OF_MEANS = 2.0**-50  # of a mean, which is then subtracted from another
_NO_VALUES = inf, -inf


class Spread:
    """The trace of a bucket is its smallest and its largest value."""

    def __init__(self, aggregate: Aggregate[Any]) -> None:
        self._monoid = aggregate.bound()
        numeric = numeric_of(aggregate.monoid, (FLOAT,))
        assert numeric is not None
        self._code = spread_code(aggregate.monoid, numeric)
        self.trace = trace_of("extremes", self._lift, _wider)

    def _lift(self, row: Any) -> Any:
        count, mean, _ = self._monoid.lift(row)
        return (mean, mean) if count else None

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """What is left of the bucket spreads no more than all of it, around a mean among it."""
        start = self._code.adopt(bucket, trace)
        return interval_from(*self._code.interval(start, rest, left.size, left.least, left.most))


def spread_code(monoid: Monoid[Any, Any], numeric: Numeric) -> BoundCode:
    """Count, mean and squares, and the smallest and the largest value."""
    lift_inner, combine_inner, lower = numeric.lift, numeric.combine, numeric.lower
    root, ddof = monoid.name == "stddev", 0 if "ddof=0" in monoid.parameters else 1

    def lift(number: Any, known: Any) -> Any:
        if not known:
            return (0.0, 0.0, 0.0, inf, -inf)
        count, mean, squares = lift_inner(number)
        return (count, mean, squares, mean, mean)

    def combine(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
        if newer[0] == 0.0:
            return older
        if older[0] == 0.0:
            return newer
        both = combine_inner((older[0], older[1], older[2]), (newer[0], newer[1], newer[2]))
        low, high = _wider((older[3], older[4]), (newer[3], newer[4]))
        return (both[0], both[1], both[2], low, high)

    def answer(state: Any) -> Any:
        value, status = lower((state[0], state[1], state[2]))
        return value, EXACT | (HAS_VALUE | HAS_ENDS if status == VALUE else 0)

    def interval(bucket: Any, rest: Any, size: Any, least: Any, most: Any) -> Any:
        count, mean, squares, low, high = bucket
        fewest, most_values = counted(int(count), size, least, most)
        share = (least + most) / (2 * size) if count > 0.0 else 0.0
        behind = (rest[0], rest[1], rest[2])
        value, status = lower(combine_inner((count * share, mean, squares * share), behind))
        number, centre, around = behind
        if status != VALUE:
            return value, value, value, 0
        if count == 0.0 or number + fewest <= ddof:
            return value, value, value, HAS_VALUE
        nearest = farthest = 0.0
        if number > 0.0:
            nearest = max(low - centre, centre - high, 0.0)
            farthest = max(abs(low - centre), abs(high - centre))
        smallest = around + _apart(nearest, number, fewest)
        greatest = around + squares + _apart(farthest, number, most_values)
        off = _OF_MEANS * max(abs(low), abs(high), abs(centre))
        slack = _ROUNDING * greatest + off * (2 * farthest + off) * (number + most_values)
        smallest = max(smallest - slack, 0.0) / (number + most_values - ddof)
        largest = (greatest + slack) / (number + fewest - ddof)
        if root:
            smallest, largest = sqrt(smallest), sqrt(largest)
        if not (isfinite(value) and isfinite(largest)):
            return value, value, value, HAS_VALUE
        return value, smallest, largest, HAS_VALUE | HAS_ENDS

    return BoundCode(
        result=FLOAT,
        state=(FLOAT,) * 5,
        identity=(0.0, 0.0, 0.0, *_NO_VALUES),
        lift=lift,
        combine=combine,
        answer=answer,
        adopt=lambda state, trace: (*state, *(_NO_VALUES if trace is None else trace)),
        interval=interval,
    )


@hot
def _wider(older: Any, newer: Any) -> Any:
    """The smallest and the largest value of two neighbours."""
    low = newer[0] if newer[0] < older[0] else older[0]
    high = newer[1] if newer[1] > older[1] else older[1]
    return (low, high)


@hot
def _apart(distance: Any, here: Any, there: Any) -> Any:
    """What two groups spread because their means are so far apart."""
    return distance * distance * here * there / (here + there) if here + there > 0.0 else 0.0
