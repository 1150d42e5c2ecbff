"""Where a window keeps its buckets: in memory, or in a store, with memory as the fallback.

Operations on a store happen entirely or not at all.  A head is written between operations, after a
limited number of them: a window that is reopened is in the state after some prefix of its
operations.
"""

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeVar

from windrow.algebra.monoid import Codec
from windrow.approximate.buckets import Buckets
from windrow.approximate.forest_window import WindowCode
from windrow.approximate.layout import Bucket, Layout
from windrow.approximate.method import MethodCells
from windrow.approximate.object_window import METHODS, REST, ROOM, limit_of
from windrow.approximate.packed import bucket_codec
from windrow.approximate.paged_buckets import PagedBuckets
from windrow.errors import StoreUnreachableError, WindowError
from windrow.paged.checks import require
from windrow.paged.closing import Closing
from windrow.paged.page_store import PageStore
from windrow.paged.settings import Settings
from windrow.paged.stores.base import Store
from windrow.paged.write_behind import Outage, longer_and_longer

__all__ = ["InStore"]

T = TypeVar("T")


class InStore(Closing):
    """What a window of buckets needs to keep them in a store; without one, nothing happens here."""

    _layout: Layout
    _cells: MethodCells
    _described: str

    _middle: Buckets
    _window: list[Any]
    _code: WindowCode
    _inserted: int

    _pages: PagedBuckets | None = None  # the middle, unless the window is at home
    _attempts: "_Attempts | None" = None  # to reach the store again, while the window is at home
    _changes = 0  # since the last head

    #: How often the store was out of reach, and the window went on in memory.
    outages = 0

    def _open_in(
        self,
        store: Store,
        name: str,
        codec: Codec | None,
        settings: Settings,
    ) -> None:
        """Have the buckets in a store; where the window is not new, go on from its newest head."""
        page, cached_pages, patience = settings
        self._name, self._page, self._outage = name, page, patience.outage
        described = f"{self._described}, pages of {page}"
        stored_window = store.open(name)
        try:
            self._middle = self._pages = PagedBuckets(
                self._layout.monoid,
                page,
                cached_pages,
                codec or bucket_codec(self._layout),
                lambda _: PageStore(stored_window, name, described, patience),
            )
            self._pages.require_keepable(self._layout.nothing)
            if self._pages.resumed is not None:
                with self._pages.page_store.reading("the head"):
                    self._recall(*self._pages.resumed)
        except BaseException:
            stored_window.close()
            raise

    @property
    def inserted(self) -> int:
        """How many updates the window has taken since it was new: the number of the next one."""
        return self._inserted

    @property
    def evicted(self) -> int:
        """How many of them have left it; about that many where a policy's cut is not known."""
        return self._inserted - len(self)

    @abstractmethod
    def __len__(self) -> int:
        """How many updates the window holds."""

    @property
    def is_local(self) -> bool:
        """Whether all buckets are in memory, as there is no store, or it is out of reach."""
        return self._middle is not self._pages

    def flush(self) -> None:
        """Return when all that has happened so far is in the store.

        It raises if the store is unreachable, whatever the window does meanwhile.
        """
        if self._pages is None:
            return
        self._require_open()
        queue = self._pages.page_store.queue
        if self._attempts is None:
            self._keep()
            queue.flush()
        else:
            queue.flush()
            self._move()
            queue.flush()
            self._leave_home()

    def _release(self) -> None:
        if self._pages is not None:
            self._pages.close()

    def _require_usable(self) -> None:
        if self._pages is not None:
            self._require_open()

    def _require_no_store(self, wanted: str) -> None:
        if self._pages is not None:
            raise WindowError(
                f"{wanted}: window {self._name!r} lies in a store, and what is there is a "
                "snapshot; flush() it, and open it again under the same name"
            )

    def _lifted(self, value: Any) -> Bucket:
        fresh = self._layout.lift(value)
        if self._pages is not None:
            self._pages.require_keepable(fresh)  # what cannot be kept must not come in
        return fresh

    def _run(self, operation: Callable[..., T], *arguments: Any) -> T:
        """Do something as a whole or not at all, wherever the buckets are."""
        if self._pages is None:
            return operation(*arguments)
        self._require_open()
        if self._attempts is None:
            try:
                return self._run_on_pages(self._pages, operation, *arguments)
            except StoreUnreachableError:
                if self._outage is not Outage.SHRINK:
                    raise
            self._come_home(self._pages)
        else:
            self._try_to_leave(self._pages, self._attempts)
        return operation(*arguments)

    def _read(self, operation: Callable[[], T]) -> T:
        """Look at buckets, wherever they are; nothing changes, so nothing need be kept first."""
        if self._pages is None or self._attempts is not None:
            return operation()
        self._require_open()
        try:
            return operation()
        except StoreUnreachableError:
            if self._outage is not Outage.SHRINK:
                raise
        self._come_home(self._pages)
        return operation()

    def _run_on_pages(self, pages: PagedBuckets, operation: Callable[..., T], *arguments: Any) -> T:
        if pages.must_be_kept(self._changes):
            self._keep()
        pages.page_store.queue.admit(self._changes)
        own, inserted = list(self._window), self._inserted
        before = pages.mark()
        try:
            done = operation(*arguments)
        except BaseException as error:
            pages.go_back(before)
            self._window[:], self._inserted = own, inserted
            if isinstance(error, Exception):
                pages.page_store.blame(error)
            raise
        self._changes += 1
        return done

    @property
    def _learned(self) -> list[float]:
        """What methods have learned, and the limit on buckets, which may have been changed."""
        return [self._window[METHODS + cell] for cell in self._cells.learned]

    def _learn(self, learned: Sequence[float]) -> None:
        """Take over what `_learned` gave; ValueError for anything else."""
        self._cells.require(learned)
        for cell, number in zip(self._cells.learned, learned, strict=True):
            self._window[METHODS + cell] = number

    def _keep(self) -> None:
        """Send a head with all that the window has."""
        assert self._pages is not None
        behind, least, most, oldest, newest = self._window[:REST]
        counters = self._inserted, behind, (oldest.size, least, most), self._learned
        self._pages.keep(counters, (oldest, newest), self._changes)
        self._changes = 0

    def _recall(self, counters: Any, buckets: Any) -> None:
        self._inserted, kept_behind, left, learned = counters
        size, least, most = left
        oldest, newest = buckets
        numbers = self._inserted, kept_behind, *left
        require(all(type(number) is int for number in numbers), f"{numbers} are no numbers")
        behind = self._middle.total().size + newest.size
        held = oldest.size + behind
        require(size == oldest.size >= 0, f"{left} are left of the oldest bucket")
        require(0 <= behind == kept_behind, f"{kept_behind} updates of {behind} are behind it")
        require(least <= most <= size, f"{left} are left")
        require(-least <= behind and held <= self._inserted, f"of {numbers}, {held}")
        self._window[:REST] = behind, least, most, oldest, newest
        self._learn(learned)

    def _come_home(self, pages: PagedBuckets) -> None:
        """Go on in memory, with as many buckets as a page has."""
        self._middle = Buckets(self._layout.monoid)
        for bucket in pages.at_home():
            self._middle.add(bucket)
        self._window[ROOM] = self._page
        self._code.shrink(self._window, self._middle, limit_of(self._window))
        self._attempts = _Attempts()
        self.outages += 1

    def _try_to_leave(self, pages: PagedBuckets, attempts: "_Attempts") -> None:
        """Move to the store again if it answers; nobody waits for that."""
        queue = pages.page_store.queue
        if not attempts.is_due() or not queue.settles():
            return
        try:
            self._move()
        except StoreUnreachableError:
            return
        if queue.settles() or attempts.has_moved:
            self._leave_home()
        attempts.has_moved = True  # what was moved tells, once it is there, that the store answers

    def _move(self) -> None:
        """Send all that the window has in place of the pages that it had."""
        pages = self._pages
        assert pages is not None
        before = pages.mark()
        try:
            pages.refill(self._middle.leaves())
            self._keep()
        except BaseException:
            pages.go_back(before)
            raise

    def _leave_home(self) -> None:
        assert self._pages is not None
        self._middle = self._pages
        self._window[ROOM] = inf
        self._attempts = None


class _Attempts:
    """When to try again: after longer and longer pauses."""

    def __init__(self) -> None:
        self._pauses = longer_and_longer()
        self._next = time.monotonic() + next(self._pauses)
        self.has_moved = False

    def is_due(self) -> bool:
        """Whether it is time to; asked then, it will not be for a while."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + next(self._pauses)
        return True
