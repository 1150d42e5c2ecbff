"""Located extrema: the value of one column where another is smallest or largest."""

from functools import cache
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.catalogue.extrema import highest_of, lowest_of
from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import BOOL, NULL, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.optional import optional
from windrow.algebra.ordering import above, below
from windrow.algebra.registry import Takes, register
from windrow.arguments import shown
from windrow.errors import AggregateError

__all__ = ["argmax", "argmin"]


@register(Takes.NUMBER_PAIRS)
def argmax(column: Reads = None, by: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The value of `column` in the row with the largest `by`; of several such rows, the oldest.

    Rows whose `by` is null are skipped, but the result may be a null of `column`.  NaN is larger
    than every number; the argmax of nothing is null: all as Spark's `max_by`, which does not say
    which of several rows it takes.  Without columns, insert pairs `(taken, by)`.

    >>> from windrow.testing import fold
    >>> rows = [{"sensor": "a", "temp": 20}, {"sensor": "b", "temp": 23}]
    >>> fold(argmax("sensor", by="temp"), rows)
    'b'
    """
    return Aggregate(_located("argmax", above, lowest_of), _both("argmax", column, by))


@register(Takes.NUMBER_PAIRS)
def argmin(column: Reads = None, by: Reads = None) -> Aggregate[Monoid[Any, Any]]:
    """The value of `column` in the row with the smallest `by`; of several such rows, the oldest.

    Rows whose `by` is null are skipped, but the result may be a null of `column`.  NaN is larger
    than every number, so it is the smallest only if every `by` is NaN; the argmin of nothing is
    null: all as Spark's `min_by`, which does not say which of several rows it takes.  Without
    columns, insert pairs `(taken, by)`.

    >>> from windrow.testing import fold
    >>> rows = [{"sensor": "a", "temp": 20}, {"sensor": "b", "temp": 23}]
    >>> fold(argmin("sensor", by="temp"), rows)
    'a'
    """
    return Aggregate(_located("argmin", below, highest_of), _both("argmin", column, by))


def _both(name: str, column: Reads, by: Reads) -> tuple[Reads, ...]:
    if (column is None) != (by is None):
        raise AggregateError(
            f"{name} reads two columns, got column={shown(column)}, by={shown(by)}; "
            "name both, or none to insert pairs (taken, by)"
        )
    return (column, by)


@cache
def _located(name: str, beats: Any, start_of: Any) -> Monoid[Any, Any]:
    def pick(older: State, newer: State) -> State:
        return newer if beats(newer[1], older[1]) else older

    # An identity on the newer side never beats what was seen: its `by` is where the search begins.
    def combine(older: State, newer: State) -> State:
        keep = older[2] & (not beats(newer[1], older[1]))
        return (
            older[0] if keep else newer[0],
            older[1] if keep else newer[1],
            older[2] | newer[2],
        )

    def numeric(dtypes: Dtypes) -> Numeric:
        taken, by = dtypes
        return Numeric(
            state=(taken, by, BOOL),
            identity=(taken.type(0).item(), start_of(by), False),
            lift=_lift_seen,
            combine=combine,
            lower=_lower_seen,
            result=(Field(taken, like="taken"),),
        )

    return Monoid(
        name=name,
        lift=lambda taken, by: (taken, by),
        combine=optional(pick),
        lower=lambda state: None if state is None else state[0],
        identity=None,
        inputs=("taken", "by"),
        nullable=frozenset({"taken"}),
        numeric=numeric,
    )


def _lift_seen(taken: Any, by: Any) -> State:
    return (taken, by, True)


def _lower_seen(state: State) -> State:
    return (state[0], VALUE if state[2] else NULL)
