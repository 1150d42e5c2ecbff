"""A²MTA: windows of buckets in place of updates, with bounds on every result (Villalba, 2019).

         gone | in the window
        [  oldest  ][ bucket ][   bucket   ]...[ newest )
              ^ the window starts in the oldest bucket, of which only the whole is known

An update joins the newest bucket or starts the next one, as the methods say.  Whole buckets lie in
a forest; the one that the window starts in is held aside, and its trace tells what the part that
is gone can have been.
"""

from typing import Any

from windrow.aggregators.approximate.buckets import Buckets
from windrow.aggregators.approximate.footprint import Even, require_buckets
from windrow.aggregators.approximate.in_store import InStore
from windrow.aggregators.approximate.interval import Interval, interval_of
from windrow.aggregators.approximate.layout import Bucket, Layout
from windrow.aggregators.approximate.line import Line, Stay
from windrow.aggregators.approximate.method import Grouper, Method
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.approximate.wanted import require_methods, require_place
from windrow.aggregators.base import Snapshot, require_evictable, require_own
from windrow.aggregators.contents import Judge
from windrow.aggregators.paged.courier import Outage
from windrow.aggregators.paged.settings import (
    BUFFER_BYTES,
    MAX_UNWRITTEN_UPDATES,
    settings_of,
)
from windrow.algebra.aggregate import Aggregation, marks_of
from windrow.algebra.monoid import Codec
from windrow.errors import WindowError
from windrow.stores.base import Store
from windrow.windows.policy import Policy

__all__ = ["ApproximateAmta"]

_NOTHING = Remainder(0, 0, 0)


