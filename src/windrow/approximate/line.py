"""Where a slide policy cuts a line of buckets, as exactly as buckets can tell.

Predicates are asked about the ends of buckets, where aggregates are known exactly: the cut lies in
one bucket.  The first update of a bucket is known by itself, so a cut on either side of it is too.
A cut is given by how many updates stay: the fewest and the most.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

from windrow.approximate.buckets import Buckets
from windrow.approximate.layout import Bucket, Layout
from windrow.structures.contents import Judge
from windrow.structures.search import Block, cut_position

__all__ = ["Line"]

Stay: TypeAlias = tuple[int, int]


class Line:
    """The oldest bucket, part of which may be gone already, those of a forest, and the newest.

    Numbers are those of the forest; the oldest has the one before, the newest the one behind.
    """

    def __init__(
        self, layout: Layout, oldest: Bucket, middle: Buckets, newest: Bucket, now: Stay
    ) -> None:
        self._layout = layout
        self._oldest, self._middle, self._newest = oldest, middle, newest
        self._now = now
        self._first = middle.start - bool(oldest.size)
        self._end = middle.end + bool(newest.size)
        self._all = oldest.size + self._after(middle.start - 1).size
        self._is_partly_gone = now[0] < self._all

    def kept(self, judge: Judge) -> Stay:
        """What `keep` leaves."""
        asked = _Keeping(judge)
        everything = self._and_after(self._first)
        if asked.keeps(everything):
            return self._now
        number = self._cut(asked, everything, self._first) - 1
        bucket, behind = self._bucket(number), self._after(number)
        but_first = bucket._replace(watched=bucket.others)
        fewest, most = behind.size, behind.size + bucket.size - 1
        has_first = number > self._first or self._now[1] == self._all
        is_cut = has_first and bucket.size > 1
        if is_cut and asked.keeps(self._layout.combine(but_first, behind)):
            fewest = most
        return min(fewest, self._now[0]), min(most, self._now[1])

    def dropped(self, judge: Judge) -> Stay:
        """What `drop` leaves.

        Of what is partly gone it is not known what predicates should see.  They are asked with all
        that may be left of it and with nothing: the answer lies in between, unless they look at all
        there was before the cut, of which nobody knows how they judge it.
        """
        asked = _Dropping(judge)
        if not self._is_partly_gone:
            return self._from(asked, self._first)
        first_is_gone = self._now[1] < self._all
        oldest = self._bucket(self._first)
        left = oldest._replace(watched=oldest.others) if first_is_gone else oldest
        fewest, most = self._from(asked, self._first, left)
        latest = self._number_with(self._now[0])
        if latest + 1 < self._end:
            without = self._from(asked, latest + 1)
            fewest, most = min(fewest, without[0]), max(most, without[1])
        else:  # it lies in the newest bucket, of which nothing is sure but its last update
            fewest = 1
        if asked.looked_before:
            fewest, most = 1, self._now[1]
        return min(fewest, self._now[0]), min(most, self._now[1])

    def _from(self, asked: "_Dropping", first: int, oldest: Bucket | None = None) -> Stay:
        """What `drop` leaves of the buckets from one on, of which the oldest may look different."""
        combine = self._layout.combine
        start = self._bucket(first) if oldest is None else oldest
        before = combine(start, self._after(first))
        number = self._cut(asked, before, first, start)
        bucket, behind = self._bucket(number), self._after(number)
        if number == first and oldest is not None:
            return behind.size + 1, behind.size + bucket.size
        if bucket.size > 1:
            prefix = self._layout.nothing
            if number > first:
                prefix = combine(start, self._middle.between(first + 1, number))
            gone = bucket._replace(watched=bucket.first)
            stays = bucket._replace(watched=bucket.others)
            if asked.condemns(combine(prefix, gone), combine(stays, behind), before):
                return behind.size + 1, behind.size + bucket.size
        return (behind.size + bucket.size,) * 2

    def _number_with(self, updates: int) -> int:
        """The number of the bucket in which the newest `updates` updates begin."""
        middle = self._middle
        gone = middle.total().size + self._newest.size - updates
        if gone < 0:
            return self._first
        return middle.after_updates(gone) if gone < middle.total().size else middle.end

    def _cut(self, judge: Any, before: Bucket, first: int, oldest: Bucket | None = None) -> int:
        """The number of the first bucket that stays."""

        def node(start: int, end: int) -> Bucket:
            if start == first and end == first + 1 and oldest is not None:
                return oldest
            return self._node(start, end)

        blocks = self._blocks(first)
        return cut_position(judge, self._layout.monoid, before, blocks, node, self._end)

    def _blocks(self, first: int) -> Iterator[Block]:
        middle = self._middle
        yield first, first + 1, self._after(first)
        covered = first + 1
        if covered == middle.start:
            for start, end, after in middle.blocks():
                yield start, end, self._layout.combine(after, self._newest)
        else:
            yield from middle.blocks_between(covered, middle.end, self._newest)
        if self._newest.size and first < middle.end:
            yield middle.end, middle.end + 1, self._layout.nothing

    def _node(self, start: int, end: int) -> Bucket:
        if start < self._middle.start:
            return self._oldest
        if start == self._middle.end:
            return self._newest
        return self._middle.between(start, end)

    def _bucket(self, number: int) -> Bucket:
        return self._node(number, number + 1)

    def _and_after(self, number: int) -> Bucket:
        return self._layout.combine(self._bucket(number), self._after(number))

    def _after(self, number: int) -> Bucket:
        """All behind a bucket."""
        middle, start = self._middle, number + 1
        if start > middle.end:
            return self._layout.nothing
        whole = start == middle.start
        inside = middle.total() if whole else middle.between(start, middle.end)
        return self._layout.combine(inside, self._newest)


class _Keeping:
    """The predicate `keep` of a policy, on buckets."""

    drops = False

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def keeps(self, window: Bucket) -> bool:
        return self._judge.keeps(("", *window.watched))

    def condemns(self, evicted: Bucket, after: Bucket, before: Bucket) -> bool:
        return False


class _Dropping:
    """The predicate `drop` of a policy, on buckets; it notes whether that looks at `before`."""

    drops = True

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.looked_before = False

    def keeps(self, window: Bucket) -> bool:
        return True

    def condemns(self, evicted: Bucket, after: Bucket, before: Bucket) -> bool:
        seen, left, both = (self._judge.view(("", *b.watched)) for b in (evicted, after, before))
        noted = _Noted(both)
        goes = self._judge.condemns_view(seen, left, noted)
        self.looked_before |= noted.was_seen
        return goes


class _Noted:
    """A view that remembers whether it was read."""

    def __init__(self, view: Any) -> None:
        self._view = view
        self.was_seen = False

    def __getattr__(self, name: str) -> Any:
        self.was_seen = True
        return getattr(self._view, name)
