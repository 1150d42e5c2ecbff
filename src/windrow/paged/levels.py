"""The nodes of a forest in pages of any states: the newest at hand, others read when needed.

Where leaves are dropped, pairs become the leaves with the numbers that they have: no page moves.
So the page store knows levels by places of their own, in a circle that `base` goes round, one step
for each level that was dropped from below.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from windrow.paged.checks import PLACES, require, require_counts
from windrow.paged.page_store import LevelPage, PageStore

__all__ = ["PagedLevels", "Pages"]

# Pages [first, end) of a level, as the page store knows it.
Pages: TypeAlias = tuple[int, int, int]

# Levels that may be dropped before the page store hears of it.  One operation drops no more than
# there are, 64, and as many are in use: places come round again only when their pages are gone.
_DROPPED_UNHEARD = 64


class PagedLevels:
    """What `Amta` asks of its levels, over the pages of a page store."""

    def __init__(
        self,
        page_store: PageStore,
        page: int,
        cached_pages: int,
        encode: Callable[[Sequence[Any]], bytes],
        decode: Callable[[bytes], list[Any]],
    ) -> None:
        self._page_store, self._page = page_store, page
        self._encode, self._decode = encode, decode
        self._most = cached_pages
        # invariant: of each level the page that fills, and the full one before it
        self._tails: list[dict[int, list[Any]]] = []
        self._cached: OrderedDict[LevelPage, list[Any]] = OrderedDict()
        self.base = self._heard_base = 0  # where the leaves are: now, and at the last head
        # By the places of levels:
        self.emitted: dict[int, int] = {}  # pages before it have been given to the page store
        self._deleted: dict[int, int] = {}  # pages before it are gone from the store
        self._newest_read: dict[int, int] = {}  # the page of each level that was read last
        self._ahead: dict[int, LevelPage] = {}  # and the one that is expected next
        self._dropped: list[Pages] = []  # of levels that are not there any more

    def _at(self, level: int) -> int:
        """Where the page store has a level."""
        return (self.base + level) % PLACES

    def _level_at(self, place: int) -> int:
        """The level that is there."""
        return (place - self.base) % PLACES

    def node(self, level: int, index: int) -> Any:
        """The aggregate of updates [index << level, (index + 1) << level)."""
        number, at = divmod(index, self._page)
        tail = self._tails[level].get(number) if level < len(self._tails) else None
        return (self._read(LevelPage(self._at(level), number)) if tail is None else tail)[at]

    def block(self, start: int, end: int) -> Any:
        """The aggregate of an aligned block of 2^l updates."""
        level = (end - start).bit_length() - 1
        return self.node(level, start >> level)

    def put(self, level: int, index: int, state: Any, oldest: int) -> None:
        """Set the newest node of a level whose nodes before `oldest` are not needed any more."""
        while level >= len(self._tails):
            self._tails.append({})
        number, at = divmod(index, self._page)
        tail = self._tails[level]
        nodes = tail.get(number)
        if nodes is None:
            nodes = tail[number] = []
            for old in [n for n in tail if n < number - 1]:
                del tail[old]
        nodes += [None] * (at - len(nodes))  # dead ones: the window began after them
        nodes[at:] = [state]  # what an operation left there that failed is no part of the window
        if at == self._page - 1:
            place = self._at(level)
            self._page_store.write(LevelPage(place, number), self._encode(nodes))
            self.emitted[place] = number + 1

    def trim(self, height: int) -> None:
        """Let go of the levels from `height` on, whose nodes are not needed any more."""
        del self._tails[height:]

    def drop_leaves(self) -> None:
        """Make pairs the leaves, with half the numbers."""
        self._drop(1)

    def drop_all(self) -> None:
        """Start again, with levels in unused places."""
        emitted = (self._level_at(place) + 1 for place in self.emitted)
        self._drop(max(len(self._tails), *emitted, 0))

    def _drop(self, count: int) -> None:
        for place in map(self._at, range(count)):
            emitted = self.emitted.pop(place, 0)
            self._dropped.append((place, self._deleted.get(place, 0), emitted))
            self._newest_read.pop(place, None)
            if self._ahead.pop(place, None) is not None:
                self._page_store.expect(list(self._ahead.values()))  # others will be in its place
            for page in [page for page in self._cached if page.level == place]:
                del self._cached[page]
        del self._tails[:count]
        self.base = self._at(count)

    def at_hand(self) -> tuple[Any, ...]:
        """The newest pages of all levels, and where these are; see `go_back`."""
        return list(self._tails), self.base, dict(self.emitted), list(self._dropped)

    def go_back(self, before: tuple[Any, ...]) -> None:
        """Have levels again that were let go of since."""
        self._tails, self.base, self.emitted, self._dropped = before

    def has(self, level: int, first: int, end: int) -> bool:
        """Whether these nodes are among the newest pages."""
        tail = self._tails[level] if level < len(self._tails) else {}
        return all(n in tail for n in range(first // self._page, -(-end // self._page)))

    @property
    def must_be_heard(self) -> bool:
        """Whether a head must be written before more levels are dropped."""
        return (self.base - self._heard_base) % PLACES >= _DROPPED_UNHEARD

    def dead(self, evicted: int) -> list[Pages]:
        """Spans of pages that hold no node of the window any more, and are still there."""
        spans = [span for span in self._dropped if span[1] < span[2]]
        for place, emitted in self.emitted.items():
            first = self._deleted.get(place, 0)
            end = min((-(-evicted >> self._level_at(place))) // self._page, emitted)
            if first < end:
                spans.append((place, first, end))
        return spans

    def deleted(self, dead: Sequence[Pages]) -> dict[int, int]:
        """Which pages of each level are gone with these."""
        gone = {**self._deleted, **{place: end for place, _, end in dead}}
        dropped = {place for place, _, _ in self._dropped}
        return {place: end for place, end in gone.items() if place not in dropped}

    def forget(self, dead: Sequence[Pages]) -> None:
        """The page store has heard that these are dead."""
        self._deleted = self.deleted(dead)
        self._dropped = []
        self._heard_base = self.base

    def newest(self, inserted: int) -> list[Any]:
        """The updates that fill no page yet."""
        if not self._tails:
            return []
        number, count = divmod(inserted, self._page)
        return self._tails[0].get(number, [])[:count]

    def resume(
        self,
        evicted: int,
        inserted: int,
        newest: Sequence[Any],
        deleted: dict[int, int],
        combine: Callable[[Any, Any], Any],
    ) -> None:
        """Read the newest full page of each level; what follows comes from the level below."""
        page = self._page
        self._deleted = require_counts(deleted)
        self._heard_base = self.base
        levels = (inserted - evicted).bit_length()
        self._tails = [{} for _ in range(levels)]
        full = [(inserted >> level) // page for level in range(levels)]
        wanted = [
            LevelPage(self._at(level), count - 1)
            for level, count in enumerate(full)
            if -(-evicted >> level) < count * page
        ]
        for place, nodes in zip(wanted, self._nodes(wanted), strict=True):
            self._tails[self._level_at(place.level)][place.number] = nodes
        for level, count in enumerate(full):
            self.emitted[self._at(level)] = count
            first, end = count * page, inserted >> level
            if level == 0:
                nodes = list(newest)
            else:
                alive = max(-(-evicted >> level), first)
                nodes = [None] * (min(alive, end) - first) + [
                    combine(self.node(level - 1, 2 * i), self.node(level - 1, 2 * i + 1))
                    for i in range(alive, end)
                ]
            if nodes:
                self._tails[level][count] = nodes

    def _read(self, place: LevelPage) -> list[Any]:
        found = self._cached.get(place)
        if found is None:
            (nodes,) = self._nodes([place])
            found = self._cached[place] = nodes
            self._look_ahead(place)
            if len(self._cached) > self._most * max(len(self._tails), 1):
                self._cached.popitem(last=False)
        else:
            self._cached.move_to_end(place)
        return found

    def _nodes(self, places: Sequence[LevelPage]) -> list[list[Any]]:
        """The nodes of pages, each with as many as a page has."""
        read = []
        for place, contents in zip(places, self._page_store.read(places), strict=True):
            with self._page_store.reading(f"page {place.number} of level {place.level}"):
                nodes = self._decode(contents)
                require(len(nodes) == self._page, f"it has {len(nodes)} nodes")
                read.append(nodes)
        return read

    def _look_ahead(self, place: LevelPage) -> None:
        """Where evictions go on from page to page, have the next one brought."""
        at, number = place
        level = self._level_at(at)
        follows = self._newest_read.get(at) == number - 1
        self._newest_read[at] = number
        tail = self._tails[level] if level < len(self._tails) else {}
        if follows and number + 1 < self.emitted.get(at, 0) and number + 1 not in tail:
            self._ahead[at] = LevelPage(at, number + 1)
        else:
            self._ahead.pop(at, None)
        self._page_store.expect(list(self._ahead.values()))
