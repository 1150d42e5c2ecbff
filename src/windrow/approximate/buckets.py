"""Buckets in a forest: AMTA, whose updates are buckets of a stream's."""

from collections.abc import Iterable, Iterator
from typing import Any

from windrow.algebra.monoid import Monoid
from windrow.approximate.layout import Bucket
from windrow.structures.amta import Amta
from windrow.structures.levels import blocks_back_to
from windrow.structures.search import Block, cut_position

__all__ = ["Buckets"]


class Buckets(Amta):
    """Whole buckets, numbered as they come: those from `start` up to `end` are here."""

    _all: Bucket | None = None  # of them as one, if that was asked for since they changed

    @classmethod
    def rebuilt(
        cls, monoid: Monoid[Any, Any], numbers: tuple[int, int, int], buckets: Iterable[Bucket]
    ) -> "Buckets":
        """The forest whose oldest bucket, first of the back, and next one have these numbers.

        All else follows from them and from the buckets, to the last digit.
        """
        evicted, split, _ = numbers
        forest, nothing = cls(monoid), monoid.identity
        forest._load((evicted,) * 3, nothing, nothing, (), ())
        for number, bucket in enumerate(buckets, evicted):
            if number == split:
                forest._rebuild_front(evicted)
            forest.add(bucket)
        if split == forest.end:
            forest._rebuild_front(evicted)
        return forest

    @property
    def start(self) -> int:
        """The number of the oldest."""
        return self._evicted

    @property
    def end(self) -> int:
        """The number of the next one."""
        return self._inserted

    def is_odd(self) -> bool:
        """Whether the number of the oldest is."""
        return self._evicted & 1 == 1

    def empty(self) -> None:
        """Let go of all, and number those to come anew."""
        self._clear()
        self._all = None

    def leaves(self) -> Iterator[Bucket]:
        """One by one, the oldest first."""
        for number in range(self._evicted, self._inserted):
            yield self._levels.node(0, number)

    def add(self, bucket: Bucket) -> None:
        """Append one, the newest."""
        self._insert(bucket)
        self._all = None

    def pop(self) -> Bucket:
        """Take the oldest out."""
        oldest: Bucket = self._levels.node(0, self._evicted)
        self.evict_to(self._evicted + 1)
        return oldest

    def total(self) -> Bucket:
        """All of them as one; the same object until they change."""
        if self._all is None:
            self._all = self._total()
        return self._all

    def between(self, start: int, end: int) -> Bucket:
        """Those with numbers from `start` up to `end`, as one: O(log n)."""
        found: Bucket = self._identity
        for first, last in blocks_back_to(start, end):
            found = self._combine(self._block(first, last), found)
        return found

    def blocks(self) -> Iterable[Block]:
        """Blocks that cover all of them, oldest first, each with all behind it."""
        return self._blocks()

    def blocks_between(self, start: int, end: int, newest: Bucket) -> Iterable[Block]:
        """Blocks that cover some of them, each with all behind it, up to another bucket."""
        found: list[Block] = []
        for first, last in blocks_back_to(start, end):
            found.append((first, last, newest))
            newest = self._combine(self._block(first, last), newest)
        return reversed(found)

    def evict_to(self, number: int) -> None:
        """Let go of those before this number."""
        if number > self._evicted:
            self._evict(number - self._evicted)
            self._all = None

    def evict_all(self) -> None:
        """Let go of all that are here."""
        self.evict_to(self._inserted)

    def evict_updates(self, most: int) -> None:
        """Let go of the oldest that together have no more updates than that; all have more."""
        if self._levels.node(0, self._evicted).size <= most:
            self.evict_to(self.after_updates(most))

    def take_updates(self, least: int, everything: int) -> Bucket:
        """Take out the oldest that together have at least `least` of all updates, as one."""
        end = self._inserted
        if least < everything:
            end = self.after_updates(least - 1) + 1
        taken = self.between(self._evicted, end)
        self.evict_to(end)
        return taken

    def parted(self, least: int, everything: int) -> tuple[Bucket, Bucket]:
        """The oldest that together have at least `least` of all updates, as one; the others."""
        if least >= everything:
            return self.total(), self._identity
        end = self.after_updates(least - 1) + 1
        return self.between(self._evicted, end), self.between(end, self._inserted)

    def after_updates(self, most: int) -> int:
        """The number behind the oldest that together have no more updates than that, not all."""
        judge: Any = _UpTo(most)
        monoid = self._contents.monoid
        return cut_position(
            judge, monoid, self.total(), self._blocks(), self._block, self._inserted
        )

    def halve(self) -> Bucket:
        """Make one of each two; the number of the oldest is even.  A last one is given back, alone.

        The level of leaves goes, and what were pairs are leaves: O(log n) combines.
        """
        alone: Bucket = self._identity
        if self._inserted & 1:
            self._inserted -= 1
            alone = self._levels.node(0, self._inserted)
        self._levels.drop_leaves()
        self._evicted >>= 1
        self._inserted >>= 1
        self._rebuild_front(self._evicted)
        self._all = None
        return alone


class _UpTo:
    """Evicts prefixes with at most a given number of updates."""

    drops = True

    def __init__(self, most: int) -> None:
        self._most = most

    def keeps(self, window: Bucket) -> bool:
        return True

    def condemns(self, evicted: Bucket, after: Bucket, before: Bucket) -> bool:
        return evicted.size <= self._most
