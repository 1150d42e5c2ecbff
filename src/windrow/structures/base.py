"""One protocol for every structure that keeps a window: insert, evict, query, slide.

A subclass keeps states and never sees values, results or predicates: `insert` lifts before it
calls `_insert`, `query` lowers what `_total` returns, `slide` judges what the structure shows it.
"""

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from typing import Any, SupportsIndex

from windrow.algebra.aggregate import Aggregation
from windrow.arguments import shown
from windrow.errors import EmptyWindowError, InputError, SnapshotError, WindowError
from windrow.structures.contents import Contents
from windrow.structures.monotone import verify
from windrow.windows.options import Check
from windrow.windows.policy import Policy

__all__ = ["Aggregator", "Snapshot", "require_evictable", "require_own"]


@dataclass(frozen=True)
class Snapshot:
    """A structure as data, from which another one can resume; picklable if the states are.

    >>> from windrow import agg, structures
    >>> before, after = structures.Amta(agg.sum()), structures.Amta(agg.sum())
    >>> before.insert(3)
    >>> after.restore(before.snapshot())
    >>> after.query()
    3
    """

    structure: str
    aggregate: str
    data: tuple[Any, ...]


class Aggregator(ABC):
    """One window over one ordered stream.

    Updates are numbered from 0 as they are inserted; the window is `[evicted, inserted)`.  Unlike
    `windrow.roll` and queries on Spark, structures do not check the types of values: they take
    whatever the aggregate can compute with, and Python's own errors come through.

    >>> from windrow import agg, structures
    >>> isinstance(structures.TwoStacks(agg.max()), Aggregator)
    True
    """

    def __init__(self, monoid: Aggregation, policy: Policy | None = None) -> None:
        self._contents = Contents(monoid, policy)
        self._lift = self._contents.monoid.lift
        self._combine = self._contents.monoid.combine
        self._identity = self._contents.monoid.identity
        # A checked policy is judged on every suffix and prefix: all leaves must be at hand.
        checked = policy is not None and policy.check is Check.VERIFY
        self._leaves: deque[Any] | None = deque() if checked else None
        self._described = self._contents.described + (", checked" if checked else "")
        self._clear()

    def insert(self, value: Any) -> None:
        """Append one update, the newest."""
        state = self._lift(value)
        self._insert(state)
        if self._leaves is not None:
            self._leaves.append(state)

    def evict(self, count: int = 1) -> None:
        """Remove the oldest `count` updates in one operation."""
        count = require_evictable(count, len(self))
        if count:
            self._evict(count)
        self._forget(count)

    def query(self) -> Any:
        """The aggregate of all updates in the window."""
        return self._contents.result(self._total())

    def slide(self) -> int:
        """Enforce the slide policy; return how many updates were evicted."""
        if self._contents.policy is None:
            raise WindowError(
                f"{type(self).__name__} was built without a policy; "
                "give policy=window.policy(...) to slide, or evict(count) by hand"
            )
        if self._leaves is not None:
            verify(self._contents.judge, self._combine, self._leaves)
        gone = self._slide() if len(self) else 0
        self._forget(gone)
        return gone

    def snapshot(self) -> Snapshot:
        """The structure as data, which later changes of the window do not affect."""
        leaves = None if self._leaves is None else tuple(self._leaves)
        return Snapshot(type(self).__name__, self._described, (leaves, *self._dump()))

    def restore(self, snapshot: Snapshot) -> None:
        """Resume from a snapshot of a structure of the same kind and aggregate."""
        require_own(snapshot, type(self).__name__, self._described)
        leaves, *data = snapshot.data
        if leaves is not None:
            self._leaves = deque(leaves)
        self._load(*data)

    def _forget(self, count: int) -> None:
        if self._leaves is not None:
            for _ in range(count):
                self._leaves.popleft()

    @abstractmethod
    def __len__(self) -> int:
        """How many updates the window holds."""

    @abstractmethod
    def _clear(self) -> None:
        """Start with an empty window."""

    @abstractmethod
    def _insert(self, state: Any) -> None:
        """Append the state of one update."""

    @abstractmethod
    def _evict(self, count: int) -> None:
        """Remove the oldest `count` ≥ 1 updates, no more than there are."""

    @abstractmethod
    def _total(self) -> Any:
        """The state of the whole window."""

    @abstractmethod
    def _slide(self) -> int:
        """Evict all that the policy wants to leave a window that is not empty, and count it."""

    @abstractmethod
    def _dump(self) -> tuple[Any, ...]:
        """What `_load` needs; must not share mutable parts with the structure."""

    @abstractmethod
    def _load(self, *data: Any) -> None:
        """Take over what `_dump` gave; must not share mutable parts with it."""


def require_evictable(count: object, held: int) -> int:
    """The number of updates to evict, if it is one and the window holds as many."""
    if type(count) is int:  # the usual case, asked first: asking for a protocol takes microseconds
        number = count
    elif isinstance(count, SupportsIndex) and not isinstance(count, bool):
        number = count.__index__()
    else:
        raise InputError(f"evict(count={shown(count)}): give a whole number of updates")
    if number < 0:
        raise InputError(f"evict(count={shown(number)}): give 0 or more updates to evict")
    if number > held:
        raise EmptyWindowError(
            f"evict(count={shown(number)}) from a window of {held} update(s); "
            "ask len() first, or evict at most that many"
        )
    return number


def require_own(snapshot: object, structure: str, aggregate: str) -> None:
    """Refuse what is no snapshot of this structure over this aggregate."""
    if not isinstance(snapshot, Snapshot):
        raise SnapshotError(f"restore({shown(snapshot)}): give what snapshot() returned")
    if (snapshot.structure, snapshot.aggregate) != (structure, aggregate):
        raise SnapshotError(
            f"snapshot of {snapshot.structure} over {snapshot.aggregate} does not fit "
            f"{structure} over {aggregate}; "
            "restore into a structure built with the same aggregate and policy"
        )
