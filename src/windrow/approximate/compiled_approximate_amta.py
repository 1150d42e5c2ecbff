"""A²MTA in compiled code: `ApproximateAmta` for numbers, and whole batches at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windrow.algebra.aggregate import Aggregate, Aggregation, marks_of
from windrow.algebra.monoid import numeric_of
from windrow.algebra.numeric import FLOAT, INT
from windrow.approximate.adopted import adopted, in_cells
from windrow.approximate.chosen import require_methods
from windrow.approximate.compiled import window as at
from windrow.approximate.compiled.operator import BucketPart
from windrow.approximate.compiled.steps import bucket_code
from windrow.approximate.compiled.window import bucket_at, first_method_of
from windrow.approximate.families import bound_code
from windrow.approximate.footprint import require_limited
from windrow.approximate.interval import Intervals, intervals_of, room_for
from windrow.approximate.layout import Layout
from windrow.approximate.method import LIMIT, Even, Method, method_cells
from windrow.arguments import shown
from windrow.compiler.fingerprint import fingerprint
from windrow.errors import AggregateError, InputError, SnapshotError, WindowError
from windrow.kernels.forest import (
    CAPACITY,
    EVICTED,
    INSERTED,
    SPLIT,
    first_node_of,
    larger_forest,
    new_forest,
)
from windrow.structures.base import Snapshot, require_evictable, require_own
from windrow.structures.contents import require_policy
from windrow.structures.given import columns_of, dtypes_of
from windrow.structures.sound import require_forest, require_sizes
from windrow.windows import Closed, Policy, Ties, TrailingTime

__all__ = ["CompiledApproximateAmta"]

_FIRST_CAPACITY = 64
_ALL, _NO_ANSWERS = 1 << 62, -1


class CompiledApproximateAmta:
    """`ApproximateAmta` in compiled code, for windows of numbers; the results are the same.

    Aggregates may be count, sum, mean, geometric mean, variance, standard deviation, max and min.
    `dtypes` are the types of their columns, float64 or int64; each column is given once, in the
    order of `columns`.  `policy` is a slide policy, or a trailing window by time: then the last
    column holds the times, in microseconds, which never go back.

    >>> from windrow import agg
    >>> from windrow.approximate import SumLike
    >>> window = CompiledApproximateAmta(agg.sum(), SumLike(absolute=3.0))
    >>> window.extend([1.0] * 12)
    >>> window.evict(2)
    >>> window.buckets
    3
    >>> window.roll([1.0, 1.0], at_most=10).value
    array([10., 10.])
    """

    def __init__(
        self,
        monoid: Aggregation,
        *methods: Method,
        policy: Policy | TrailingTime | None = None,
        dtypes: tuple[Any, ...] | None = None,
    ) -> None:
        slides = policy if isinstance(policy, Policy) else None
        if isinstance(policy, TrailingTime):
            _require_in_order(policy)
        else:
            require_policy(policy)
        require_methods(methods, slides)
        layout = Layout(monoid, None)
        self._bare = layout.is_bare
        self._names = [part.name for part in layout.parts]
        aggregates = [part.aggregate for part in layout.parts]
        watched = () if slides is None else slides.using
        #: What each column is: a name, the time, or None for the update itself.
        self.columns = _columns([*aggregates, *(part for _, part in watched)])
        self._timed = isinstance(policy, TrailingTime)
        self._dtypes = _dtypes(dtypes, len(self.columns), timed=self._timed)
        self._methods = method_cells(methods, layout)
        parts = tuple(self._part(aggregate) for aggregate in aggregates)
        self._operator, self._steps = bucket_code(
            parts, self._methods.kinds, *self._watching(slides, len(self.columns))
        )
        self._results = [part.code.result for part in parts]
        head = np.zeros(first_method_of(self._operator), np.int64)
        if isinstance(policy, TrailingTime):
            head[at.DURATION] = policy.reach_us
        self._begun_with = np.concatenate([head, in_cells(self._methods.numbers)])
        self._cells = self._begun_with.copy()
        self._changing = [*range(len(head)), *(len(head) + k for k in self._methods.learned)]
        self._limit = len(head) + LIMIT
        self._forest = new_forest(self._operator, _FIRST_CAPACITY)
        marks = marks_of(part for _, part in watched)
        self._described = (
            f"{aggregates!r} of {[d.name for d in self._dtypes]} by {methods!r} under "
            f"{policy!r}{marks}"
        )
        self._steps.reset(*self._places)

    @property
    def _places(self) -> tuple[int, int]:
        return self._cells.ctypes.data, self._forest.ctypes.data

    def _part(self, aggregate: Aggregate[Any]) -> BucketPart:
        if not aggregate.columns:
            code, column = bound_code(aggregate, None), None
        elif len(aggregate.columns) == 1:
            column = self.columns.index(aggregate.columns[0])
            code = bound_code(aggregate, self._dtypes[column])
        else:
            code, column = None, None
        if code is None:
            raise AggregateError(
                f"{aggregate!r} of {[d.name for d in self._dtypes]} has no compiled bounds; "
                "use ApproximateAmta"
            )
        return BucketPart(code, column)

    def _watching(self, policy: Policy | None, columns: int) -> tuple[Any, ...]:
        """What `_code` needs to know of the policy."""
        if policy is None:
            return (), None, None, columns if self._timed else None, None
        parts = []
        for name, aggregate in policy.using:
            places = tuple(self.columns.index(column) for column in aggregate.columns)
            numeric = numeric_of(aggregate.monoid, tuple(self._dtypes[p] for p in places))
            if numeric is None:
                raise AggregateError(f"{aggregate!r} has no numeric form; use ApproximateAmta")
            parts.append((name, numeric, places, aggregate.monoid.neutral))
        predicates = policy.keep, policy.drop
        return tuple(parts), *predicates, None, fingerprint(*predicates)

    def __len__(self) -> int:
        """The number of updates in the window; approximate if a policy cuts inside a bucket."""
        least, most = self._cells[at.LEAST].item(), self._cells[at.MOST].item()
        return int((least + most) // 2 + self._cells[at.BEHIND].item())

    @property
    def buckets(self) -> int:
        """The number of buckets."""
        return int(self._steps.buckets(*self._places))

    @property
    def begun(self) -> int:
        """The number of buckets that the window has ever begun."""
        return int(self._cells[at.BEGUN].item())

    @property
    def max_buckets(self) -> int | None:
        """The limit on buckets, if there is a `Footprint`; it may be changed at any time."""
        return int(self._cells[self._limit].item()) or None

    @max_buckets.setter
    def max_buckets(self, buckets: int) -> None:
        require_limited(self.max_buckets, buckets)
        self._cells[self._limit] = buckets
        self._steps.shrink(*self._places, buckets)

    def extend(self, *columns: ArrayLike) -> None:
        """Append many updates: one array for each of `columns`; masked values are null."""
        self._roll(columns, _NO_ANSWERS)

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        row = value if isinstance(value, tuple | list) else (value,)
        self.extend(*([number] for number in row))

    def roll(self, *columns: ArrayLike, at_most: int | None = None) -> Any:
        """For each update: insert it, slide or evict down to `at_most` updates, query."""
        if at_most is not None and at_most < 1:
            raise InputError(f"at_most={at_most}: give how many updates stay, 1 or more")
        out = self._roll(columns, _ALL if at_most is None else at_most)
        return self._named(self._intervals(out))

    def _roll(self, columns: Sequence[ArrayLike], at_most: int) -> list[NDArray[Any]]:
        read, masks = columns_of(columns, self._dtypes)
        row, end = 0, len(read[0])
        out = room_for(self._results, 0 if at_most == _NO_ANSWERS else end)
        addresses = tuple(array.ctypes.data for array in out)
        while row < end:
            row = self._steps.roll(read, masks, row, end, *self._places, at_most, addresses)
            if row < end:
                self._forest = larger_forest(self._operator, self._forest)
        return out

    def evict(self, count: int = 1) -> None:
        """Remove the oldest `count` updates in one operation."""
        count = require_evictable(count, len(self))
        if count:
            self._steps.evict(*self._places, count)

    def slide(self) -> int:
        """Enforce the slide policy; return how many updates were evicted, about."""
        if self._steps.slide is None:
            raise WindowError(
                "CompiledApproximateAmta was built without a policy; give policy=window.policy(...)"
            )
        held = len(self)
        self._steps.slide(*self._places)
        return held - len(self)

    def query(self) -> Any:
        """The interval of the aggregate; a dict of intervals if there are several aggregates."""
        out = room_for(self._results, 1)
        self._steps.answer(*self._places, tuple(array.ctypes.data for array in out))
        return self._named([intervals.first() for intervals in self._intervals(out)])

    def dump(self) -> bytes:
        """The state of the window as bytes, for `load`."""
        evicted, split, inserted = (self._forest[k].item() for k in (EVICTED, SPLIT, INSERTED))
        head = np.array([evicted, split, inserted], np.int64)
        slots = np.arange(evicted, inserted) & (self._forest[CAPACITY] - 1)
        leaves = self._nodes()[:, slots]
        return b"".join(part.tobytes() for part in (head, self._cells[self._changing], leaves))

    def load(self, content: bytes | None) -> None:
        """Resume from what a window of the same kind dumped; None starts an empty window."""
        self._cells = self._begun_with.copy()
        if content is None:
            self._steps.reset(*self._places)
            return
        own = len(self._changing)
        if len(content) % 8 or len(content) < 8 * (3 + own):
            raise self._damaged(f"{len(content)} bytes")
        cells = np.frombuffer(content, np.int64)
        self._cells[self._changing] = cells[3 : 3 + own]
        self._refill(cells[:3].tolist(), cells[3 + own :])

    def adopt(self, snapshot: Snapshot) -> None:
        """Resume from a snapshot of an `ApproximateAmta` with the same aggregates and methods.

        A trailing window of time goes on from one with a policy on the range of times.
        """
        self._cells = self._begun_with.copy()
        try:
            numbers, leaves = adopted(snapshot, self._operator, self._methods, self._cells)
        except (LookupError, OverflowError, TypeError, ValueError) as reason:
            raise self._damaged(reason) from None
        self._refill(numbers, leaves)

    def _refill(self, numbers: Sequence[int], leaves: NDArray[np.int64]) -> None:
        """Make the forest of leaves whose numbers are from the first up to the last of three.

        Compiled code reads and writes where numbers and sizes say, so they must be a window's.
        """
        try:
            self._require_sound(numbers, leaves.reshape(len(self._operator.state), -1))
        except ValueError as reason:
            raise self._damaged(reason) from None
        evicted, split, inserted = numbers
        capacity = max(1 << (inserted - evicted).bit_length(), _FIRST_CAPACITY)
        if self._forest[CAPACITY] < capacity:
            self._forest = new_forest(self._operator, capacity)
        own = np.ascontiguousarray(leaves)
        address_and_count = (own.ctypes.data, inserted - evicted)
        self._steps.refill(*self._places, address_and_count, evicted, split)

    def _require_sound(self, numbers: Sequence[int], leaves: NDArray[np.int64]) -> None:
        """Refuse what is not of a window: ValueError."""
        evicted, split, inserted = numbers
        require_forest(evicted, split, inserted)
        if leaves.shape[1] != inserted - evicted:
            raise ValueError(f"{leaves.shape[1]} buckets for {inserted - evicted}")
        cells = self._cells
        oldest, newest = (cells[bucket_at(self._operator, k)][0].item() for k in range(2))
        left = cells[at.LEAST].item(), cells[at.MOST].item()
        require_sizes(oldest, leaves[0].tolist(), newest, cells[at.BEHIND].item(), left)
        if Even() in self._methods.kinds and cells[self._limit] < 1:
            raise ValueError(f"at most {cells[self._limit]} buckets")

    def _damaged(self, reason: object) -> SnapshotError:
        return SnapshotError(
            f"a window of {self._described} that was kept is damaged ({reason}); use a copy of "
            "the checkpoint, or a new one"
        )

    def _nodes(self) -> NDArray[np.int64]:
        """The cells of all nodes, a row for each field."""
        nodes = self._forest[first_node_of(self._operator) :]
        return nodes.reshape(len(self._operator.state), -1)

    def snapshot(self) -> Snapshot:
        """The window as data, which later changes of the window do not affect."""
        kept = self._cells.copy(), self._forest.copy()
        return Snapshot("CompiledApproximateAmta", self._described, kept)

    def restore(self, snapshot: Snapshot) -> None:
        """Resume from a snapshot of a window with the same aggregate and methods."""
        require_own(snapshot, "CompiledApproximateAmta", self._described)
        cells, forest = snapshot.data
        self._cells, self._forest = cells.copy(), forest.copy()

    def _intervals(self, out: Sequence[NDArray[Any]]) -> list[Intervals]:
        names = [name or self._described for name in self._names]
        return [intervals_of(out, number, name) for number, name in enumerate(names)]

    def _named(self, results: Sequence[Any]) -> Any:
        return results[0] if self._bare else dict(zip(self._names, results, strict=True))


def _require_in_order(window: TrailingTime) -> None:
    """Refuse windows that do not contain their own row: results are given row by row."""
    if not window.closed.at_end or window.ties is not Ties.ARRIVAL:
        wanted = TrailingTime(
            window.duration_us, Closed.BOTH if window.closed.at_start else Closed.RIGHT
        )
        raise WindowError(
            f"policy={window!r} does not end with its row, and a window of buckets is answered row "
            f"by row; use {wanted!r}, or windrow.roll, which is exact"
        )


def _columns(aggregates: Sequence[Aggregate[Any]]) -> list[Any]:
    """What aggregates read, each once."""
    found: list[Any] = []
    for aggregate in aggregates:
        found += [column for column in aggregate.columns if column not in found]
    return found or [None]


def _dtypes(given: tuple[Any, ...] | None, columns: int, *, timed: bool) -> tuple[Any, ...]:
    found = (FLOAT,) * columns if given is None else dtypes_of(given)
    if len(found) != columns or any(dtype not in (FLOAT, INT) for dtype in found):
        raise AggregateError(
            f"dtypes={shown(given)}; give float64 or int64 for each of {columns} column(s)"
        )
    return (*found, INT) if timed else found
