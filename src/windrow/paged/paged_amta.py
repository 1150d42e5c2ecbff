"""AMTA for windows larger than memory: its forest is kept as pages in a key-value store."""

from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from windrow.algebra.aggregate import Aggregation
from windrow.algebra.monoid import Codec
from windrow.errors import AggregateError, InputError, WindowError
from windrow.kernels.pages import Paging
from windrow.paged.closing import Closing
from windrow.paged.numbers import PagedNumbers
from windrow.paged.objects import PagedObjects
from windrow.paged.page_store import PageStore
from windrow.paged.settings import (
    BUFFER_BYTES,
    MAX_UNWRITTEN_UPDATES,
    require_codec,
    require_store,
    settings_of,
)
from windrow.paged.stores.base import Store
from windrow.paged.write_behind import Outage
from windrow.structures.compiled_amta import CompiledAmta
from windrow.structures.contents import require_policy
from windrow.windows import Check, Policy

__all__ = ["PagedAmta"]


class PagedAmta(Closing):
    """A window of any size, which takes little memory and survives a crash.

    Only the pages near both ends of the window are in memory.  The others are in `store` under
    `name`, together with a small head, which is written along with the pages it refers to.  A
    window that is reopened resumes from that head; `inserted` says at which update.

    Aggregates of numbers are compiled and take whole columns (`extend`, `advance`); `dtypes` are
    the types of these columns, as in `CompiledAmta`.  Other aggregates run as in `Amta`, on Python
    values, and so do those of numbers with `dtypes=(object,)`.  Their states must be plain values,
    or need a `codec`.

    A page has `page` nodes, and `cached_pages` pages of each level are kept in memory where updates
    leave; both are powers of two.  If the store is unreachable, `Outage.RAISE` raises at once;
    `Outage.BUFFER` buffers up to `buffer_bytes` in memory, then waits for up to `wait_s` seconds,
    and catches up once the store is back.

    Pages are written by a separate thread.  A process that is killed loses at most the newest
    `max_unwritten_updates` (`evict` and `slide` count as one each), and nothing from before the
    last `flush`.  A caller that is faster than the store therefore has to wait, but for no more
    than `wait_s` seconds without progress.  Only `Outage.BUFFER` exceeds that limit, and only while
    the store fails.

    >>> from windrow import agg
    >>> from windrow.paged.stores import MemoryStore
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
        outage: Outage | str = Outage.RAISE,
        buffer_bytes: int = BUFFER_BYTES,
        wait_s: float = 30.0,
        max_unwritten_updates: int = MAX_UNWRITTEN_UPDATES,
    ) -> None:
        page, cached_pages, patience = settings_of(
            page, cached_pages, outage, buffer_bytes, wait_s, max_unwritten_updates
        )
        require_store(store)
        require_codec(codec)
        require_policy(policy)
        if patience.outage is Outage.SHRINK:
            raise InputError(
                f"outage={patience.outage}: PagedAmta keeps every update and has nothing to make "
                "smaller; use ApproximateAmta with a Footprint(...), or Outage.BUFFER"
            )
        if policy is not None and policy.check is Check.VERIFY:
            raise WindowError(
                "check=Check.VERIFY looks at every update, which a window in pages does not hold "
                "in memory; use Amta to verify"
            )
        self._name = name
        stored_window = store.open(name)
        opened = partial(PageStore, stored_window, name, patience=patience)
        self._window: PagedNumbers | PagedObjects
        try:
            if codec is None and _is_of_numbers(monoid, policy, dtypes):
                paging = Paging(page, cached_pages)
                self._window = PagedNumbers(monoid, policy, dtypes, paging, opened)
            else:
                self._window = PagedObjects(monoid, policy, page, cached_pages, codec, opened)
        except BaseException:
            stored_window.close()
            raise

    def __len__(self) -> int:
        return len(self._window)

    @property
    def inserted(self) -> int:
        """How many updates have ever been inserted; also the number of the next one."""
        return self._window.inserted

    @property
    def evicted(self) -> int:
        """How many of them have been evicted."""
        return self._window.evicted

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        self._open.insert(value)

    def extend(self, *columns: Any) -> None:
        """Append many updates; for numbers, one array for each number of an update."""
        self._open.extend(*columns)

    def advance(self, *columns: ArrayLike) -> Any:
        """For each update: insert it, evict the oldest and query; returns the results."""
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
        """Enforce the slide policy; return how many updates were evicted."""
        return self._open.slide()

    def flush(self) -> None:
        """Return once everything so far has been written to the store."""
        self._open.flush()

    def _release(self) -> None:
        self._window.close()

    @property
    def _open(self) -> PagedNumbers | PagedObjects:
        self._require_open()
        return self._window


def _is_of_numbers(
    monoid: Aggregation, policy: Policy | None, dtypes: tuple[Any, ...] | None
) -> bool:
    """Whether the window can run compiled; types that were asked for must."""
    if dtypes is not None:
        return not (isinstance(dtypes, tuple | list) and object in dtypes)
    try:
        CompiledAmta(monoid, policy)
    except (AggregateError, WindowError):
        return False
    return True
