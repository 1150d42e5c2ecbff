"""Sums: sum, mean, product, geometric mean."""

import operator
import sys
from datetime import timedelta
from decimal import Decimal
from math import exp, inf, isfinite, log, nan
from typing import Any, Final

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Group, Kind, Monoid
from windrow.algebra.numeric import (
    BOOL,
    FLOAT,
    INT,
    NULL,
    OVERFLOW,
    VALUE,
    Dtypes,
    Field,
    Numeric,
    State,
)
from windrow.algebra.optional import optional, same
from windrow.algebra.registry import Takes, register
from windrow.algebra.rounding import divided, rounds_up

__all__ = ["exponential", "geometric_mean", "mean", "product", "sum"]

_LARGEST_LOG = log(sys.float_info.max)


@register(Takes.QUANTITIES)
def sum(column: Reads = None) -> Aggregate[Group[Any, Any]]:
    """The sum of the values.

    Nulls are skipped; one NaN makes the sum NaN; the sum of nothing is null: all as in Spark.
    Integers stay exact: kernels add them in 96 bits, and a result that does not fit 64 is an error.

    >>> from windrow.structures import TwoStacks
    >>> window = TwoStacks(sum())
    >>> for reading in (3, None, 4):
    ...     window.insert(reading)
    >>> window.query()
    7
    """
    return Aggregate(_SUM, (column,))


@register(Takes.QUANTITIES)
def mean(column: Reads = None) -> Aggregate[Group[Any, Any]]:
    """The arithmetic mean; for durations a duration, rounded half up to its unit.

    Nulls are skipped; one NaN makes it NaN; the mean of nothing is null: all as in Spark.

    >>> from windrow.testing import fold
    >>> fold(mean(), [20.0, None, 23.0])
    21.5
    """
    return Aggregate(_MEAN, (column,))


