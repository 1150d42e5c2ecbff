"""How structures slide: by a search over aligned blocks, those of a tree say, or one by one."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from windrow.structures.base import Aggregator
from windrow.structures.levels import blocks_back_to
from windrow.structures.search import Block, cut_position, suffixed

__all__ = ["InBulk", "OneByOne", "WindowTree"]


class InBulk(Aggregator):
    """A window whose bulk evictions and slides cost O(log n) however many updates leave."""

    _evicted: int
    _inserted: int

    def __len__(self) -> int:
        return self._inserted - self._evicted

    def _slide(self) -> int:
        cut = cut_position(
            self._contents.judge,
            self._contents.monoid,
            self._total(),
            self._blocks(),
            self._block,
            self._inserted,
        )
        leaving = cut - self._evicted
        if leaving:
            self._evict(leaving)
        return leaving

    @abstractmethod
    def _block(self, start: int, end: int) -> Any:
        """The state of an aligned block that lies in the window."""

    @abstractmethod
    def _blocks(self) -> Iterable[Block]:
        """Aligned blocks that cover the window, oldest first."""


class OneByOne(Aggregator):
    """A window that slides in as many steps as updates leave, and one more."""

    def _slide(self) -> int:
        judge, before = self._contents.judge, self._total()
        # invariant: `gone` updates went, `evicted` is their state and `window` that of the rest
        gone, evicted, window = 0, self._identity, before
        while len(self):
            refused = not judge.keeps(window)
            if not refused and not judge.drops:
                break
            rest = self._rest()
            if judge.drops:
                evicted = self._combine(evicted, self._oldest())
                # The newest update always survives `drop`: it is asked about proper prefixes only.
                condemned = len(self) > 1 and judge.condemns(evicted, rest, before)
                if not refused and not condemned:
                    break
            self._evict(1)
            gone, window = gone + 1, rest
        return gone

    @abstractmethod
    def _oldest(self) -> Any:
        """The state of the oldest update of a window that is not empty."""

    @abstractmethod
    def _rest(self) -> Any:
        """The state of a window that is not empty without its oldest update."""


class WindowTree(InBulk):
    """A tree whose node `number` of a level covers updates [number << level, …) in the window.

    A node aggregates that part of its block which is in the window.  Only nodes on the two edges
    of the window ever change: the newest of each level by an insert, the oldest by an eviction,
    whatever its size.  What lies outside the window is never read.
    """

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
