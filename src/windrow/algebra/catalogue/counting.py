"""Counting: of rows, or of values that are there."""

import operator
from typing import Any, Final

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Group, Kind
from windrow.algebra.numeric import INT, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.optional import same
from windrow.algebra.registry import Takes, register

__all__ = ["count"]


@register(Takes.ANYTHING)
def count(column: Reads = None) -> Aggregate[Group[int, int]]:
    """How many rows there are, or, of a column, how many of its values are not null.

    NaN is a value; the count of nothing is 0: all as in Spark.

    >>> from windrow.testing import fold
    >>> fold(count(), ["a", None, "b"])
    3
    >>> fold(count("temp"), [{"temp": 21.5}, {"temp": None}])
    1
    """
    return Aggregate(_ROWS) if column is None else Aggregate(_VALUES, (column,))


def _counting(lift: Any, lift_number: Any, inputs: tuple[str, ...]) -> Group[int, int]:
    def numeric(dtypes: Dtypes) -> Numeric:
        return Numeric(
            state=(INT,),
            identity=(0,),
            lift=lift_number,
            combine=_add,
            lower=_lower,
            result=(Field(INT),),
        )

    return Group(
        name="count",
        lift=lift,
        combine=operator.add,
        lower=same,
        identity=0,
        subtract=operator.sub,
        kind=Kind.DISTRIBUTIVE,
        commutative=True,
        neutral=0,
        inputs=inputs,
        numeric=numeric,
    )


def _one_row() -> State:
    return (1,)


def _one_value(value: Any) -> State:
    return (1,)


def _add(older: State, newer: State) -> State:
    return (older[0] + newer[0],)


def _lower(state: State) -> State:
    return (state[0], VALUE)


_ROWS: Final[Group[int, int]] = _counting(lambda: 1, _one_row, ())
_VALUES: Final[Group[int, int]] = _counting(lambda value: 1, _one_value, ("value",))
