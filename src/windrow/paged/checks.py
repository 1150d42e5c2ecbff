"""Checks of the counters in a head before they are used: compiled code checks nothing.

A checksum detects what a disk or a network did, not what an attacker wrote, who can compute
checksums.
"""

from collections.abc import Sequence
from itertools import pairwise

from windrow.errors import InputError

__all__ = ["PLACES", "require", "require_counts", "require_shape"]

PLACES = 256  # of levels: a page tells its own in a byte

_MOST_UPDATES = 1 << 62  # numbers of updates, and of pages, that 64 bits hold with room to go on


def require(sound: object, found: str) -> None:
    """Refuse what no window of ours has written; the page store adds its name and the way out."""
    if not sound:
        raise InputError(found)


def require_counts(counts: dict[int, int]) -> dict[int, int]:
    """How many pages of levels, by the levels' places."""
    for place, pages in counts.items():
        known = type(place) is int and type(pages) is int
        sound = known and 0 <= place < PLACES and 0 <= pages < _MOST_UPDATES
        require(sound, f"{pages!r} pages of level {place!r}")
    return counts


def require_shape(evicted: int, split: int, inserted: int, positions: Sequence[int]) -> None:
    """Counters are in order, and the front is made of aligned blocks of 2^k updates.

    `positions` are where all its blocks but the first begin, the newest first.
    """
    numbers = (evicted, split, inserted, *positions)
    require(all(type(number) is int for number in numbers), f"{numbers} are no counters")
    require(
        0 <= evicted <= split <= inserted < _MOST_UPDATES,
        f"of {inserted} updates, {evicted} left, and the front ends at {split}",
    )
    if split == evicted:
        require(not positions, f"an empty front has blocks at {positions}")
        return
    borders = [evicted, *reversed(positions), split]
    sizes = [end - start for start, end in pairwise(borders)]
    for start, size in zip(borders, sizes, strict=False):
        aligned = size > 0 and not size & (size - 1) and not start & (size - 1)
        require(aligned, f"updates [{start}, {start + size}) are no block of the front")
    # Blocks grow and then shrink, with two of the largest size at most: so their number is limited.
    grows = True
    for older, newer in pairwise(sizes):
        require(grows or newer < older, f"the front has blocks of {sizes} updates")
        grows = newer > older
