"""Aggregates that depend on order, though their values come over many nodes.

Distributing rows evenly loses their order, so aggregates that depend on it are refused, except
those that can be restated for any order, and those whose states hold all their values: they can
also hold the time of each value, and sort at the end.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import itemgetter
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Kind, Monoid
from windrow.engines.any_order import timed
from windrow.engines.definition import Definition
from windrow.errors import AggregateError
from windrow.windows import Tumbling

__all__ = ["in_any_order", "require_any_order"]

_Timed = tuple[Any, ...]  # time, arrival number, the values of the row

_when = itemgetter(0, 1)


def require_any_order(aggregates: Sequence[tuple[str, Aggregate[Any]]], period: Tumbling) -> None:
    """Refuse aggregates that need rows in order and do not keep them."""
    for name, part in aggregates:
        by_time = part.monoid.timed is not None or part.monoid.kind is Kind.HOLISTIC
        if not part.monoid.commutative and not by_time:
            raise AggregateError(
                f"{name}={part!r} depends on the order of rows, which is lost when they are "
                "distributed over many nodes; compute it without a plan, as in "
                f"windrow.over(df, time=...).window(window.{period!r}).aggregate({name}={part!r})"
            )


def in_any_order(definition: Definition) -> Definition:
    """The definition with aggregates that give the same result in any order of rows."""
    aggregates = tuple(
        (name, part if part.monoid.commutative else timed(part) or _listed(part))
        for name, part in definition.aggregates
    )
    return replace(definition, aggregates=aggregates)


def _listed(part: Aggregate[Any]) -> Aggregate[Any]:
    """The same aggregate over rows that are kept with their times and arrival numbers."""
    inner: Monoid[Any, Any] = part.monoid

    def lift(*row: Any) -> tuple[_Timed, ...]:
        return (row,)

    def lower(rows: tuple[_Timed, ...]) -> Any:
        states = (inner.lift_row(*values) for _, _, *values in sorted(rows, key=_when))
        return inner.lower(reduce(inner.combine, states, inner.identity))

    listed = replace(
        inner,
        lift=lift,
        combine=_together,
        lower=lower,
        identity=(),
        commutative=True,
        inputs=("at", "arrival", *inner.inputs),
        numeric=None,
        multiset=None,
    )
    return replace(part, monoid=listed, columns=("t", "n", *part.columns))


def _together(some: tuple[_Timed, ...], others: tuple[_Timed, ...]) -> tuple[_Timed, ...]:
    return some + others