@register(Takes.NUMBERS)
def product(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The product of the values, a float as in Spark.

    Nulls are skipped; one NaN makes it NaN; the product of nothing is null.

    >>> from windrow.testing import fold
    >>> fold(product(), [2, 3, None])
    6.0
    """
    return Aggregate(_PRODUCT, (column,))


@register(Takes.NUMBERS)
def geometric_mean(column: Reads = None) -> Aggregate[Group[Any, Any]]:
    """The geometric mean, computed from the mean of logarithms, so it cannot overflow.

    Nulls are skipped; a zero makes it zero; a NaN or negative value makes it NaN; the geometric
    mean of nothing is null.  (Spark has no such function.)

    >>> from windrow.testing import fold
    >>> round(fold(geometric_mean(), [1.0, 4.0, 16.0]), 6)
    4.0
    """
    return Aggregate(_GEOMETRIC_MEAN, (column,))


def _subtract_counted(total: Any, older: Any) -> Any:
    if total is None or older is None:
        return total
    rest = _subtract_pairs(total, older)
    # The count distinguishes no values (null) from values that add up to zero.
    return None if rest is not NotImplemented and rest[1] == 0 else rest


def _numeric_sum(dtypes: Dtypes) -> Numeric:
    if dtypes == (FLOAT,):
        return _float_alone(0.0, _add_floats)
    return Numeric(
        state=(INT, INT, BOOL),
        identity=(0, 0, False),
        lift=_lift_wide,
        combine=_add_wide,
        lower=_lower_wide,
        result=(Field(INT, like="value duration"),),
    )


def _float_alone(start: float, combine: Any) -> Numeric:
    return Numeric(
        state=(FLOAT,),
        identity=(start,),
        lift=_lift_float,
        combine=combine,
        lower=_lower_float,
        result=(Field(FLOAT),),
        total=True,
    )


def _lift_float(value: Any) -> State:
    return (1.0 * value,)  # not float(): booleans have none when compiled


def _add_floats(older: State, newer: State) -> State:
    return (older[0] + newer[0],)


def _lower_float(state: State) -> State:
    return (state[0], VALUE)


# An integer is high · 2³² + low with 0 ≤ low < 2³²; 2³¹ of them add up before `high` overflows.
def _lift_wide(value: Any) -> State:
    return (value >> 32, value & 0xFFFFFFFF, True)


def _add_wide(older: State, newer: State) -> State:
    low = older[1] + newer[1]
    return (older[0] + newer[0] + (low >> 32), low & 0xFFFFFFFF, older[2] | newer[2])


def _lower_wide(state: State) -> State:
    high, low, seen = state
    if not seen:
        return (0, NULL)
    if high < -(1 << 31) or high >= (1 << 31):
        return (0, OVERFLOW)
    return ((high << 32) + low, VALUE)


def _add_pairs(older: State, newer: State) -> State:
    return (older[0] + newer[0], older[1] + newer[1])


def _subtract_pairs(total: State, older: State) -> Any:
    # An infinite or NaN total has forgotten its finite part: only a fold of the rest can tell.
    if isinstance(total[0], float | Decimal) and not isfinite(total[0]):
        return NotImplemented
    return (total[0] - older[0], total[1] - older[1])


def _float_and_count(lift: Any, lower: Any) -> Numeric:
    return Numeric(
        state=(FLOAT, INT),
        identity=(0.0, 0),
        lift=lift,
        combine=_add_pairs,
        lower=lower,
        result=(Field(FLOAT),),
        total=True,
    )


def _lift_counted(value: Any) -> State:
    return (int(value) if isinstance(value, bool) else value, 1)


def _add_counted(older: State, newer: State) -> State:
    # Of nothing there is no total: 0 cannot be added to a duration.
    if not older[1] or not newer[1]:
        return older if older[1] else newer
    return _add_pairs(older, newer)


def _lower_mean(state: State) -> Any:
    total, count = state
    if not count:
        return None
    if isinstance(total, timedelta):
        return timedelta(microseconds=divided(total // timedelta(microseconds=1), count))
    return total / count


def _numeric_mean_duration(dtypes: Dtypes) -> Numeric:
    """Whole numbers of the unit, as those of a sum; and how many there are."""
    return Numeric(
        state=(INT, INT, INT),
        identity=(0, 0, 0),
        lift=_lift_wide_counted,
        combine=_add_wide_counted,
        lower=_lower_wide_mean,
        result=(Field(INT, like="value duration"),),
        total=True,
    )


def _lift_wide_counted(value: Any) -> State:
    return (value >> 32, value & 0xFFFFFFFF, 1)


def _add_wide_counted(older: State, newer: State) -> State:
    low = older[1] + newer[1]
    return (older[0] + newer[0] + (low >> 32), low & 0xFFFFFFFF, older[2] + newer[2])


def _lower_wide_mean(state: State) -> State:
    high, low, count = state
    # As one divides on paper: 64 bits would not hold the total.
    rest = ((high % count) << 32) + low
    below = ((high // count) << 32) + rest // count
    return (below + (1 if rounds_up(below, rest % count, count) else 0), VALUE)


def _lift_counted_float(value: Any) -> State:
    return (1.0 * value, 1)


def _lower_numeric_mean(state: State) -> State:
    return (state[0] / state[1], VALUE)


def _multiply(older: State, newer: State) -> State:
    return (older[0] * newer[0],)


def _lift_log(value: Any) -> State:
    if value > 0:
        return (log(value), 1)
    return (-inf if value == 0 else nan, 1)


def exponential(value: Any) -> Any:
    """As compiled code has it, too large a result is infinite; Python would raise."""
    return exp(value) if value <= _LARGEST_LOG else value + inf


def _lower_geometric_mean(state: State) -> Any:
    return exponential(state[0] / state[1]) if state[1] else None


def _lower_numeric_geometric_mean(state: State) -> State:
    return (exponential(state[0] / state[1]), VALUE)


_SUM: Final[Group[Any, Any]] = Group(
    name="sum",
    lift=_lift_counted,
    combine=optional(_add_pairs),
    lower=lambda state: None if state is None else state[0],
    identity=None,
    subtract=_subtract_counted,
    kind=Kind.DISTRIBUTIVE,
    commutative=True,
    neutral=0.0,
    numeric=_numeric_sum,
)

_MEAN: Final[Group[Any, Any]] = Group(
    name="mean",
    lift=_lift_counted,
    combine=_add_counted,
    lower=_lower_mean,
    identity=(0, 0),
    subtract=_subtract_pairs,
    commutative=True,
    numeric=lambda dtypes: _float_and_count(_lift_counted_float, _lower_numeric_mean),
    durations=_numeric_mean_duration,
)

_PRODUCT: Final[Monoid[Any, Any]] = Monoid(
    name="product",
    lift=float,
    combine=optional(operator.mul),
    lower=same,
    identity=None,
    kind=Kind.DISTRIBUTIVE,
    commutative=True,
    neutral=1.0,
    numeric=lambda dtypes: _float_alone(1.0, _multiply),
)

_GEOMETRIC_MEAN: Final[Group[Any, Any]] = Group(
    name="geometric_mean",
    lift=_lift_log,
    combine=_add_pairs,
    lower=_lower_geometric_mean,
    identity=(0.0, 0),
    subtract=_subtract_pairs,
    commutative=True,
    numeric=lambda dtypes: _float_and_count(_lift_log, _lower_numeric_geometric_mean),
)
