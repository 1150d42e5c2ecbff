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

    Pages are written behind the caller's back.  A process that is killed loses at most the newest
    `max_unwritten_updates`, each `evict` and `slide` counted as one, and nothing from before the
    last `flush`: whoever is faster than the store waits, for `wait_s` seconds at most without any
    progress.  Only `Outage.BUFFER` goes beyond that, and only while the store fails.

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
        page_store = partial(PageStore, stored_window, name, patience=patience)
        try:
            self._window = self._opened(
                monoid, policy, dtypes, codec, page, cached_pages, page_store
            )
        except BaseException:
            stored_window.close()
            raise

    def _opened(
        self,
        monoid: Aggregation,
        policy: Policy | None,
        dtypes: tuple[Any, ...] | None,
        codec: Codec | None,
        page: int,
        cached_pages: int,
        page_store: Any,
    ) -> PagedNumbers | PagedObjects:
        if codec is None and _is_of_numbers(monoid, policy, dtypes):
            return PagedNumbers(monoid, policy, dtypes, Paging(page, cached_pages), page_store)
        return PagedObjects(monoid, policy, page, cached_pages, codec, page_store)

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
