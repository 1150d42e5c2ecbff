"""The two ends of a window: its first and its last value.

Where rows come in any order, states also hold the time and the arrival number of their value.
"""

from operator import itemgetter
from typing import Any, Final

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.numeric import BOOL, NULL, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.optional import optional, same
from windrow.algebra.registry import Takes, register

__all__ = ["first", "last"]


_when = itemgetter(0, 1)


@register(Takes.ANYTHING)
def first(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The oldest value that is not null.

    NaN is a value; the first of nothing is null: as Spark's `first` with `ignorenulls=True`.

    >>> from windrow.testing import fold
    >>> fold(first(), [None, "wind", "row"])
    'wind'
    """
    return Aggregate(_FIRST, (column,))


@register(Takes.ANYTHING)
def last(column: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The newest value that is not null.

    NaN is a value; the last of nothing is null: as Spark's `last` with `ignorenulls=True`.

    >>> from windrow.testing import fold
    >>> fold(last(), [1, 2, None])
    2
    """
    return Aggregate(_LAST, (column,))


def _end(name: str, pick: Any, combine: Any, timed: Monoid[Any, Any]) -> Monoid[Any, Any]:
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
        timed=timed,
    )


def _timed(name: str, pick: Any, combine: Any) -> Monoid[Any, Any]:
    def numeric(dtypes: Dtypes) -> Numeric:
        time, arrival, dtype = dtypes
        return Numeric(
            state=(time, arrival, dtype, BOOL),
            identity=(0, 0, dtype.type(0).item(), False),
            lift=_lift_timed,
            combine=combine,
            lower=_lower_timed,
            result=(Field(dtype, like="value"),),
        )

    return Monoid(
        name=name,
        lift=lambda at, arrival, value: (at, arrival, value),
        combine=optional(lambda some, others: pick(some, others, key=_when)),
        lower=lambda state: None if state is None else state[2],
        identity=None,
        commutative=True,
        inputs=("at", "arrival", "value"),
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


def _lift_timed(at: Any, arrival: Any, value: Any) -> State:
    return (at, arrival, value, True)


def _first_timed(some: State, others: State) -> State:
    earlier = others[0] < some[0] or (others[0] == some[0] and others[1] < some[1])
    return others if others[3] and (earlier or not some[3]) else some


def _last_timed(some: State, others: State) -> State:
    later = others[0] > some[0] or (others[0] == some[0] and others[1] > some[1])
    return others if others[3] and (later or not some[3]) else some


def _lower_timed(state: State) -> State:
    return (state[2], VALUE if state[3] else NULL)


_FIRST: Final[Monoid[Any, Any]] = _end(
    "first", lambda older, newer: older, _first_seen, _timed("first", min, _first_timed)
)
_LAST: Final[Monoid[Any, Any]] = _end(
    "last", lambda older, newer: newer, _last_seen, _timed("last", max, _last_timed)
)
