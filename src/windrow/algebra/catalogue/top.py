"""Top k: the k largest values."""

from functools import cache
from sys import maxsize
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.catalogue.parameters import swapped
from windrow.algebra.monoid import Monoid
from windrow.algebra.ordering import descending
from windrow.algebra.registry import Takes, register
from windrow.arguments import shown, whole
from windrow.errors import AggregateError

__all__ = ["top_k"]


@register(Takes.ANYTHING, 3)
def top_k(k: int, column: Reads = None) -> Aggregate[Monoid[tuple[Any, ...], list[Any]]]:
    """The k largest values in a list, largest first, each as often as it occurs.

    Nulls are skipped; NaN is larger than every number; if there are fewer than k values, the list
    has them all, and that of nothing is empty.  (Spark has no such function.)

    >>> from windrow.testing import fold
    >>> fold(top_k(2), [1, 5, None, 5, 3])
    [5, 5]
    """
    size = whole(k)
    if size is None or not 1 <= size <= maxsize:
        way_out = swapped("top_k", k, column) or "use k=1 for the largest alone"
        raise AggregateError(f"k={shown(k)} is not a positive integer below 2^63; {way_out}")
    return Aggregate(_top(size), (column,))


@cache
def _top(k: int) -> Monoid[tuple[Any, ...], list[Any]]:
    def combine(older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        # Sorting finds the two descending runs and merges them; of equal values the oldest stay.
        return tuple(descending(older + newer)[:k])

    return Monoid(
        name="top_k",
        parameters=f"{k}",
        lift=lambda value: (value,),
        combine=combine,
        lower=list,
        identity=(),
        commutative=True,
    )
