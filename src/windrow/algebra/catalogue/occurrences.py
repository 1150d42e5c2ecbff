"""Occurrences: how often the smallest or the largest value occurs."""

from functools import cache
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.catalogue.extrema import highest_of, lowest_of
from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import INT, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.optional import optional
from windrow.algebra.ordering import above, below, level
from windrow.algebra.registry import Takes, register

__all__ = ["max_count", "min_count"]


@register(Takes.ANYTHING)
def max_count(column: Reads = None) -> Aggregate[Monoid[Any, int]]:
    """How often the largest value occurs.

    Nulls are skipped; NaN is larger than every number and equal to itself; the largest of nothing
    occurs 0 times.  (Spark has no such function.)

    >>> from windrow.testing import fold
    >>> fold(max_count(), [3, 1, 3, None])
    2
    """
    return Aggregate(_occurrences("max_count", above, lowest_of), (column,))


@register(Takes.ANYTHING)
def min_count(column: Reads = None) -> Aggregate[Monoid[Any, int]]:
    """How often the smallest value occurs.

    Nulls are skipped; NaN is larger than every number and equal to itself; the smallest of
    nothing occurs 0 times.  (Spark has no such function.)

    >>> from windrow.testing import fold
    >>> fold(min_count(), [1, 3, 1, None])
    2
    """
    return Aggregate(_occurrences("min_count", below, highest_of), (column,))


@cache
def _occurrences(name: str, beats: Any, start_of: Any) -> Monoid[Any, int]:
    def combine(older: State, newer: State) -> State:
        beaten = beats(newer[0], older[0])
        joined = beaten | level(newer[0], older[0])
        return (
            newer[0] if beaten else older[0],
            (0 if beaten else older[1]) + (newer[1] if joined else 0),
        )

    def numeric(dtypes: Dtypes) -> Numeric:
        (dtype,) = dtypes
        return Numeric(
            state=(dtype, INT),
            identity=(start_of(dtype), 0),
            lift=_lift,
            combine=combine,
            lower=_lower_number,
            result=(Field(INT),),
        )

    return Monoid(
        name=name,
        lift=_lift,
        combine=optional(combine),
        lower=lambda state: 0 if state is None else state[1],
        identity=None,
        commutative=True,
        neutral=0,
        numeric=numeric,
    )


def _lift(value: Any) -> State:
    return (value, 1)


def _lower_number(state: State) -> State:
    return (state[1], VALUE)
