"""What trees over a window share: a node aggregates that part of its block which is in the window.

Only nodes on the two edges of the window ever change: the newest of each level by an insert, the
oldest by an eviction, whatever its size.  What lies outside the window is never read.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from windrow.structures.levels import blocks_back_to
from windrow.structures.search import Block, suffixed
from windrow.structures.sliding import InBulk

__all__ = ["WindowTree"]


class WindowTree(InBulk):
    """A tree whose node `number` of a level covers updates [number << level, …) in the window."""

    @abstractmethod
    def _node(self, level: int, number: int) -> Any:
        """The state of a node that the window touches."""

    def _joined(self, level: int, number: int) -> Any:
        """What a node aggregates, from those of its two halves that the window touches."""
        below, right = level - 1, 2 * number + 1
        if right << below >= self._inserted:
            return self._node(below, right - 1)
        if right << below <= self._evicted:
            return self._node(below, right)
        return self._combine(self._node(below, right - 1), self._node(below, right))

    def _oldest_of(self, level: int) -> int:
        return self._evicted >> level

    def _newest_of(self, level: int) -> int:
        return (self._inserted - 1) >> level

    def _blocks(self) -> Iterator[Block]:
        blocks = blocks_back_to(self._evicted, self._inserted)
        return suffixed(blocks, self._block, self._contents.monoid)
