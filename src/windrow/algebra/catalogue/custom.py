"""Aggregates of one's own: any monoid, over any columns."""

from typing import TypeVar

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Monoid
from windrow.arguments import shown
from windrow.errors import AggregateError

__all__ = ["of"]

S = TypeVar("S")
R = TypeVar("R")


def of(monoid: Monoid[S, R], *columns: Reads) -> Aggregate[Monoid[S, R]]:
    """Aggregate with your own monoid: give a column for each argument of `lift`, or none at all.

    Nulls are skipped unless the monoid's `nullable` names their input.

    >>> import windrow as wr
    >>> from windrow.testing import fold
    >>> longest = wr.monoid(lift=len, combine=max, identity=0)
    >>> fold(of(longest, "word"), [{"word": "wind"}, {"word": "row"}])
    4
    """
    if not isinstance(monoid, Monoid):
        raise AggregateError(
            f"of() takes a monoid, got {shown(monoid)}; "
            "build one: windrow.monoid(lift=…, combine=…, identity=…)"
        )
    return Aggregate(monoid, columns)
