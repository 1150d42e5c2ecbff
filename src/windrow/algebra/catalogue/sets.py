"""Sets: the exact number of different values."""

from typing import Any, Final

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.canonical import key
from windrow.algebra.monoid import CountDifferent, Kind, Monoid
from windrow.algebra.registry import Takes, register

__all__ = ["distinct", "singleton", "union"]


@register(Takes.ANYTHING, bulky=True)
def distinct(column: Reads = None) -> Aggregate[Monoid[frozenset[Any], int]]:
    """How many different values there are, exactly.

    Nulls are skipped; NaN equals NaN and 0.0 equals -0.0; nothing has 0 different values: all as
    Spark's `count(distinct …)`.  The state grows with the result: see `distinct_sketch`.

    >>> from windrow.testing import fold
    >>> fold(distinct(), ["a", "b", "a", None])
    2
    """
    return Aggregate(_DISTINCT, (column,))


def singleton(value: Any) -> frozenset[Any]:
    """The set of one value, by its key."""
    return frozenset((key(value),))


def union(older: frozenset[Any], newer: frozenset[Any]) -> frozenset[Any]:
    """Both sets as one; one of the two itself where it holds the other."""
    # Most values were seen before: sharing the larger set then saves copying it.
    if newer <= older:
        return older
    return newer if older <= newer else older | newer


_DISTINCT: Final[Monoid[frozenset[Any], int]] = Monoid(
    name="distinct",
    lift=singleton,
    combine=union,
    lower=len,
    identity=frozenset(),
    kind=Kind.HOLISTIC,
    commutative=True,
    neutral=0,
    multiset=CountDifferent(),
)
