"""A window of numbers in pages: compiled code on the nodes at hand, and the traffic of the others.

# invariant: pages before `_emitted[level]` have been written; those of the tail from the last
# written one on are at hand, and so are those that evictions before `safe` look at
"""

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from windrow.aggregators.compiled_amta import CompiledAmta
from windrow.aggregators.kernels.compile import kernel
from windrow.aggregators.kernels.forest import EVICTED, INSERTED, require_cells
from windrow.aggregators.kernels.operator import Operator
from windrow.aggregators.kernels.pages import (
    BETWEEN,
    BETWEEN_PAGES,
    HEAD_END,
    HEAD_FROM,
    LIMIT,
    MISSED,
    MISSED_LEVEL,
    MISSED_PAGE,
    MOST_LEVELS,
    SAFE,
    TAIL,
    TAIL_FROM,
    Paging,
    paged_nodes,
)
from windrow.aggregators.paged.book import Book, Place
from windrow.aggregators.paged.memory import PageMemory
from windrow.algebra.aggregate import Aggregation
from windrow.errors import DamagedPageError
from windrow.windows import Policy

__all__ = ["PagedNumbers"]

_FIRST_LEVELS = 14


class PagedNumbers(CompiledAmta):
    """The protocol of `CompiledAmta` over pages of a book."""

    def __init__(
        self,
        monoid: Aggregation,
        policy: Policy | None,
        dtypes: tuple[Any, ...] | None,
        paging: Paging,
        open_book: Callable[[str], Book],
    ) -> None:
        self._paging: Paging = paging
        self._page = paging.page
        self._open_book = open_book
        super().__init__(monoid, policy, dtypes)

    def _begin(self) -> None:
        self._book = self._open_book(f"{self._description}, pages of {self._page}")
        self._refill = _refill_kernel(self._operator, self._paging)
        self._deleted: dict[int, int] = {}  # pages before it are gone from the store
        self._emitted: dict[int, int] = {}  # pages before it have been given to the book
        self._next_between = 0
        self._move_into(self._empty_memory(_FIRST_LEVELS))
        self._steps.reset(self._address)
        head = self._book.head()
        if head is not None:
            self._resume(head)
        self._open_tail()

    # What is where ---------------------------------------------------------------------------

    def _move_into(self, memory: PageMemory) -> None:
        """Work in this memory from now on."""
        self._memory = memory
        self._hold(memory.cells)

    def _empty_memory(self, levels: int) -> PageMemory:
        return PageMemory(self._operator, self._paging, levels)

    @property
    def _levels(self) -> int:
        return self._memory.layout.levels

    @property
    def inserted(self) -> int:
        """How many updates the window has ever taken."""
        return self._cells.item(INSERTED)

    @property
    def evicted(self) -> int:
        """How many updates have left it."""
        return self._cells.item(EVICTED)

    def _first_alive(self, level: int) -> int:
        """The oldest node of a level that lies in the window as a whole."""
        return -(-self.evicted >> level)

    # Serving compiled code -------------------------------------------------------------------

    def _serve(self) -> None:
        if not self._memory.directory(MISSED):
            self._turn_pages()
            return
        level, page = self._memory.directory(MISSED_LEVEL), self._memory.directory(MISSED_PAGE)
        # First, as the page may not come: whoever still wants it then misses it again.
        self._memory.set_directory(MISSED, 0)
        if level >= 0:
            self._bring_between(Place(level, page))
        else:
            self._bring_head(page)

    def _turn_pages(self) -> None:
        """Write full pages, and make room for new ones in the tail."""
        if len(self) >= 1 << (self._levels - 2):
            self._move_into(self._memory.grown(self._levels + 4))
        self._commit()
        self._open_tail()

    def _commit(self) -> None:
        """Write all full pages, and the head that goes with them."""
        self._emit()
        dead = self._dead()
        self._book.commit(self._head(), dead)
        self._deleted.update({level: end for level, _, end in dead})

    def _emit(self) -> None:
        """Give full pages that are not dead to the book."""
        page = self._page
        for level in range(self._levels):
            full = (self.inserted >> level) // page
            first = max(self._emitted.get(level, 0), self._first_alive(level) // page)
            for number in range(first, full):
                cell = self._memory.layout.tail(level, number)
                self._book.write(Place(level, number), self._memory.contents(cell, page))
            self._emitted[level] = full

    def _dead(self) -> list[tuple[int, int, int]]:
        """The pages of each level that no eviction will look at again, and are still there."""
        spans = []
        for level in range(self._levels):
            end = min(self._first_alive(level) // self._page, self._emitted.get(level, 0))
            first = self._deleted.get(level, 0)
            if first < end:
                spans.append((level, first, end))
        return spans

    def _open_tail(self) -> None:
        """The newest full page of each level and what follows are the tail from now on."""
        page = self._page
        for level in range(self._levels):
            full = (self.inserted >> level) // page
            self._move_tail(level, max(full - 1, 0))
        newest = max(self.inserted // page - 1, 0)
        most = self.evicted + (1 << (self._levels - 1)) - 1
        self._memory.set_directory(LIMIT, min((newest + TAIL) * page, most))

    def _move_tail(self, level: int, first: int) -> None:
        """Begin the tail of a level at a page; what evictions may still look at moves over."""
        page, layout = self._page, self._memory.layout
        before = self._memory.of_level(level, TAIL_FROM) // page
        head_end = self._memory.of_level(level, HEAD_END) // page
        head_from = self._memory.of_level(level, HEAD_FROM) // page
        for number in range(max(before, head_from), min(first, head_end)):
            self._memory.copy(layout.tail(level, number), layout.head(level, number))
        self._memory.set_of_level(level, TAIL_FROM, first * page)

    def _bring_head(self, position: int) -> None:
        """Bring the pages that evictions from `position` on look at, a few pages ahead."""
        page, layout = self._page, self._memory.layout
        follows = position <= self._memory.directory(SAFE) + page
        safe = self._safe_from(position)
        wanted = self._head_places(position)
        for place, contents in zip(wanted, self._book.read(wanted), strict=True):
            self._memory.put_contents(layout.head(*place), contents, page)
        for level in range(self._levels):
            first, end = self._head_span(level, position)
            self._memory.set_of_level(level, HEAD_FROM, first * page)
            self._memory.set_of_level(level, HEAD_END, end * page)
        self._memory.set_directory(SAFE, safe)
        if follows:  # evictions go on from page to page
            self._book.expect(self._head_places(safe))

    def _safe_from(self, position: int) -> int:
        """Where evictions need new pages, if those from `position` on are at hand."""
        return (position // self._page + self._paging.head - 1) * self._page - 1

    def _head_span(self, level: int, position: int) -> tuple[int, int]:
        """The pages of a level that evictions from `position` on look at until they need others."""
        last = (self._safe_from(position) - 1) >> level
        return (position >> level) // self._page, (last + 1) // self._page + 1

    def _head_places(self, position: int) -> list[Place]:
        """Those of them that lie in the store, and are not at hand."""
        page = self._page
        wanted: list[Place] = []
        for level in range(self._levels):
            first, end = self._head_span(level, position)
            tail = self._memory.of_level(level, TAIL_FROM) // page
            known_from = self._memory.of_level(level, HEAD_FROM) // page
            known_end = self._memory.of_level(level, HEAD_END) // page
            written = min(end, tail, self._emitted.get(level, 0))
            wanted += [
                Place(level, number)
                for number in range(max(first, self._first_alive(level) // page), written)
                if not known_from <= number < known_end
            ]
        return wanted

    def _bring_between(self, place: Place) -> None:
        """Bring a page that a search looked at; the oldest brought gives way."""
        (contents,) = self._book.read([place])
        number = self._next_between % BETWEEN
        slot = place.level, number
        self._next_between += 1
        self._memory.put_contents(self._memory.layout.between(*slot), contents, self._page)
        self._memory.set_of_level(place.level, BETWEEN_PAGES + number, place.number)

    # Recovery --------------------------------------------------------------------------------

    def _head(self) -> bytes:
        """Counters, front, back and stack, and the newest updates that fill no page yet."""
        page = self._page
        begun = self.inserted % page
        fixed = self._cells[: self._memory.layout.first].tobytes()
        newest = self._memory.contents(self._memory.layout.tail(0, self.inserted // page), begun)
        gone = [self._deleted.get(level, 0) for level in range(self._levels)]
        sizes = struct.pack("<III", len(fixed), begun, len(gone))
        return sizes + fixed + newest + struct.pack(f"<{len(gone)}q", *gone)

    def _resume(self, head: bytes) -> None:
        """Go on where a head was written."""
        try:
            newest = self._read_head(head)
        except (ValueError, struct.error) as reason:
            raise DamagedPageError(
                f"the head of a window of {self._description} is not what was written ({reason}); "
                "restore the store from a copy"
            ) from None
        begun = self._memory.layout.tail(0, self.inserted // self._page)
        self._memory.put_contents(begun, newest, self.inserted % self._page)
        self._resume_tails()

    def _read_head(self, head: bytes) -> bytes:
        """Take over the counters of a head, which must be a window's; the newest updates.

        Compiled code reads and writes where these say.
        """
        length, _, levels = struct.unpack_from("<III", head)
        if not _FIRST_LEVELS <= levels <= MOST_LEVELS:
            raise ValueError(f"{levels} levels")
        empty = self._empty_memory(levels)
        gone_at = len(head) - 8 * levels
        if length != 8 * empty.layout.first or gone_at < 12 + length:
            raise ValueError(f"{length} bytes of counters, {len(head)} in all")
        fixed = np.frombuffer(head, np.int64, length // 8, 12)
        require_cells(fixed, levels)
        self._move_into(empty)
        self._cells[: empty.layout.first] = fixed
        gone = struct.unpack_from(f"<{levels}q", head, gone_at)
        self._deleted = dict(enumerate(gone))
        return head[12 + length : gone_at]

    def _resume_tails(self) -> None:
        """The newest full page of each level comes from the store, what follows from below it."""
        page = self._page
        full = {level: (self.inserted >> level) // page for level in range(self._levels)}
        wanted = [
            Place(level, count - 1)
            for level, count in full.items()
            if self._first_alive(level) < count * page and count
        ]
        for place, contents in zip(wanted, self._book.read(wanted), strict=True):
            self._memory.put_contents(self._memory.layout.tail(*place), contents, page)
        for level, count in full.items():
            self._emitted[level] = count
            self._memory.set_of_level(level, TAIL_FROM, max(count - 1, 0) * page)
            first = max(self._first_alive(level), count * page)
            if level and first < self.inserted >> level:
                self._refill(self._address, level, first, self.inserted >> level)

    # For the owner ---------------------------------------------------------------------------

    def flush(self) -> None:
        """Have all that has happened so far in the store."""
        self._commit()
        self._book.flush()

    def close(self) -> None:
        """Let go of the store."""
        self._book.close()


def _refill_kernel(operator: Operator, paging: Paging) -> Any:
    """The nodes [first, end) of a level, again from those below."""
    nodes, combine = paged_nodes(operator, paging), operator.combine
    get, put = nodes.get, nodes.put

    def refill(forest: Any, level: Any, first: Any, end: Any) -> None:
        for index in range(first, end):
            older = get(forest, level - 1, 2 * index)
            put(forest, level, index, combine(older, get(forest, level - 1, 2 * index + 1)))

    return kernel(refill)
