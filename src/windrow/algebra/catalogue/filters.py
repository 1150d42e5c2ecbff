"""Filters: a set in a fixed number of bits, never wrong when it says no (Bloom, 1970)."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from math import ceil, log
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.canonical import encode
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.registry import Takes, register
from windrow.arguments import finite, shown, whole
from windrow.errors import AggregateError

__all__ = ["BloomFilter", "bloom"]


@dataclass(frozen=True, repr=False)
class BloomFilter:
    """The values of a window, as bits.

    >>> empty = BloomFilter.sized(capacity=100, error=0.01)
    >>> seen = empty.with_bits(empty.mask("wind") | empty.mask("row"))
    >>> "wind" in seen, "storm" in seen
    (True, False)
    """

    size: int  # how many bits there are
    hashes: int  # how many of them stand for one value
    bits: int = 0

    @classmethod
    def sized(cls, capacity: int, error: float) -> "BloomFilter":
        """An empty filter with at most this error rate while it holds at most `capacity` values."""
        size = ceil(-capacity * log(error) / log(2) ** 2)
        return cls(size, max(1, round(size / capacity * log(2))))

    def with_bits(self, bits: int) -> "BloomFilter":
        """The same filter with other bits set."""
        return BloomFilter(self.size, self.hashes, bits)

    def mask(self, value: Any) -> int:
        """The bits that stand for one value."""
        mask = 0
        for place in self._places(value):
            mask |= 1 << place
        return mask

    def __repr__(self) -> str:
        share = self.bits.bit_count() / self.size
        return f"BloomFilter({self.size} bits, {share:.0%} set, {self.hashes} per value)"

    def __contains__(self, value: object) -> bool:
        return all(self.bits >> place & 1 for place in self._places(value))

    def __bytes__(self) -> bytes:
        """The bits, lowest first."""
        return self.bits.to_bytes((self.size + 7) // 8, "little")

    def _places(self, value: Any) -> Iterator[int]:
        # Two hashes make as many as are needed (Kirsch and Mitzenmacher, 2006).
        digest = blake2b(encode(value), digest_size=16).digest()
        start = int.from_bytes(digest[:8], "little")
        step = int.from_bytes(digest[8:], "little") | 1
        return ((start + turn * step) % self.size for turn in range(self.hashes))


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