class ApproximateAmta(InStore):
    """A window that keeps buckets of updates, and says of every result how wrong it may be.

    `methods` decide which updates share a bucket; one that any of them lets join, joins.  Results
    are `Interval`s: value, low, high, exact.

    >>> from windrow import agg
    >>> from windrow.aggregators import SumLike
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

    With a `store` the buckets lie there, in pages under `name`, as those of `PagedAmta` do, whose
    settings these are: the window is still there after a crash, and `inserted` says with which
    update it goes on, at most `max_unwritten_updates` before the last one it had taken.  `codec`
    makes bytes of buckets and back, where their states are no plain values.  While the store cannot
    be reached, `Outage.SHRINK` lets a window with a `Footprint` go on in memory, in no more buckets
    than a page has; what happens then is in the store when that is back, and lost if the process
    dies before.
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
        self._judge = None if policy is None else Judge(policy)
        self._groupers: list[Grouper] = [method.grouper(self._layout) for method in methods]
        self._limit = next((one for one in self._groupers if isinstance(one, Even)), None)
        self._combine = self._layout.combine
        watched = "" if policy is None else f" with a policy using {dict(policy.using)!r}"
        using = () if policy is None else policy.using
        marks = marks_of([*(p.aggregate for p in self._layout.parts), *(a for _, a in using)])
        self._described = f"{self._layout.monoid.name}{watched}, by {methods!r}{marks}"
        self._middle = Buckets(self._layout.monoid)
        self._inserted = 0
        self._clear()
        if store is not None and name is not None:
            self._open_in(store, name, codec, settings)

    def _clear(self) -> None:
        self._middle.empty()
        # invariant: if the newest bucket is empty, so is the middle
        nothing = self._layout.nothing
        self._oldest = self._newest = nothing
        self._left = _NOTHING
        self._behind = 0  # updates in the middle and in the newest bucket
        self._rest = nothing, nothing, nothing  # the middle, the newest, and both as one

    def __len__(self) -> int:
        """How many updates the window holds; about that many where a policy's cut is not known."""
        return self._left.middle + self._behind

    @property
    def buckets(self) -> int:
        """How many buckets there are."""
        return bool(self._oldest.size) + len(self._middle) + bool(self._newest.size)

    @property
    def max_buckets(self) -> int | None:
        """How many there may be, if a footprint is set; to be lowered and raised at any time."""
        return None if self._limit is None else self._limit.asked

    @max_buckets.setter
    def max_buckets(self, buckets: int) -> None:
        require_buckets(buckets, "max_buckets")
        if self._limit is None:
            raise WindowError(
                f"max_buckets={buckets}: this window was built without a footprint; "
                f"give Footprint({buckets}) when it is made"
            )
        self._run(self._limit_to, self._limit, buckets)

    def _limit_to(self, limit: Even, buckets: int) -> None:
        limit.asked = buckets
        self._shrink_to(limit.limit)

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        self._run(self._insert, value)

    def _insert(self, value: Any) -> None:
        fresh, held = self._lifted(value), len(self)
        joined = self._combine(self._newest if self._newest.size else self._oldest, fresh)
        # All are asked: some remember what came.
        asked = [grouper.joins(fresh, joined, held) for grouper in self._groupers]
        began = joined.size == 1 or not (any(asked) or self.max_buckets == 1)
        if began:
            self._begin(fresh)
        else:
            self._join(joined)
        self._inserted += 1
        for grouper in self._groupers:
            grouper.inserted(fresh, held + 1, self._known, began=began)

    def _join(self, joined: Bucket) -> None:
        if self._newest.size:
            self._newest = joined
            self._behind += 1
        else:
            self._oldest = joined
            self._left = Remainder(joined.size, self._left.least + 1, self._left.most + 1)

    def _begin(self, fresh: Bucket) -> None:
        if self._limit is not None:
            self._shrink_to(self._limit.limit - 1)
        if self._newest.size:
            self._middle.add(self._newest)
        self._newest = fresh
        self._behind += 1

    def evict(self, count: int = 1) -> None:
        """Remove the oldest `count` updates in one operation."""
        self._run(self._evict, count)

    def _evict(self, count: int) -> None:
        count = require_evictable(count, len(self))
        if not count:
            return
        fewest, most = self._held
        self._start_with(max(fewest - count, 0), most - count)
        for grouper in self._groupers:
            grouper.evicted(count, len(self))

    @property
    def _held(self) -> Stay:
        """The fewest and the most updates that the window may hold."""
        return self._behind + self._left.least, self._behind + self._left.most

    def _start_with(self, fewest: int, most: int) -> None:
        """Let go of what is not among the newest `most` updates; at least `fewest` of them stay."""
        if not most:
            self._clear()
            return
        gone = self._oldest.size + self._behind - most
        if gone >= self._oldest.size:
            gone -= self._oldest.size
            self._oldest, self._left = self._layout.nothing, _NOTHING
            self._let_go(gone)
        if self._behind > most:
            self._put_aside(self._take(self._behind - most))
        stay = fewest - self._behind, most - self._behind
        self._left = Remainder(self._oldest.size, *stay)

    def _let_go(self, updates: int) -> None:
        """Evict the whole buckets that have no more updates than that, all together."""
        within = self._middle.total().size
        if updates < within:
            self._behind -= self._middle.evict_updates(updates) if updates else 0
        else:
            self._middle.evict_to(self._middle.end)
            self._behind -= within

    def _take(self, updates: int) -> Bucket:
        """Take the oldest whole buckets out that together have at least so many, as one."""
        taken = self._middle.take_updates(updates)
        if taken.size < updates:
            taken = self._combine(taken, self._newest)
            self._newest = self._layout.nothing
        return taken

    def slide(self) -> int:
        """Enforce the slide policy: evict all that must go, and say how many went, or about."""
        if self._judge is None:
            raise WindowError(
                "ApproximateAmta was built without a policy; give policy=window.policy(...)"
            )
        return self._run(self._slide, self._judge)

    def _slide(self, judge: Judge) -> int:
        if not self.buckets:
            return 0
        held = len(self)
        if not self._oldest.size and len(self._middle):
            self._put_aside(self._middle.pop())  # so that what is behind it is at hand
        line = Line(self._layout, self._oldest, self._middle, self._newest, self._held)
        fewest, most = line.kept(judge)
        if judge.drops:
            dropped = line.dropped(judge)
            fewest, most = min(fewest, dropped[0]), min(most, dropped[1])
        if (fewest, most) != self._held:
            self._start_with(fewest, most)
        gone = held - len(self)
        if gone:
            for grouper in self._groupers:
                grouper.evicted(gone, len(self))
        return gone

    def query(self) -> Any:
        """The aggregate of all updates in the window: an interval, or one for each by name."""
        self._require_usable()
        # What may lie in any of several buckets may lie in pages that must be read.
        started = self._started() if self._left.least >= 0 else self._read(self._started)
        results = {
            part.name: self._interval(number, *started).unsigned()
            for number, part in enumerate(self._layout.parts)
        }
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
        oldest, rest = self._known()
        left = self._left
        if left.least >= 0:
            return oldest, rest, left
        # A policy's cut may lie in any of several buckets.
        more, rest = self._middle.parted(-left.least)
        if more.size + left.least < 0:
            more, newest = self._combine(more, self._newest), self._layout.nothing
        else:
            newest = self._newest
        oldest = self._combine(oldest, more)
        left = Remainder(oldest.size, left.least + more.size, left.most + more.size)
        return oldest, self._combine(rest, newest), left

    def snapshot(self) -> Snapshot:
        """The window as data; later changes of the window do not reach it."""
        self._require_no_store("snapshot()")
        buckets = self._oldest, self._left, self._newest, self._behind, self._inserted
        kept = self._middle.snapshot(), buckets, [grouper.dump() for grouper in self._groupers]
        return Snapshot("ApproximateAmta", self._described, kept)

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot that a window of the same aggregate and methods made."""
        self._require_no_store("restore(...)")
        require_own(snapshot, "ApproximateAmta", self._described)
        middle, buckets, learned = snapshot.data
        self._middle = Buckets(self._layout.monoid)
        self._middle.restore(middle)
        self._oldest, self._left, self._newest, self._behind, self._inserted = buckets
        self._learn(learned)

    def _known(self) -> tuple[Bucket, Bucket]:
        """The bucket that the window starts in, and all behind it as one."""
        middle, newest, rest = self._rest
        # States are values: the same ones make the same.
        if newest is not self._newest or middle is not self._middle.total():
            middle = self._middle.total()
            rest = self._combine(middle, self._newest)
            self._rest = middle, self._newest, rest
        return self._oldest, rest

    def _shrink_to(self, buckets: int) -> None:
        """Make larger buckets until there are at most so many, or one."""
        while self.buckets > max(buckets, 1):
            assert self._limit is not None
            self._limit.was_reached = True
            self._shrink()

    def _shrink(self) -> None:
        middle = self._middle
        if len(middle) > 1:
            if middle.start & 1:
                self._put_aside(middle.pop())
            alone = middle.halve()
            if alone is not None:
                self._newest = self._combine(alone, self._newest)
        elif len(middle) == 1:
            self._newest = self._combine(middle.pop(), self._newest)
        else:
            self._put_aside(self._take(self._newest.size))

    def _put_aside(self, bucket: Bucket) -> None:
        """Make the oldest bucket longer by one that follows it."""
        left, size = self._left, bucket.size
        self._oldest = self._combine(self._oldest, bucket)
        self._left = Remainder(self._oldest.size, left.least + size, left.most + size)
        self._behind -= size
