"""What structures made of aligned blocks share: a slide searches the blocks, then evicts once."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from windrow.aggregators.base import Aggregator
from windrow.aggregators.search import Block, cut_position

__all__ = ["InBulk"]


class InBulk(Aggregator):
    """A window whose bulk evictions and slides cost O(log n) however many updates leave."""

    evicts_in_bulk = True

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
