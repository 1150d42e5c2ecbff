"""The storage of trees over a stream: one ring of nodes per level, addressed by absolute numbers.

# invariant: node j of level l covers updates [j << l, (j + 1) << l)

Evicting moves no node: a node is dead once it starts before the window, and its slot is reused.
"""

from collections.abc import Iterator
from typing import Any

from windrow.structures.ring import Ring

__all__ = ["Levels", "blocks_back_to"]


class Levels:
    """Growable rings of nodes, one per level."""

    def __init__(self) -> None:
        self._rings: list[Ring] = []

    def node(self, level: int, index: int) -> Any:
        """The aggregate of updates [index << level, (index + 1) << level)."""
        ring = self._rings[level]
        return ring.slots[index & ring.mask]  # not ring[index]: this is read most of all

    def block(self, start: int, end: int) -> Any:
        """The aggregate of an aligned block of 2^l updates."""
        level = (end - start).bit_length() - 1
        return self.node(level, start >> level)

    def put(self, level: int, index: int, state: Any, oldest: int) -> None:
        """Set the newest node of a level whose nodes before `oldest` are not needed any more."""
        if level == len(self._rings):
            self._rings.append(Ring())
        self._rings[level].put(index, state, oldest)

    def replace(self, level: int, index: int, state: Any) -> None:
        """Set a node that is there already."""
        self._rings[level][index] = state

    def trim(self, height: int) -> None:
        """Let go of the levels from `height` on, whose nodes are not needed any more."""
        del self._rings[height:]

    def drop_leaves(self) -> None:
        """Make pairs the leaves, with half the numbers."""
        del self._rings[:1]

    def dump(self) -> tuple[tuple[Any, ...], ...]:
        """The rings as values."""
        return tuple(ring.dump() for ring in self._rings)

    def load(self, rings: tuple[tuple[Any, ...], ...]) -> None:
        """Take over what `dump` gave."""
        self._rings = [Ring(slots) for slots in rings]

    def __len__(self) -> int:
        return len(self._rings)


def blocks_back_to(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cover [start, end) with the fewest aligned blocks, newest first: O(log n) of them.

    >>> list(blocks_back_to(3, 9))
    [(8, 9), (4, 8), (3, 4)]
    """
    while end > start:
        # The lowest set bit of `end` is the largest aligned block that ends there.
        size = end & -end
        while size > end - start:
            size >>= 1
        yield end - size, end
        end -= size
