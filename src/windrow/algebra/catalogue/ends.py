"""The two ends of a window: its first and its last value."""

from functools import cache
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.numeric import BOOL, NULL, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.optional import optional, same
from windrow.algebra.registry import Takes, register

__all__ = ["first", "last"]


@register(Takes.ANYTHING)
def first(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The oldest value that is not null.

    NaN is a value; the first of nothing is null: as Spark's `first` with `ignorenulls=True`.

    >>> from windrow.testing import fold
    >>> fold(first(), [None, "wind", "row"])
    'wind'
    """
    return Aggregate(_first(), (column,))


@register(Takes.ANYTHING)
def last(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The newest value that is not null.

    NaN is a value; the last of nothing is null: as Spark's `last` with `ignorenulls=True`.

    >>> from windrow.testing import fold
    >>> fold(last(), [1, 2, None])
    2
    """
    return Aggregate(_last(), (column,))


@cache
def _first() -> Monoid[Any, Any]:
    return _end("first", lambda older, newer: older, _first_seen)


@cache
def _last() -> Monoid[Any, Any]:
    return _end("last", lambda older, newer: newer, _last_seen)


def _end(name: str, pick: Any, combine: Any) -> Monoid[Any, Any]:
    def numeric(dtypes: Dtypes) -> Numeric:
        (dtype,) = dtypes
        return Numeric(
            state=(dtype, BOOL),
            identity=(dtype.type(0).item(), False),
            lift=_lift_seen,
            combine=combine,
            lower=_lower_seen,
            result=(Field(dtype, like="value"),),
        )

    return Monoid(
        name=name,
        lift=same,
        combine=optional(pick),
        lower=same,
        identity=None,
        kind=Kind.DISTRIBUTIVE,
        numeric=numeric,
    )


def _lift_seen(value: Any) -> State:
    return (value, True)


def _first_seen(older: State, newer: State) -> State:
    return (older[0] if older[1] else newer[0], older[1] | newer[1])


def _last_seen(older: State, newer: State) -> State:
    return (newer[0] if newer[1] else older[0], older[1] | newer[1])


def _lower_seen(state: State) -> State:
    return (state[0], VALUE if state[1] else NULL)
