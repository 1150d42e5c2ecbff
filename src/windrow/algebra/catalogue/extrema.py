"""Extrema: min, max and their range.  NaN counts as larger than every number, as in Spark."""

from functools import cache
from math import inf
from typing import Any, Final

import numpy as np

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.numeric import BOOL, FLOAT, INT, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.optional import optional, same
from windrow.algebra.registry import Takes, register

__all__ = ["highest_of", "lowest_of", "max", "min", "range"]


@register(Takes.ANYTHING)
def max(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The largest value, of anything that can be ordered.

    Nulls are skipped; NaN is larger than every number; the max of nothing is null: as in Spark.

    >>> from windrow.testing import fold
    >>> fold(max(), [20.5, None, 23.0])
    23.0
    """
    return Aggregate(_extremum("max", larger, -inf, _larger_one, lowest_of), (column,))


@register(Takes.ANYTHING)
def min(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The smallest value, of anything that can be ordered.

    Nulls are skipped; NaN is larger than every number, so the min is NaN only where all values
    are; the min of nothing is null: as in Spark.

    >>> from windrow.testing import fold
    >>> fold(min(), ["b", None, "a"])
    'a'
    """
    return Aggregate(_extremum("min", smaller, inf, _smaller_one, highest_of), (column,))


@register(Takes.POSITIONS)
def range(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The distance between the largest and the smallest value.

    Nulls are skipped; NaN, being the largest value, makes it NaN; the range of nothing is null.
    (Spark has no such function.)

    >>> from windrow.testing import fold
    >>> fold(range(), [20.5, None, 23.0])
    2.5
    """
    return Aggregate(_RANGE, (column,))


def larger(older: Any, newer: Any) -> Any:
    """The larger of two values, the older where they are equal."""
    return newer if (newer > older or newer != newer) and older == older else older


def smaller(older: Any, newer: Any) -> Any:
    """The smaller of two values, the older where they are equal."""
    return newer if (newer < older or older != older) and newer == newer else older


def lowest_of(dtype: np.dtype[Any]) -> Any:
    """What every number of the type is at least: where the search for a maximum begins."""
    return {FLOAT: -inf, INT: -(1 << 63), BOOL: False}[dtype]


def highest_of(dtype: np.dtype[Any]) -> Any:
    """What every number of the type is at most: where the search for a minimum begins."""
    # NaN is above infinity, so a minimum of NaNs must not begin below them.
    return {FLOAT: np.nan, INT: (1 << 63) - 1, BOOL: True}[dtype]


@cache
def _extremum(
    name: str, pick: Any, neutral: float, combine: Any, start_of: Any
) -> Monoid[Any, Any]:
    def numeric(dtypes: Dtypes) -> Numeric:
        (dtype,) = dtypes
        return Numeric(
            state=(dtype,),
            identity=(start_of(dtype),),
            lift=_lift_one,
            combine=combine,
            lower=_lower_one,
            result=(Field(dtype, like="value"),),
            total=True,
        )

    return Monoid(
        name=name,
        lift=same,
        combine=optional(pick),
        lower=same,
        identity=None,
        kind=Kind.DISTRIBUTIVE,
        commutative=True,
        neutral=neutral,
        numeric=numeric,
    )


def _lift_one(value: Any) -> State:
    return (value,)


def _larger_one(older: State, newer: State) -> State:
    # Bitwise operators: a branch would be mispredicted on every second random value.
    keep = (older[0] >= newer[0]) | (older[0] != older[0])
    return (older[0] if keep else newer[0],)


def _smaller_one(older: State, newer: State) -> State:
    keep = (older[0] <= newer[0]) | (newer[0] != newer[0])
    return (older[0] if keep else newer[0],)


def _lower_one(state: State) -> State:
    return (state[0], VALUE)


def _wider(older: State, newer: State) -> State:
    return (smaller(older[0], newer[0]), larger(older[1], newer[1]))


def _numeric_range(dtypes: Dtypes) -> Numeric | None:
    (dtype,) = dtypes
    if dtype != FLOAT:
        return None
    return Numeric(
        state=(FLOAT, FLOAT),
        identity=(highest_of(FLOAT), lowest_of(FLOAT)),
        lift=_lift_ends,
        combine=_widen,
        lower=_lower_range,
        result=(Field(FLOAT),),
        total=True,
    )


def _lift_ends(value: Any) -> State:
    return (value, value)


def _widen(older: State, newer: State) -> State:
    low = (older[0] <= newer[0]) | (newer[0] != newer[0])
    high = (older[1] >= newer[1]) | (older[1] != older[1])
    return (
        older[0] if low else newer[0],
        older[1] if high else newer[1],
    )


def _lower_range(state: State) -> State:
    return (state[1] - state[0], VALUE)


_RANGE: Final[Monoid[Any, Any]] = Monoid(
    name="range",
    lift=_lift_ends,
    combine=optional(_wider),
    lower=lambda state: None if state is None else state[1] - state[0],
    identity=None,
    commutative=True,
    neutral=0.0,
    numeric=_numeric_range,
)
