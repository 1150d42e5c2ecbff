"""Variance and standard deviation, compiled: `approximate.spread` on numbers."""

from math import inf, isfinite, sqrt
from typing import Any

from windrow.aggregators.kernels.buckets.bounds import (
    EXACT,
    HAS_ENDS,
    HAS_VALUE,
    BoundCode,
    counted,
)
from windrow.algebra.numeric import FLOAT, VALUE, Numeric

__all__ = ["spread_code"]

_ROUNDING = 2.0**-40
_OF_MEANS = 2.0**-50


def spread_code(numeric: Numeric, ddof: int, *, root: bool) -> BoundCode:
    """Count, mean and squares, and the smallest and the largest value."""
    lift_inner, combine_inner, lower = numeric.lift, numeric.combine, numeric.lower

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
        low = newer[3] if newer[3] < older[3] else older[3]
        high = newer[4] if newer[4] > older[4] else older[4]
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
        identity=(0.0, 0.0, 0.0, inf, -inf),
        lift=lift,
        combine=combine,
        answer=answer,
        adopt=lambda state, trace: (*state, *((inf, -inf) if trace is None else trace)),
        interval=interval,
    )


def _apart(distance: Any, here: Any, there: Any) -> Any:
    return distance * distance * here * there / (here + there) if here + there > 0.0 else 0.0
