"""Filters: a Bloom filter of the window's values."""

import operator
from functools import cache

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.bloom import BloomFilter
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.registry import Takes, register
from windrow.arguments import finite, shown, whole
from windrow.errors import AggregateError

__all__ = ["bloom"]

# 128 MB: a state is a number with this many bits.
_MOST_BITS = 1 << 30
_MOST_VALUES = _MOST_BITS


@register(Takes.ANYTHING, bulky=True)
def bloom(
    column: Reads = None, *, capacity: int = 1000, error: float = 0.01
) -> Aggregate[Monoid[int, BloomFilter]]:
    """A Bloom filter of the values: `value in result` is never wrongly false.

    It is wrongly true with a probability of at most `error` while there are at most `capacity`
    different values, and more often beyond.  Nulls are skipped; NaN equals NaN, 0.0 equals -0.0;
    the filter of nothing holds nothing.  Hashes are the same in every process and run.

    >>> from windrow.testing import fold
    >>> seen = fold(bloom(), ["wind", None, "row"])
    >>> "wind" in seen, "storm" in seen
    (True, False)
    """
    most = whole(capacity)
    if most is None or most < 1:
        raise AggregateError(
            f"capacity={shown(capacity)} is not a positive integer; try capacity=1000"
        )
    share = finite(error)
    if share is None or not 0 < share < 1:
        raise AggregateError(f"error={shown(error)} is not between 0 and 1; use error=0.01 for 1 %")
    if most > _MOST_VALUES or BloomFilter.sized(most, share).size > _MOST_BITS:
        raise AggregateError(
            f"capacity={shown(capacity)} with error={shown(error)} takes more than "
            f"{_MOST_BITS:,} bits for each window; give a smaller capacity or a larger error"
        )
    return Aggregate(_bloom(most, share), (column,))


@cache
def _bloom(capacity: int, error: float) -> Monoid[int, BloomFilter]:
    empty = BloomFilter.sized(capacity, error)
    return Monoid(
        name="bloom",
        parameters=f"capacity={capacity}, error={error}",
        lift=empty.mask,
        combine=operator.or_,
        lower=empty.with_bits,
        identity=0,
        kind=Kind.SKETCH,
        commutative=True,
    )
