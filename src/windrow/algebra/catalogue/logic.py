"""Logic: whether any or all values are true."""

from functools import cache
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Group
from windrow.algebra.numeric import BOOL, INT, NULL, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.registry import Takes, register

__all__ = ["all", "any"]


@register(Takes.BOOLEANS)
def any(column: Reads = None) -> Aggregate[Group[State, bool | None]]:
    """Whether at least one value is true.

    Nulls are skipped; null where nothing is left: as Spark's `bool_or`.

    >>> from windrow.testing import fold
    >>> fold(any(), [False, None, True])
    True
    """
    return Aggregate(_logic("any", _lower_any), (column,))


@register(Takes.BOOLEANS)
def all(column: Reads = None) -> Aggregate[Group[State, bool | None]]:
    """Whether every value is true.

    Nulls are skipped; null where nothing is left: as Spark's `bool_and`.

    >>> from windrow.testing import fold
    >>> fold(all(), [True, None, False])
    False
    """
    return Aggregate(_logic("all", _lower_all), (column,))


@cache
def _logic(name: str, lower_number: Any) -> Group[State, bool | None]:
    def lower(state: State) -> bool | None:
        truth, status = lower_number(state)
        return truth if status == VALUE else None

    def numeric(dtypes: Dtypes) -> Numeric:
        return Numeric(
            state=(INT, INT),
            identity=(0, 0),
            lift=_lift,
            combine=_add,
            lower=lower_number,
            result=(Field(BOOL),),
        )

    return Group(
        name=name,
        lift=_lift,
        combine=_add,
        lower=lower,
        identity=(0, 0),
        subtract=_subtract,
        commutative=True,
        numeric=numeric,
    )


def _lift(value: Any) -> State:
    """A state counts what is true, and all."""
    return (1 if value else 0, 1)


def _add(older: State, newer: State) -> State:
    return (older[0] + newer[0], older[1] + newer[1])


def _subtract(total: State, older: State) -> State:
    return (total[0] - older[0], total[1] - older[1])


def _lower_any(state: State) -> State:
    return (state[0] > 0, VALUE if state[1] > 0 else NULL)


def _lower_all(state: State) -> State:
    return (state[0] == state[1], VALUE if state[1] > 0 else NULL)
