"""Sums and what is made of them, compiled: `approximate.additive` on numbers."""

from math import isfinite, log
from typing import Any

import numpy as np

from windrow.aggregators.kernels.buckets.bounds import (
    EXACT,
    HAS_ENDS,
    HAS_VALUE,
    TOO_LARGE,
    BoundCode,
    counted,
)
from windrow.algebra.catalogue.sums import exponential
from windrow.algebra.hot import hot
from windrow.algebra.numeric import FLOAT, INT

__all__ = ["count_code", "sum_code"]

_ROUNDING = 2.0**-52
_LAST_STEPS = 4
_LAST_DIGITS = 2.0**-50
_LARGEST = 2.0**62  # integers whose magnitudes add up to more may have wrapped around


def count_code() -> BoundCode:
    """How many values there are."""
    return BoundCode(
        result=INT,
        state=(INT, INT, INT),  # values, and the least and the most of a proper prefix
        identity=(0, 0, 0),
        lift=_lift_count,
        combine=_strayed,
        answer=_counted_answer,
        adopt=_adopt,
        interval=_count_interval,
        worst=_worst,
        total=_total,
    )


def _lift_count(number: Any, known: Any) -> Any:
    one = 1 if known else 0
    return (one, one, one)


def _counted_answer(state: Any) -> Any:
    return state[0], HAS_VALUE | HAS_ENDS | EXACT


