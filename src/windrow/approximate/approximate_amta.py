"""A²MTA: windows of buckets in place of updates, with bounds on every result (Villalba, 2019).

`forest_window` draws such a window, and says what happens in it.
"""

from typing import Any

from windrow.algebra.aggregate import Aggregation, marks_of
from windrow.algebra.monoid import Codec
from windrow.approximate import object_window as at
from windrow.approximate.bounds import Remainder
from windrow.approximate.buckets import Buckets
from windrow.approximate.chosen import require_methods, require_place
from windrow.approximate.footprint import require_limited
from windrow.approximate.in_store import InStore
from windrow.approximate.interval import Interval, interval_of
from windrow.approximate.layout import Bucket, Layout
from windrow.approximate.method import LIMIT, Method, method_cells
from windrow.approximate.object_window import limit_of, new_window, object_code
from windrow.errors import WindowError
from windrow.paged.settings import BUFFER_BYTES, MAX_UNWRITTEN_UPDATES, settings_of
from windrow.paged.stores.base import Store
from windrow.paged.write_behind import Outage
from windrow.structures.base import Snapshot, require_evictable, require_own
from windrow.structures.contents import Judge
from windrow.windows.policy import Policy

__all__ = ["ApproximateAmta"]


class ApproximateAmta(InStore):
    """A window that keeps buckets of updates, and bounds the error of every result.

    `methods` decide which updates share a bucket: an update joins the newest bucket if any of them
    allows it.  Results are of type `Interval`: value, low, high, exact.

    >>> from windrow import agg
    >>> from windrow.approximate import SumLike
    >>> window = ApproximateAmta(agg.sum(), SumLike(absolute=3))
    >>> for _ in range(12):
    ...     window.insert(1)
    >>> window.buckets
    3
    >>> window.query()
    Interval(value=12, low=12, high=12, exact=True)
    >>> window.evict(2)
    >>> window.query()
    Interval(value=10, low=9, high=11, exact=False)

    With a `store`, buckets are kept there in pages under `name`, with the settings of `PagedAmta`.
    The window then survives a crash: when it is reopened, `inserted` says at which update it
    resumes, at most `max_unwritten_updates` behind the newest one.  States that are not plain
    values need a `codec`.  With `Outage.SHRINK`, a window with a `Footprint` falls back to memory
    while the store is unreachable, with no more buckets than fit into a page.  What happens in the
    meantime is written once the store is back, and lost if the process dies before.
    """

    def __init__(
        self,
        monoid: Aggregation,
        *methods: Method,
        policy: Policy | None = None,
        store: Store | None = None,
        name: str | None = None,
        codec: Codec | None = None,
        page: int = 512,
        cached_pages: int = 16,
        outage: Outage | str = Outage.RAISE,
        buffer_bytes: int = BUFFER_BYTES,
        wait_s: float = 30.0,
        max_unwritten_updates: int = MAX_UNWRITTEN_UPDATES,
    ) -> None:
        require_methods(methods, policy)
        settings = settings_of(
            page, cached_pages, outage, buffer_bytes, wait_s, max_unwritten_updates
        )
        require_place(store, name, codec, settings.patience.outage, methods)
        self._layout = Layout(monoid, policy)
        self._cells = method_cells(methods, self._layout)
        watched = "" if policy is None else f" with a policy using {dict(policy.using)!r}"
        using = () if policy is None else policy.using
        marks = marks_of([*(p.aggregate for p in self._layout.parts), *(a for _, a in using)])
        self._described = f"{self._layout.monoid.name}{watched}, by {methods!r}{marks}"
        self._middle = Buckets(self._layout.monoid)
        self._inserted = 0
        self._window = new_window(self._layout, self._cells.numbers)
        judge = None if policy is None else Judge(policy)
        self._code, self._enforce = object_code(self._layout, self._cells, judge)
        if store is not None and name is not None:
            self._open_in(store, name, codec, settings)

    def __len__(self) -> int:
        """The number of updates in the window; approximate if a policy cuts inside a bucket."""
        behind, least, most, *_ = self._window
        return int(behind + (least + most) // 2)

    @property
    def buckets(self) -> int:
        """The number of buckets."""
        return int(self._code.buckets(self._window, self._middle))

    @property
    def max_buckets(self) -> int | None:
        """The limit on buckets, if there is a `Footprint`; it may be changed at any time."""
        return self._window[at.METHODS + LIMIT] or None

    @max_buckets.setter
    def max_buckets(self, buckets: int) -> None:
        require_limited(self.max_buckets, buckets)
        self._run(self._limit_to, buckets)

    def _limit_to(self, buckets: int) -> None:
        self._window[at.METHODS + LIMIT] = buckets
        self._code.shrink(self._window, self._middle, limit_of(self._window))

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        self._run(self._insert, value)

    def _insert(self, value: Any) -> None:
        self._code.insert(self._window, self._middle, self._lifted(value))
        self._inserted += 1

    def evict(self, count: int = 1) -> None:
        """Remove the oldest `count` updates in one operation."""
        self._run(self._evict, count)

    def _evict(self, count: int) -> None:
        count = require_evictable(count, len(self))
        if count:
            self._code.evict(self._window, self._middle, count)

    def slide(self) -> int:
        """Enforce the slide policy; return how many updates were evicted, about."""
        if self._enforce is None:
            raise WindowError(
                "ApproximateAmta was built without a policy; give policy=window.policy(...)"
            )
        return self._run(self._slide)

    def _slide(self) -> int:
        held = len(self)
        self._enforce(self._window, self._middle)
        return held - len(self)

    def query(self) -> Any:
        """The interval of the aggregate; a dict of intervals if there are several aggregates."""
        self._require_usable()
        try:
            # What may lie in any of several buckets may lie in pages that must be read.
            started = self._started() if self._window[at.LEAST] >= 0 else self._read(self._started)
            results = {
                part.name: self._interval(number, *started).unsigned()
                for number, part in enumerate(self._layout.parts)
            }
        except Exception as error:
            if self._pages is not None:
                self._pages.page_store.blame(error)
            raise
        return results[""] if self._layout.is_bare else results

    def _interval(self, number: int, oldest: Bucket, rest: Bucket, left: Remainder) -> Interval:
        part = self._layout.parts[number]
        bucket, state = oldest.states[number], rest.states[number]
        if not oldest.size:
            return interval_of(part.aggregate, state)
        if left.is_whole:
            return interval_of(part.aggregate, part.monoid.combine(bucket, state))
        trace, rest_trace = oldest.traces[number], rest.traces[number]
        return part.family.interval(bucket, trace, state, rest_trace, left)

    def _started(self) -> tuple[Bucket, Bucket, Remainder]:
        """What the window starts in, as one, all behind it, and what is left of the former."""
        oldest, rest, least, most = self._code.started(self._window, self._middle)
        return oldest, rest, Remainder(oldest.size, least, most)

    def snapshot(self) -> Snapshot:
        """The window as data, which later changes of the window do not affect."""
        self._require_no_store("snapshot()")
        own = *self._window[: at.REST], self._inserted
        kept = self._middle.snapshot(), own, self._learned
        return Snapshot("ApproximateAmta", self._described, kept)

    def restore(self, snapshot: Snapshot) -> None:
        """Resume from a snapshot of a window with the same aggregate and methods."""
        self._require_no_store("restore(...)")
        require_own(snapshot, "ApproximateAmta", self._described)
        middle, (*own, self._inserted), learned = snapshot.data
        self._middle = Buckets(self._layout.monoid)
        self._middle.restore(middle)
        self._window[: at.REST] = own
        self._learn(learned)
