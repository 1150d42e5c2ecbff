"""Whether the counters of a forest that was kept can be those of one: whoever wrote them.

Searches halve blocks until they are where they look for, and compiled code reads where counters
say: both end only where blocks are blocks.
"""

from collections.abc import Sequence
from typing import Final

__all__ = ["require_forest", "require_sizes"]

#: More than any window ever takes; positions and sizes stay within 64 bits.
MOST_UPDATES: Final = 1 << 60


def require_forest(evicted: int, split: int, inserted: int) -> None:
    """Refuse counters that no forest has: ValueError says why.

    >>> require_forest(2, 8, 11)
    >>> require_forest(9, 8, 11)
    Traceback (most recent call last):
    ValueError: 9 updates evicted, split at 8, 11 inserted
    """
    if not all(type(number) is int for number in (evicted, split, inserted)):
        raise ValueError("counters are no whole numbers")
    if not 0 <= evicted <= split <= inserted <= MOST_UPDATES:
        raise ValueError(f"{evicted} updates evicted, split at {split}, {inserted} inserted")


def require_sizes(
    oldest: int, middle: Sequence[int], newest: int, behind: int, left: tuple[int, int]
) -> None:
    """Refuse sizes of buckets that do not add up, and more left of them than there is.

    >>> require_sizes(3, [2, 2], 1, behind=5, left=(1, 2))
    >>> require_sizes(3, [2, 2], 1, behind=9, left=(1, 2))
    Traceback (most recent call last):
    ValueError: 9 updates behind buckets of 5
    """
    if not all(type(number) is int for number in (oldest, *middle, newest, behind, *left)):
        raise ValueError("sizes of buckets are no whole numbers")
    if min(oldest, newest, *(size - 1 for size in middle)) < 0 or (len(middle) and not newest):
        raise ValueError(f"buckets of {oldest}, {len(middle)} more and {newest} updates")
    together = sum(middle) + newest
    if together != behind or oldest + together > MOST_UPDATES:
        raise ValueError(f"{behind} updates behind buckets of {together}")
    least, most = left
    # A policy's cut may lie in any of several buckets: then less than nothing of the oldest stays.
    if not -behind <= least <= most <= oldest:
        raise ValueError(f"between {least} and {most} of a bucket of {oldest} updates are left")