def _count_interval(bucket: Any, rest: Any, size: Any, least: Any, most: Any) -> Any:
    low, high = counted(bucket[0], size, least, most)
    kept = _guess(bucket[0] * (least + most) // (2 * size), low, high, _worst(bucket, size))
    exact = EXACT if low == high else 0
    return rest[0] + kept, rest[0] + low, rest[0] + high, HAS_VALUE | HAS_ENDS | exact


def sum_code(name: str, dtype: np.dtype[Any]) -> BoundCode:
    """A sum, a mean or a geometric mean of floats or integers."""
    if name == "geometric_mean":
        return _code(_logarithm, _geometric_mean, FLOAT, FLOAT, divides=True)
    if name == "mean":
        lift = _same if dtype == INT else _as_float
        return _code(lift, _mean, INT if dtype == INT else FLOAT, FLOAT, divides=True)
    if dtype == INT:
        return _code(_same, _sum, INT, INT, divides=False)
    return _code(_as_float, _sum, FLOAT, FLOAT, divides=False)


def _code(
    lift: Any, made: Any, dtype: np.dtype[Any], result: np.dtype[Any], *, divides: bool
) -> BoundCode:
    """`lift` a value, and `made(total, values)` is the result, if there is one."""
    zero = dtype.type(0).item()
    whole = dtype == INT
    guessed = _guessed_whole if whole else _guessed
    moved = _plus if whole else _plus_slack

    def lift_one(number: Any, known: Any) -> Any:
        value = lift(number) if known else zero
        return (value, value, value, abs(1.0 * value), 1 if known else 0)

    @hot
    def combine(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
        total, low, high = _strayed(older, newer, older_size, newer_size)
        return (total, low, high, older[3] + newer[3], older[4] + newer[4])

    def is_sound(magnitude: Any) -> Any:
        return magnitude < _LARGEST if whole else isfinite(magnitude)

    @hot
    def answer(state: Any) -> Any:
        if whole and not is_sound(state[3]):
            return made(state[0], 1)[0], TOO_LARGE
        value, known = made(state[0], state[4])
        return value, EXACT | (HAS_VALUE | HAS_ENDS if known else 0)

    @hot
    def interval(bucket: Any, rest: Any, size: Any, least: Any, most: Any) -> Any:
        fewest, most_values = counted(bucket[4], size, least, most)
        total, values, magnitude = rest[0], rest[4], bucket[3] + rest[3]
        if not is_sound(magnitude):
            value, known = made(total + bucket[0], values + most_values)
            return value, value, value, TOO_LARGE if whole else HAS_VALUE if known else 0
        low, high = _left_of(bucket, size, least, most)
        kept = guessed(bucket, low, high, size, least + most)
        value, known = made(total + kept, values + most_values)
        if divides:
            value, known = made(2 * (total + kept), 2 * values + fewest + most_values)
        slack = 0.0 if whole else _ROUNDING * (values + bucket[4] + _LAST_STEPS) * magnitude
        if low == high and fewest == most_values and slack == 0.0:
            return value, value, value, EXACT | (HAS_VALUE | HAS_ENDS if known else 0)
        lowest, highest = moved(total, low, -slack), moved(total, high, slack)
        one, has_one = made(lowest, values + fewest)
        other, has_other = made(highest, values + fewest)
        first, last = min(one, other), max(one, other)
        if fewest < most_values:
            one, _ = made(lowest, values + most_values)
            other, _ = made(highest, values + most_values)
            first, last = min(first, one, other), max(last, one, other)
        if not (known and has_one and has_other):
            return value, value, value, HAS_VALUE if known else 0
        if not (isfinite(1.0 * value) and isfinite(1.0 * first) and isfinite(1.0 * last)):
            return value, value, value, HAS_VALUE
        if divides:
            first, last = first - _LAST_DIGITS * abs(first), last + _LAST_DIGITS * abs(last)
        return value, first, last, HAS_VALUE | HAS_ENDS

    @hot
    def worst(state: Any, size: Any) -> Any:
        if size > 1 and not isfinite(state[3]):
            return np.inf
        return 1.0 * _worst(state, size)

    return BoundCode(
        result=result,
        state=(dtype, dtype, dtype, FLOAT, INT),  # total, least and most prefix, magnitude, values
        identity=(zero, zero, zero, 0.0, 0),
        lift=lift_one,
        combine=combine,
        answer=answer,
        adopt=lambda state, trace: (*_adopt(state, trace), float(trace.magnitude), _values(state)),
        interval=interval,
        worst=worst,
        total=_total,
    )


def _adopt(state: Any, trace: Any) -> Any:
    """The sum and its strayings; a single update has none."""
    if trace.low is None:
        return (trace.total,) * 3
    return (trace.total, trace.low, trace.high)


def _values(state: Any) -> int:
    return 0 if state is None else int(state[1])


def _same(value: Any) -> Any:
    return value


def _as_float(value: Any) -> Any:
    return 1.0 * value


def _logarithm(value: Any) -> Any:
    if value > 0:
        return log(value)
    return -np.inf if value == 0 else np.nan


def _sum(total: Any, values: Any) -> Any:
    return total, values > 0


def _mean(total: Any, values: Any) -> Any:
    return total / max(values, 1), values > 0


def _geometric_mean(total: Any, values: Any) -> Any:
    return exponential(total / max(values, 1)), values > 0


def _total(state: Any) -> Any:
    return 1.0 * state[0]


@hot
def _strayed(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
    """The sum, and the extremes of the sums of proper prefixes, of two neighbours."""
    low = high = before = older[0]
    if older_size > 1:
        low = older[1] if older[1] < low else low
        high = older[2] if older[2] > high else high
    if newer_size > 1:
        low = before + newer[1] if before + newer[1] < low else low
        high = before + newer[2] if before + newer[2] > high else high
    return (before + newer[0], low, high)


@hot
def _worst(state: Any, size: Any) -> Any:
    """The largest sum, by magnitude, of a proper prefix or suffix."""
    total, low, high = state[0], state[1], state[2]
    found = max(abs(low), abs(high), abs(total - high), abs(total - low))
    return found if size > 1 else found - found


def _plus(total: Any, end: Any, slack: Any) -> Any:
    return total + end


def _plus_slack(total: Any, end: Any, slack: Any) -> Any:
    return total + (end + slack)


@hot
def _left_of(bucket: Any, size: Any, least: Any, most: Any) -> Any:
    total = bucket[0]
    zero = total - total
    if size > 1:
        low, high = total - bucket[2], total - bucket[1]
    elif least > 0:
        low = high = total
    else:
        low = high = zero
    if most == size:
        low, high = min(low, total), max(high, total)
    if least == 0:
        low, high = min(low, zero), max(high, zero)
    return low, high


@hot
def _guessed(bucket: Any, low: Any, high: Any, size: Any, part: Any) -> Any:
    return _guess(bucket[0] * part / (2 * size), low, high, _worst(bucket, size))


def _guessed_whole(bucket: Any, low: Any, high: Any, size: Any, part: Any) -> Any:
    total, whole = bucket[0], 2 * size
    # total · part may not fit: part by part, and rounded down as a whole
    share = total // whole * part + total % whole * part // whole
    return _guess(share, low, high, _worst(bucket, size))


@hot
def _guess(share: Any, low: Any, high: Any, worst: Any) -> Any:
    """A sum between both ends that is no further from either than the bucket's worst."""
    if low == high:
        return low
    return min(max(share, low, high - worst), high, low + worst)
