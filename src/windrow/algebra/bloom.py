"""A Bloom filter: a set in a fixed number of bits, never wrong when it says no (Bloom, 1970)."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from math import ceil, log
from typing import Any

from windrow.algebra.canonical import encode

__all__ = ["BloomFilter"]


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
