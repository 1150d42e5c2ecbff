"""AMTA for windows larger than memory: its forest is kept as pages in a key-value store."""

from functools import partial
from types import TracebackType
from typing import Any, Self

from numpy.typing import ArrayLike

from windrow.aggregators.compiled_amta import CompiledAmta
from windrow.aggregators.kernels.pages import Paging
from windrow.aggregators.paged.book import Book
from windrow.aggregators.paged.courier import Outage, Patience
from windrow.aggregators.paged.numbers import PagedNumbers
from windrow.aggregators.paged.objects import Codec, PagedObjects
from windrow.algebra.aggregate import Aggregation
from windrow.errors import AggregateError, InputError, WindowError
from windrow.stores.base import Store
from windrow.windows import Check, Policy

__all__ = ["PagedAmta"]

_MEGABYTE = 1 << 20


class PagedAmta:
    """A window of any size in little memory, that is still there after a crash.

    In memory are only the pages near both ends of the window; the others lie in `store`, under
    `name`, together with a small head that is written with the pages it belongs to.  A window that
    is opened again goes on where that head was written: `inserted` says with which update.

    Aggregates of numbers run compiled, and take whole columns (`extend`, `advance`); `dtypes` are
    the types of the columns they read, as in `CompiledAmta`.  Others run as in `Amta`, and so does
    what is read as Python's own values, `dtypes=(object,)`; states must be plain values, or `codec`
    says how to make bytes of them and back.

    `page` nodes make a page, and `cached_pages` pages of each level are at hand where updates
    leave, both powers of two.  Where the store cannot be reached, `Outage.RAISE` says so at once;
    `Outage.BUFFER` holds up to `buffer_bytes` in memory, then waits for `wait_s` seconds, and the
    store catches up when it is back.

    >>> from windrow import agg
    >>> from windrow.stores import MemoryStore
    >>> store = MemoryStore()
    >>> with PagedAmta(agg.max(), store, "sensor 7") as window:
    ...     window.extend([3.0, 1.0, 4.0, 1.0, 5.0])
    >>> with PagedAmta(agg.max(), store, "sensor 7") as window:
    ...     window.evict(4)
    ...     window.inserted, window.query()
    (5, 5.0)
    """

    def __init__(
        self,
        monoid: Aggregation,
        store: Store,
        name: str,
        policy: Policy | None = None,
        *,
        dtypes: tuple[Any, ...] | None = None,
        codec: Codec | None = None,
        page: int = 512,
        cached_pages: int = 16,
        outage: Outage = Outage.RAISE,
        buffer_bytes: int = 16 * _MEGABYTE,
        wait_s: float = 30.0,
    ) -> None:
        _require_settings(page, cached_pages, outage, buffer_bytes, wait_s)
        if not isinstance(store, Store):
            raise InputError(
                f"store={store!r} is no store; give one of windrow.stores, e.g. MemoryStore()"
            )
        if policy is not None and policy.check is Check.VERIFY:
            raise WindowError(
                "check=Check.VERIFY looks at every update, which a window in pages does not hold "
                "in memory; use Amta to verify"
            )
        self._name, self._closed = name, False
        shelf = store.open(name)
        patience = Patience(outage, buffer_bytes, wait_s)
        book = partial(Book, shelf, name, patience=patience)
        try:
            self._window = self._opened(monoid, policy, dtypes, codec, page, cached_pages, book)
        except BaseException:
            shelf.close()
            raise

    def _opened(
        self,
        monoid: Aggregation,
        policy: Policy | None,
        dtypes: tuple[Any, ...] | None,
        codec: Codec | None,
        page: int,
        cached_pages: int,
        book: Any,
    ) -> PagedNumbers | PagedObjects:
        if codec is None and _is_of_numbers(monoid, policy, dtypes):
            return PagedNumbers(monoid, policy, dtypes, Paging(page, cached_pages), book)
        return PagedObjects(monoid, policy, page, cached_pages, codec, book)

    def __len__(self) -> int:
        return len(self._window)

    @property
    def inserted(self) -> int:
        """How many updates the window has taken since it was new: the number of the next one."""
        return self._window.inserted

    @property
    def evicted(self) -> int:
        """How many of them have left it."""
        return self._window.evicted

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        self._open.insert(value)

    def extend(self, *columns: Any) -> None:
        """Append many updates: of numbers, one column for each number an update has."""
        self._open.extend(*columns)

    def advance(self, *columns: ArrayLike) -> Any:
        """For each update: insert it, evict the oldest and query; an array of the results."""
        if isinstance(self._open, PagedObjects):
            raise WindowError(
                "advance is for aggregates of numbers; insert, evict and query one by one"
            )
        return self._open.advance(*columns)

    def evict(self, count: int = 1) -> None:
        """Remove the oldest `count` updates in one operation."""
        self._open.evict(count)

    def query(self) -> Any:
        """The aggregate of all updates in the window."""
        return self._open.query()

    def slide(self) -> int:
        """Enforce the slide policy: evict all that must go, and say how many went."""
        return self._open.slide()

    def flush(self) -> None:
        """Return when all that has happened so far is in the store."""
        self._open.flush()

    def close(self) -> None:
        """Have everything in the store, and let others open the window; twice does nothing."""
        if self._closed:
            return
        try:
            self._window.flush()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._closed = True
        self._window.close()

    @property
    def _open(self) -> PagedNumbers | PagedObjects:
        if self._closed:
            raise WindowError(
                f"window {self._name!r} is closed, and others may have opened it; open it again "
                "with PagedAmta(...)"
            )
        return self._window

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        elif not self._closed:  # what failed may be the store: what it has is whole in any case
            self._let_go()


def _is_of_numbers(
    monoid: Aggregation, policy: Policy | None, dtypes: tuple[Any, ...] | None
) -> bool:
    """Whether the window can run compiled; types that were asked for must."""
    if dtypes is not None:
        return object not in dtypes
    try:
        CompiledAmta(monoid, policy)
    except (AggregateError, WindowError):
        return False
    return True


def _require_settings(
    page: int, cached_pages: int, outage: object, buffer_bytes: int, wait_s: float
) -> None:
    for name, value, least in (("page", page, 8), ("cached_pages", cached_pages, 4)):
        if not isinstance(value, int) or value < least or value & (value - 1):
            raise InputError(f"{name}={value!r}: give a power of two, {least} or more")
    if not isinstance(outage, Outage):
        raise InputError(f"outage={outage!r}: give Outage.RAISE or Outage.BUFFER")
    if buffer_bytes <= 0 or wait_s < 0:
        raise InputError(
            f"buffer_bytes={buffer_bytes!r}, wait_s={wait_s!r}: give room for at least one byte, "
            "and a time that is not negative"
        )
