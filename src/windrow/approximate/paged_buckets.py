"""Buckets in pages of a store, with a smaller copy in memory while the store is unreachable."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from windrow.algebra.codec import decode, encode
from windrow.algebra.monoid import Codec, Monoid
from windrow.approximate.buckets import Buckets
from windrow.approximate.layout import Bucket
from windrow.paged.checks import require_counts
from windrow.paged.levels import Pages
from windrow.paged.objects import PagedObjects
from windrow.paged.page_store import PageStore
from windrow.structures.amta import Amta

__all__ = ["PagedBuckets"]


class PagedBuckets(Buckets, PagedObjects):
    """Whole buckets in pages; the window says when heads are written, and adds its own counters.

    The newest pages of each level are at hand, so what is missing at home is what lies before
    them.  The blocks that the front is made of, and the first node of each level behind it, are
    remembered for that: with these, pieces that are at hand always make up all there is.
    """

    #: The window's counters in the newest head, and the buckets it holds itself; None if new.
    resumed: tuple[Any, Sequence[Bucket]] | None = None

    def __init__(
        self,
        monoid: Monoid[Any, Any],
        page: int,
        cached_pages: int,
        codec: Codec,
        open_page_store: Callable[[str], PageStore],
    ) -> None:
        # invariant: the blocks of the front by their starts, from `evicted` up to `split`
        self._in_front: dict[int, Bucket] = {}
        # invariant: of each level the first node that starts at `split` or behind it, if any
        self._behind_split: dict[int, Bucket] = {}
        self._head_content: tuple[Any, Sequence[Bucket]] = None, ()
        super().__init__(monoid, None, page, cached_pages, codec, open_page_store)

    def keep(self, counters: Any, buckets: Sequence[Bucket], changes: int) -> None:
        """Send a head that tells plain values too, and buckets that are not among these.

        `changes` is how many changes of the window it makes durable.
        """
        self._head_content = counters, buckets
        self._since_head = changes
        self._commit()

    def must_be_kept(self, changes: int) -> bool:
        """Whether a head must be written before the next operation."""
        most = self.page_store.queue.between_heads(self._page)
        return changes >= most or self._paged.must_be_heard

    def require_keepable(self, bucket: Bucket) -> None:
        """Refuse a bucket that cannot be written."""
        self._encode([bucket])

    def empty(self) -> None:
        Amta._clear(self)
        self._levels = self._paged
        self._paged.drop_all()
        self._in_front, self._behind_split = {}, {}
        self._all = None

    def refill(self, buckets: Iterable[Bucket]) -> None:
        """Have these in place of all others."""
        self.empty()
        for bucket in buckets:
            self.add(bucket)

    def mark(self) -> tuple[Any, ...]:
        """How things are now; see `go_back`."""
        return self._all, dict(self._in_front), dict(self._behind_split), super().mark()

    def go_back(self, before: tuple[Any, ...]) -> None:
        """Let nothing have happened since a mark, which is used up by that."""
        self._all, self._in_front, self._behind_split, rest = before
        super().go_back(rest)

    def at_home(self) -> list[Bucket]:
        """All as one row of buckets, larger where their parts are in the store alone.

        Whole nodes are of the lowest level that has all of its own at hand.  No block of the front
        reaches over the start of the first of them: it would begin with a node of that level.
        """
        evicted, split, inserted = self._evicted, self._split, self._inserted
        if evicted == inserted:
            return []
        level = next(
            level
            for level in range((inserted - evicted).bit_length())
            if self._paged.has(level, -(-evicted >> level), inserted >> level)
        )
        first, end = -(-evicted >> level), inserted >> level
        start = first << level
        row = [self._in_front[at] for at in sorted(self._in_front) if at < start]
        at = split
        for lower in range(level):
            if at < start and at >> lower & 1:
                row.append(self._behind_split[lower])
                at += 1 << lower
        node = self._paged.node
        row += [node(level, number) for number in range(first, end)]
        for lower in reversed(range(level)):
            if inserted >> lower & 1:
                row.append(node(lower, (inserted >> lower) - 1))
        return row

    def _insert(self, state: Any) -> None:
        number, level = self._inserted, 0
        super()._insert(state)
        while number << level >= self._split:  # for each node that came with it
            if number - 1 << level < self._split:
                self._behind_split[level] = self._paged.node(level, number)
            if not number & 1:
                break
            number >>= 1
            level += 1

    def _evict(self, count: int) -> None:
        super()._evict(count)
        start = self._evicted
        self._in_front = {at: block for at, block in self._in_front.items() if at >= start}

    def _rebuild_front(self, position: int) -> None:
        self._in_front, self._behind_split = {}, {}
        super()._rebuild_front(position)

    def _joined(self, start: int, end: int, after: Any) -> Any:
        self._in_front[start] = self._block(start, end)
        return super()._joined(start, end, after)

    def _make_known(self) -> None:
        """A head is written between operations of the window, of which this is but a part."""

    def _head(self, dead: list[Pages]) -> bytes:
        counters, buckets = self._head_content
        emitted = self._paged.emitted
        places = list(self._in_front), list(self._behind_split), self._paged.base, emitted
        pieces = [*self._in_front.values(), *self._behind_split.values(), *buckets]
        return encode((counters, places, self._encode(pieces), super()._head(dead)))

    def _resume(self, head: bytes) -> None:
        counters, places, pieces, rest = decode(head)
        in_front, behind_split, base, emitted = places
        self._paged.emitted = require_counts(emitted)
        (self._paged.base,) = require_counts({base: 0})
        super()._resume(rest)
        buckets = iter(self._decode(pieces))
        self._in_front = dict(zip(in_front, buckets, strict=False))
        self._behind_split = dict(zip(behind_split, buckets, strict=False))
        self.resumed = counters, list(buckets)
