"""Sums and what is made of them, compiled: `approximate.additive` on 64 bits."""

from math import inf, isfinite, log, nan
from typing import Any

import numpy as np

from windrow.algebra.numeric import FLOAT, INT
from windrow.approximate.additive import (
    LAST_DIGITS,
    MADE,
    Numbers,
    continued,
    count_interval,
    rounded,
    sum_interval,
    worst_of,
)
from windrow.approximate.bounds import BoundCode
from windrow.approximate.interval import EXACT, HAS_ENDS, HAS_VALUE, TOO_LARGE
from windrow.compiler.marks import hot

__all__ = ["count_code", "sum_code"]

_LARGEST = 2.0**62  # integers whose magnitudes add up to more may have wrapped around


def count_code() -> BoundCode:
    """How many values there are."""
    return BoundCode(
        result=INT,
        state=(INT, INT, INT),  # values, and the least and the most of a proper prefix
        identity=(0, 0, 0),
        lift=_lift_count,
        combine=_combine,
        answer=_counted_answer,
        adopt=_adopt,
        interval=count_interval,
        worst=worst_of,
        total=_total,
    )


def _lift_count(number: Any, known: Any) -> Any:
    one = 1 if known else 0
    return (one, one, one)


def _counted_answer(state: Any) -> Any:
    return state[0], HAS_VALUE | HAS_ENDS | EXACT


def sum_code(name: str, dtype: np.dtype[Any]) -> BoundCode:
    """A sum, a mean or a geometric mean of floats or integers."""
    whole = dtype == INT and name != "geometric_mean"
    kind = INT if whole else FLOAT
    lift = _logarithm if name == "geometric_mean" else _same if whole else _as_float
    made, divides, zero = MADE[name], name != "sum", kind.type(0).item()

    def lift_one(number: Any, known: Any) -> Any:
        value = lift(number) if known else zero
        return (value, value, value, abs(1.0 * value), 1 if known else 0)

    @hot
    def combine(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
        total, low, high = _combine(older, newer, older_size, newer_size)
        return (total, low, high, older[3] + newer[3], older[4] + newer[4])

    @hot
    def answer(state: Any) -> Any:
        if whole and not _fits(state[3]):
            return made(state[0], 1)[0], TOO_LARGE
        value, known = made(state[0], state[4])
        return value, EXACT | (HAS_VALUE | HAS_ENDS if known else 0)

    @hot
    def worst(state: Any, size: Any) -> Any:
        if size > 1 and not isfinite(state[3]):
            return inf
        return 1.0 * worst_of(state, size)

    return BoundCode(
        result=FLOAT if divides else kind,
        state=(kind, kind, kind, FLOAT, INT),  # total, least and most prefix, magnitude, values
        identity=(zero, zero, zero, 0.0, 0),
        lift=lift_one,
        combine=combine,
        answer=answer,
        adopt=lambda state, trace: (*_adopt(state, trace), float(trace.magnitude), _values(state)),
        interval=sum_interval(_WHOLE if whole else _FLOATS, made, divides=divides),
        worst=worst,
        total=_total,
    )


@hot
def _combine(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
    return continued(older, newer, older_size > 1, newer_size > 1)


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
    return -inf if value == 0 else nan


def _total(state: Any) -> Any:
    return 1.0 * state[0]


@hot
def _fits(magnitude: Any) -> Any:
    return magnitude < _LARGEST


@hot
def _share(total: Any, part: Any, whole: Any) -> Any:
    return total * part / whole


@hot
def _whole_share(total: Any, part: Any, whole: Any) -> Any:
    # total · part may not fit: part by part, and rounded down as a whole
    return total // whole * part + total % whole * part // whole


@hot
def _no_slack(magnitude: Any, values: Any) -> Any:
    return 0


@hot
def _last_digits(number: Any) -> Any:
    return LAST_DIGITS * abs(number)


_FLOATS = Numbers(0.0, _share, rounded, _last_digits)
_WHOLE = Numbers(0, _whole_share, _no_slack, _last_digits, is_sound=_fits, unsound=TOO_LARGE)
