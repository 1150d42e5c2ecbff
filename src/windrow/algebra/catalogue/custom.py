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
    """The aggregate of a monoid: one column for each of its inputs, or none for bare values.

    Nulls are skipped unless the monoid's `nullable` names their input.

    >>> from windrow.algebra.monoid import Monoid
    >>> from windrow.testing import fold
    >>> longest = Monoid(name="longest", lift=len, combine=max, lower=lambda n: n, identity=0)
    >>> fold(of(longest, "word"), [{"word": "wind"}, {"word": "row"}])
    4
    """
    if not isinstance(monoid, Monoid):
        raise AggregateError(
            f"of() takes a monoid, got {shown(monoid)}; "
            "build one: windrow.monoid(lift=…, combine=…, identity=…)"
        )
    return Aggregate(monoid, columns)
