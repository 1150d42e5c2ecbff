"""Buckets in a forest: AMTA, whose updates are buckets of a stream's."""

from collections.abc import Iterable, Iterator
from typing import Any

from windrow.algebra.monoid import Monoid
from windrow.approximate.layout import Bucket
from windrow.structures.amta import Amta

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

    def empty(self) -> None:
        """Let go of all, and number those to come anew."""
        self._clear()
        self._all = None

    def leaves(self) -> Iterator[Bucket]:
        """One by one, the oldest first."""
        for number in range(self._evicted, self._inserted):
            yield self.node(0, number)

    def node(self, level: int, index: int) -> Bucket:
        """The buckets [index << level, (index + 1) << level) as one."""
        found: Bucket = self._levels.node(level, index)
        return found

    def add(self, bucket: Bucket) -> None:
        """Append one, the newest."""
        self._insert(bucket)
        self._all = None

    def total(self) -> Bucket:
        """All of them as one; the same object until they change."""
        if self._all is None:
            self._all = self._total()
        return self._all

    def evict_to(self, number: int) -> None:
        """Let go of those before this number."""
        if number > self._evicted:
            self._evict(number - self._evicted)
            self._all = None

    def halve(self) -> Bucket:
        """Make one of each two; the number of the oldest is even.  A last one is given back, alone.

        The level of leaves goes, and what were pairs are leaves: O(log n) combines.
        """
        alone: Bucket = self._identity
        if self._inserted & 1:
            self._inserted -= 1
            alone = self.node(0, self._inserted)
        self._levels.drop_leaves()
        self._evicted >>= 1
        self._inserted >>= 1
        self._rebuild_front(self._evicted)
        self._all = None
        return alone
