"""A window of numbers in pages: compiled code on the nodes at hand, and the traffic of the others.

# invariant: pages before `_emitted[level]` have been written; those of the tail from the last
# written one on are at hand, and so are those that evictions before `safe` look at
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from windrow.algebra.aggregate import Aggregation
from windrow.compiler.kernel import Kernel
from windrow.kernels import pages as at
from windrow.kernels.forest import EVICTED, INSERTED
from windrow.kernels.operator import Operator
from windrow.kernels.pages import Paging, paged_nodes
from windrow.paged.checks import require
from windrow.paged.memory import PageMemory, require_fixed
from windrow.paged.page_store import LevelPage, PageStore
from windrow.structures.compiled_amta import CompiledAmta
from windrow.windows import Policy

__all__ = ["PagedNumbers"]

_FIRST_LEVELS, _MORE_LEVELS = 14, 4
_SIZES = struct.Struct("<III")  # of a head: bytes of its cells, newest updates, levels


class PagedNumbers(CompiledAmta):
    """The protocol of `CompiledAmta` over pages of a page store."""

    def __init__(
        self,
        monoid: Aggregation,
        policy: Policy | None,
        dtypes: tuple[Any, ...] | None,
        paging: Paging,
        open_page_store: Callable[[str], PageStore],
    ) -> None:
        self._paging: Paging = paging
        self._page = paging.page
        self._open_page_store = open_page_store
        super().__init__(monoid, policy, dtypes)

    def _begin(self) -> None:
        self._page_store = self._open_page_store(f"{self._description}, pages of {self._page}")
        self._refill = _refill_kernel(self._operator, self._paging)
        self._deleted: dict[int, int] = {}  # pages before it are gone from the store
        self._emitted: dict[int, int] = {}  # pages before it have been given to the page store
        self._next_between = 0
        self._known = self._left = 0  # updates with the last head, and evictions since then
        self._move_into(self._empty_memory(_FIRST_LEVELS))
        self._steps.reset(self._address)
        head = self._page_store.head()
        if head is not None:
            with self._page_store.reading("the head"):
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
        if not self._memory.directory(at.MISSED):
            self._turn_pages()
            return
        level, page = (
            self._memory.directory(at.MISSED_LEVEL),
            self._memory.directory(at.MISSED_PAGE),
        )
        # First, as the page may not come: whoever still wants it then misses it again.
        self._memory.set_directory(at.MISSED, 0)
        if level >= 0:
            self._bring_between(LevelPage(level, page))
        else:
            self._bring_head(page)

    def _turn_pages(self) -> None:
        """Write full pages, and make room for new ones in the tail."""
        if len(self) >= 1 << (self._levels - 2):
            self._move_into(self._memory.grown(self._levels + _MORE_LEVELS))
        if self._since_head:
            self._commit()
        self._page_store.queue.admit(self._since_head)
        self._open_tail()

    @property
    def _since_head(self) -> int:
        """How many changes have not been sent to the store."""
        return self.inserted - self._known + self._left

    @property
    def _allowance(self) -> int:
        """How many more of them there may be before the next head."""
        most = self._page_store.queue.between_heads(at.TAIL * self._page)
        return min(most - self._since_head, self._page_store.queue.room(self._since_head))

    def _make_known(self) -> None:
        """Send a head to the store after a limited number of changes, before updates leave."""
        self._page_store.queue.hear()
        if self._allowance <= 0:
            self._turn_pages()
        self._left += 1
        self._memory.set_directory(at.LIMIT, self._memory.directory(at.LIMIT) - 1)

    def _commit(self) -> None:
        """Write all full pages, and the head that goes with them."""
        self._emit()
        dead = self._dead()
        self._page_store.commit(self._head(), dead, self._since_head)
        self._deleted.update({level: end for level, _, end in dead})
        self._known, self._left = self.inserted, 0

    def _emit(self) -> None:
        """Give full pages that are not dead to the page store."""
        page = self._page
        for level in range(self._levels):
            full = (self.inserted >> level) // page
            first = max(self._emitted.get(level, 0), self._first_alive(level) // page)
            for number in range(first, full):
                cell = self._memory.layout.tail(level, number)
                self._page_store.write(LevelPage(level, number), self._memory.contents(cell, page))
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
        limit = min((newest + at.TAIL) * page, most, self.inserted + self._allowance)
        self._memory.set_directory(at.LIMIT, limit)

    def _move_tail(self, level: int, first: int) -> None:
        """Begin the tail of a level at a page; what evictions may still look at moves over."""
        page, layout = self._page, self._memory.layout
        before = self._memory.of_level(level, at.TAIL_FROM) // page
        head_end = self._memory.of_level(level, at.HEAD_END) // page
        head_from = self._memory.of_level(level, at.HEAD_FROM) // page
        for number in range(max(before, head_from), min(first, head_end)):
            self._memory.copy(layout.tail(level, number), layout.head(level, number))
        self._memory.set_of_level(level, at.TAIL_FROM, first * page)

    def _bring_head(self, position: int) -> None:
        """Bring the pages that evictions from `position` on look at, a few pages ahead."""
        page, layout = self._page, self._memory.layout
        follows = position <= self._memory.directory(at.SAFE) + page
        safe = self._safe_from(position)
        wanted = self._head_places(position)
        for place, contents in self._read(wanted):
            self._memory.put_contents(layout.head(*place), contents)
        for level in range(self._levels):
            first, end = self._head_span(level, position)
            self._memory.set_of_level(level, at.HEAD_FROM, first * page)
            self._memory.set_of_level(level, at.HEAD_END, end * page)
        self._memory.set_directory(at.SAFE, safe)
        if follows:  # evictions go on from page to page
            self._page_store.expect(self._head_places(safe))

    def _read(self, places: Sequence[LevelPage]) -> list[tuple[LevelPage, bytes]]:
        """Pages from the page store; compiled code reads them as they are."""
        size = self._memory.size_of(self._page)
        found = list(zip(places, self._page_store.read(places), strict=True))
        for place, contents in found:
            with self._page_store.reading(f"page {place.number} of level {place.level}"):
                require(len(contents) == size, f"it has {len(contents)} bytes in place of {size}")
        return found

    def _safe_from(self, position: int) -> int:
        """Where evictions need new pages, if those from `position` on are at hand."""
        return (position // self._page + self._paging.head - 1) * self._page - 1

    def _head_span(self, level: int, position: int) -> tuple[int, int]:
        """The pages of a level that evictions from `position` on look at until they need others."""
        last = (self._safe_from(position) - 1) >> level
        return (position >> level) // self._page, (last + 1) // self._page + 1

    def _head_places(self, position: int) -> list[LevelPage]:
        """Those of them that lie in the store, and are not at hand."""
        page = self._page
        wanted: list[LevelPage] = []
        for level in range(self._levels):
            first, end = self._head_span(level, position)
            tail = self._memory.of_level(level, at.TAIL_FROM) // page
            known_from = self._memory.of_level(level, at.HEAD_FROM) // page
            known_end = self._memory.of_level(level, at.HEAD_END) // page
            written = min(end, tail, self._emitted.get(level, 0))
            wanted += [
                LevelPage(level, number)
                for number in range(max(first, self._first_alive(level) // page), written)
                if not known_from <= number < known_end
            ]
        return wanted

    def _bring_between(self, place: LevelPage) -> None:
        """Bring a page that a search looked at; the oldest brought gives way."""
        ((_, contents),) = self._read([place])
        slot = self._next_between % at.BETWEEN
        self._next_between += 1
        self._memory.put_contents(self._memory.layout.between(place.level, slot), contents)
        self._memory.set_of_level(place.level, at.BETWEEN_PAGES + slot, place.number)

    # Recovery --------------------------------------------------------------------------------

    def _head(self) -> bytes:
        """Counters, front, back and stack, and the newest updates that fill no page yet."""
        page = self._page
        begun = self.inserted % page
        fixed = self._cells[: self._memory.layout.first].tobytes()
        newest = self._memory.contents(self._memory.layout.tail(0, self.inserted // page), begun)
        gone = [self._deleted.get(level, 0) for level in range(self._levels)]
        sizes = _SIZES.pack(len(fixed), begun, len(gone))
        return sizes + fixed + newest + struct.pack(f"<{len(gone)}q", *gone)

    def _resume(self, head: bytes) -> None:
        """Go on where a head was written; nothing in it is believed before it is checked."""
        length, begun, levels = _SIZES.unpack_from(head)
        cells, nodes = self._memory.layout.first, self._memory.size_of(begun)
        most = at.MOST_LEVELS - _MORE_LEVELS
        require(_FIRST_LEVELS <= levels <= most, f"it has {levels} levels")
        require(
            length == 8 * cells and len(head) == _SIZES.size + length + nodes + 8 * levels,
            f"it has {len(head)} bytes",
        )
        fixed = np.frombuffer(head, np.int64, cells, _SIZES.size)
        require_fixed(fixed, levels, self._page, begun)
        self._move_into(self._empty_memory(levels))
        self._cells[:cells] = fixed
        gone_at = len(head) - 8 * levels
        self._deleted = dict(enumerate(struct.unpack_from(f"<{levels}q", head, gone_at)))
        for level, end in self._deleted.items():
            require(
                0 <= end <= max(self._first_alive(level), 0) // self._page,
                f"pages before {end} of level {level} are gone",
            )
        newest = head[_SIZES.size + length : gone_at]
        self._memory.put_contents(self._memory.layout.tail(0, self.inserted // self._page), newest)
        self._known = self.inserted
        self._resume_tails()

    def _resume_tails(self) -> None:
        """The newest full page of each level comes from the store, what follows from below it."""
        page = self._page
        full = {level: (self.inserted >> level) // page for level in range(self._levels)}
        wanted = [
            LevelPage(level, count - 1)
            for level, count in full.items()
            if self._first_alive(level) < count * page and count
        ]
        for place, contents in self._read(wanted):
            self._memory.put_contents(self._memory.layout.tail(*place), contents)
        for level, count in full.items():
            self._emitted[level] = count
            self._memory.set_of_level(level, at.TAIL_FROM, max(count - 1, 0) * page)
            first = max(self._first_alive(level), count * page)
            if level and first < self.inserted >> level:
                self._refill(self._address, level, first, self.inserted >> level)

    # For the owner ---------------------------------------------------------------------------

    def advance(self, *columns: ArrayLike) -> Any:
        """For each update: insert it, evict the oldest and query; an array of the results."""
        self._page_store.queue.hear()
        return super().advance(*columns)

    def evict(self, count: int = 1) -> None:
        """Remove the oldest `count` updates in one operation."""
        self._make_known()
        super().evict(count)

    def slide(self) -> int:
        """Enforce the slide policy: evict all that must go, and say how many went."""
        self._make_known()
        return super().slide()

    def _extend(self, columns: Any, masks: Any) -> None:
        self._page_store.queue.hear()
        super()._extend(columns, masks)

    def flush(self) -> None:
        """Have all that has happened so far in the store."""
        self._commit()
        self._page_store.queue.flush()

    def close(self) -> None:
        """Let go of the store."""
        self._page_store.close()


def _refill_kernel(operator: Operator, paging: Paging) -> Any:
    """The nodes [first, end) of a level, again from those below."""
    nodes, combine = paged_nodes(operator, paging), operator.combine
    get, put = nodes.get, nodes.put

    def refill(forest: Any, level: Any, first: Any, end: Any) -> None:
        for index in range(first, end):
            older = get(forest, level - 1, 2 * index)
            put(forest, level, index, combine(older, get(forest, level - 1, 2 * index + 1)))

    return Kernel(refill)
