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
from windrow.aggregators.approximate.footprint import Even, Footprint, require_buckets
from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.approximate.layout import Bucket, Layout
from windrow.aggregators.approximate.line import Line, Stay
from windrow.aggregators.approximate.method import Grouper, Method
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.base import Snapshot, require_evictable, require_own
from windrow.aggregators.contents import Judge, require_policy
from windrow.algebra.aggregate import Aggregation
from windrow.errors import InputError, WindowError
from windrow.windows.check import Check
from windrow.windows.policy import Policy

__all__ = ["ApproximateAmta"]

_NOTHING = Remainder(0, 0, 0)


class ApproximateAmta:
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
    """

    def __init__(self, monoid: Aggregation, *methods: Method, policy: Policy | None = None) -> None:
        require_policy(policy)
        if not methods:
            raise InputError(
                "ApproximateAmta without a method keeps every update; give one, such as "
                "SumLike(relative=0.001), or use Amta"
            )
        for method in methods:
            if isinstance(method, type) or not hasattr(method, "grouper"):
                raise InputError(
                    f"{method!r} is no method; give one such as SumLike(relative=0.001), "
                    "MaxLike(), Hop() or Footprint(1000)"
                )
        if policy is not None and policy.check is Check.VERIFY:
            raise WindowError(
                "check=Check.VERIFY looks at every update, which a window of buckets does not "
                "hold; use Amta to verify"
            )
        self._layout = Layout(monoid, policy)
        self._judge = None if policy is None else Judge(policy)
        if sum(isinstance(method, Footprint) for method in methods) > 1:
            raise InputError(f"several of {methods} limit the footprint; give one of them")
        self._groupers: list[Grouper] = [method.grouper(self._layout) for method in methods]
        self._limit = next((one for one in self._groupers if isinstance(one, Even)), None)
        self._combine = self._layout.combine
        watched = "" if policy is None else f" with a policy using {dict(policy.using)!r}"
        self._described = f"{self._layout.monoid.name}{watched}, by {methods!r}"
        self._clear()

    def _clear(self) -> None:
        self._middle = Buckets(self._layout.monoid)
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
        return None if self._limit is None else self._limit.limit

    @max_buckets.setter
    def max_buckets(self, buckets: int) -> None:
        require_buckets(buckets, "max_buckets")
        if self._limit is None:
            raise WindowError(
                f"max_buckets={buckets}: this window was built without a footprint; "
                f"give Footprint({buckets}) when it is made"
            )
        self._limit.limit = buckets
        self._shrink_to(buckets)

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        fresh, held = self._layout.lift(value), len(self)
        joined = self._combine(self._newest if self._newest.size else self._oldest, fresh)
        # All are asked: some remember what came.
        asked = [grouper.joins(fresh, joined, held) for grouper in self._groupers]
        began = joined.size == 1 or not (any(asked) or self.max_buckets == 1)
        if began:
            self._begin(fresh)
        else:
            self._join(joined)
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
        if self._behind > fewest:
            self._put_aside(self._take(self._behind - fewest))
        if self._oldest.size:
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
        if not self.buckets:
            return 0
        held = len(self)
        line = Line(self._layout, self._oldest, self._middle, self._newest, self._held)
        fewest, most = line.kept(self._judge)
        if self._judge.drops:
            dropped = line.dropped(self._judge)
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
        _, rest = self._known()
        results = {
            part.name: self._interval(number, rest)
            for number, part in enumerate(self._layout.parts)
        }
        return results[""] if self._layout.is_bare else results

    def _interval(self, number: int, rest: Bucket) -> Interval:
        part = self._layout.parts[number]
        bucket, state = self._oldest.states[number], rest.states[number]
        if not self._oldest.size:
            return Interval.of_exact(part.monoid.lower(state))
        if self._left.is_whole:
            return Interval.of_exact(part.monoid.lower(part.monoid.combine(bucket, state)))
        trace, rest_trace = self._oldest.traces[number], rest.traces[number]
        return part.family.interval(bucket, trace, state, rest_trace, self._left)

    def snapshot(self) -> Snapshot:
        """The window as data; later changes of the window do not reach it."""
        buckets = self._oldest, self._left, self._newest, self._behind
        kept = self._middle.snapshot(), buckets, [grouper.dump() for grouper in self._groupers]
        return Snapshot("ApproximateAmta", self._described, kept)

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot that a window of the same aggregate and methods made."""
        require_own(snapshot, "ApproximateAmta", self._described)
        middle, buckets, learned = snapshot.data
        self._middle = Buckets(self._layout.monoid)
        self._middle.restore(middle)
        self._oldest, self._left, self._newest, self._behind = buckets
        for grouper, data in zip(self._groupers, learned, strict=True):
            grouper.load(data)

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
