"""The nodes of a forest in pages of any states: the newest at hand, others read when needed."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from windrow.aggregators.paged.book import Book, Place

__all__ = ["PagedLevels"]


class PagedLevels:
    """What `Amta` asks of its levels, over the pages of a book."""

    def __init__(
        self,
        book: Book,
        page: int,
        cached_pages: int,
        encode: Callable[[Sequence[Any]], bytes],
        decode: Callable[[bytes], list[Any]],
    ) -> None:
        self._book, self._page = book, page
        self._encode, self._decode = encode, decode
        self._most = cached_pages
        # invariant: of each level the page that fills, and the full one before it
        self._tails: list[dict[int, list[Any]]] = []
        self._cached: OrderedDict[Place, list[Any]] = OrderedDict()
        self.deleted: dict[int, int] = {}  # pages before it are gone from the store
        self._emitted: dict[int, int] = {}  # pages before it have been given to the book
        self._newest_read: dict[int, int] = {}  # the page of each level that was read last
        self._ahead: dict[int, Place] = {}  # and the one that is expected next

    def node(self, level: int, index: int) -> Any:
        """The aggregate of updates [index << level, (index + 1) << level)."""
        number, at = divmod(index, self._page)
        tail = self._tails[level].get(number) if level < len(self._tails) else None
        return (self._read(Place(level, number)) if tail is None else tail)[at]

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
        nodes.append(state)
        if at == self._page - 1:
            self._book.write(Place(level, number), self._encode(nodes))
            self._emitted[level] = number + 1

    def trim(self, height: int) -> None:
        """Let go of the levels from `height` on, whose nodes are not needed any more."""
        del self._tails[height:]

    def at_hand(self) -> list[dict[int, list[Any]]]:
        """The newest pages of all levels; see `go_back`."""
        return list(self._tails)

    def go_back(self, tails: list[dict[int, list[Any]]]) -> None:
        """Have levels again that were let go of since."""
        self._tails = tails

    def dead(self, evicted: int) -> list[tuple[int, int, int]]:
        """Spans of pages that hold no node of the window any more, and are still there."""
        spans = []
        for level, emitted in self._emitted.items():
            first = self.deleted.get(level, 0)
            end = min((-(-evicted >> level)) // self._page, emitted)
            if first < end:
                spans.append((level, first, end))
        return spans

    def newest(self, inserted: int) -> list[Any]:
        """The updates that fill no page yet."""
        if not self._tails:
            return []
        nodes = self._tails[0].get(inserted // self._page, [])
        return list(nodes)

    def resume(
        self,
        evicted: int,
        inserted: int,
        newest: Sequence[Any],
        deleted: dict[int, int],
        combine: Callable[[Any, Any], Any],
    ) -> None:
        """The newest full page of each level comes from the book, what follows from below it."""
        page = self._page
        self.deleted = deleted
        levels = (inserted - evicted).bit_length()
        self._tails = [{} for _ in range(levels)]
        full = [(inserted >> level) // page for level in range(levels)]
        wanted = [
            Place(level, count - 1)
            for level, count in enumerate(full)
            if -(-evicted >> level) < count * page
        ]
        for place, contents in zip(wanted, self._book.read(wanted), strict=True):
            self._tails[place.level][place.number] = self._decode(contents)
        for level, count in enumerate(full):
            self._emitted[level] = count
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

    def _read(self, place: Place) -> list[Any]:
        found = self._cached.get(place)
        if found is None:
            (contents,) = self._book.read([place])
            found = self._cached[place] = self._decode(contents)
            self._look_ahead(place)
            if len(self._cached) > self._most * max(len(self._tails), 1):
                self._cached.popitem(last=False)
        else:
            self._cached.move_to_end(place)
        return found

    def _look_ahead(self, place: Place) -> None:
        """Where evictions go on from page to page, have the next one brought."""
        level, number = place
        follows = self._newest_read.get(level) == number - 1
        self._newest_read[level] = number
        tail = self._tails[level] if level < len(self._tails) else {}
        if follows and number + 1 < self._emitted.get(level, 0) and number + 1 not in tail:
            self._ahead[level] = Place(level, number + 1)
        else:
            self._ahead.pop(level, None)
        self._book.expect(list(self._ahead.values()))
