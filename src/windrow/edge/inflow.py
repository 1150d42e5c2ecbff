"""The frames of a node's children, merged as far as all of them have come.

A child's frontier says up to which time all its rows are here.  What lies before the smallest
frontier of all members is merged, in the order of their names, and goes on.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush

import pyarrow as pa

from windrow.edge.payload import BEGIN, Payload
from windrow.wire.messages import Frame
from windrow.wire.tables import MOST_BYTES, table_of

_MOST_EARLY = 64

__all__ = ["Applied", "Behind", "Inflow", "Merged"]


class Applied(Enum):
    """What became of a frame."""

    NEW = "new"
    DUPLICATE = "duplicate"
    EARLY = "early"  # it waits for frames before it
    GAP = "gap"  # so it does, and these are to be sent again
    UNBEGUN = "unbegun"  # where its frames begin is not known yet
    STRANGER = "stranger"  # it came from no member


@dataclass(frozen=True)
class Merged:
    """A stretch of time of which all members have sent all rows."""

    since: int
    to: int
    rows: int
    body: pa.Table
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Behind:
    """A stretch that a member sent after it had been merged without it."""

    member: str
    since: int
    to: int
    rows: int
    body: pa.Table
    missing: tuple[str, ...]


@dataclass
class _Member:
    """What a child has sent for a query that has not been merged."""

    frontier: int | None = None  # None: it has not begun
    bodies: list[pa.Table] = field(default_factory=list)
    size: int = 0  # in bytes, as they came
    rows: int = 0
    missing: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)  # and where
    until: int | None = None  # from where on its frames go to another parent
    begun: int = BEGIN
    early: dict[int, Frame] = field(default_factory=dict)  # frames that wait, by their beginning
    asked: int | None = None  # from where on frames were asked for again


class Inflow:
    """The frames of one query."""

    def __init__(self, payload: Payload, members: Iterable[str], since: int | None = None) -> None:
        self.payload = payload
        self.merged = since  # None: nothing has been merged yet
        self.members: dict[str, _Member] = {}
        self._frontiers: list[tuple[int, str]] = []  # a heap; entries that are no longer true stay
        self._unbegun: set[str] = set()
        self._leaving: set[str] = set()
        self.left: dict[str, int] = {}  # up to where frames of former members came here
        self.excluded: set[str] = set()  # members that are not waited for
        self.behind: list[Behind] = []  # what members sent after it was merged without them
        self._safe: dict[str, int] = {}  # up to where that is safe, by member
        self._caught: dict[str, int] = {}  # where members were waited for again
        for name in members:
            self.join(name, since)

    def frontier(self, member: str) -> int | None:
        """Up to where a member's rows are here; None if it has not begun."""
        found = self.members.get(member)
        return self.left.get(member) if found is None else found.frontier

    def size(self, member: str) -> int:
        """How many bytes of a member wait to be merged."""
        return self.members[member].size if member in self.members else 0

    def join(self, name: str, since: int | None = None) -> None:
        """A new member, whose rows count from what has been merged on."""
        if name in self.members:
            return
        self.members[name] = member = _Member()
        self.left.pop(name, None)
        self._unbegun.add(name)
        frontier = self.merged if since is None else since
        if frontier is not None:
            self._come(name, member, frontier)

    def leave(self, name: str, at: int) -> None:
        """A member's frames from a frontier on go elsewhere."""
        if name in self.members:
            self.members[name].until = at
            self._leaving.add(name)

    def replace(self, name: str, heirs: Iterable[str]) -> None:
        """Members that go on where another one has stopped, which may send nothing more."""
        member = self.members.get(name)
        if member is None:
            return
        for heir in heirs:
            self.join(heir, member.frontier)
        if member.frontier is None:
            del self.members[name]
            self._unbegun.discard(name)
        else:
            self.leave(name, member.frontier)

    def has_left(self, name: str) -> bool:
        """Whether nothing more is expected of a member."""
        member = self.members.get(name)
        return member is None or (
            member.until is not None
            and member.frontier is not None
            and member.frontier >= member.until
        )

    def resume(self, frontier: int) -> None:
        """Go on from a frontier, after a crash that took all that was here.

        What has come before this was known would come again, and count twice.
        """
        self.merged = frontier
        self.members = {n: _Member(until=member.until) for n, member in self.members.items()}
        for name, member in self.members.items():
            self._come(name, member, frontier)

    def exclude(self, name: str) -> None:
        """Do not wait for a member, until it has caught up."""
        member = self.members.get(name)
        if member is not None and name not in self.excluded:
            self.excluded.add(name)
            if member.frontier is not None:
                self._safe.setdefault(name, member.frontier)

    def go_on_without(self, name: str, frontier: int) -> None:
        """A member had been excluded at a frontier, before a crash of this node."""
        self.members[name].frontier = frontier
        self.excluded.add(name)
        self._safe[name] = frontier

    def durable(self, name: str, durable: int) -> int:
        """Up to where a member need not keep its frames, if what was merged is safe so far."""
        return min(durable, self._safe.get(name, durable))

    def late_is_safe(self, name: str, to: int) -> None:
        """What a member sent after others had gone on is safe up to a time."""
        self._safe[name] = max(self._safe.get(name, to), to)
        if name not in self.excluded and self._safe[name] >= self._caught.get(name, to):
            del self._safe[name]
            self._caught.pop(name, None)

    def apply(self, name: str, frame: Frame, most_bytes: int = MOST_BYTES) -> Applied:
        """Take a frame of a member, if it is the next one."""
        member = self.members.get(name)
        if member is None:
            return Applied.STRANGER
        if member.frontier is None and frame.since < frame.to:
            return Applied.UNBEGUN
        if member.frontier is None:
            member.begun = frame.since
            if name in self.excluded and (self.merged is None or frame.since >= self.merged):
                self.excluded.discard(name)
            elif name in self.excluded:
                self._safe[name] = frame.since
            self._come(name, member, frame.since)
            return Applied.NEW
        if member.until is not None and frame.since >= member.until:
            return Applied.STRANGER  # it has left, or was replaced
        if frame.to <= member.frontier:
            return Applied.DUPLICATE
        if frame.since > member.frontier:
            return self._wait_for(member, frame)
        self._take(name, member, frame, most_bytes)
        while (following := member.early.pop(member.frontier, None)) is not None:
            self._take(name, member, following, most_bytes)
        return Applied.NEW

    def _wait_for(self, member: _Member, frame: Frame) -> Applied:
        """Keep a frame that came before one that it follows, and ask once for that one."""
        if len(member.early) < _MOST_EARLY:
            member.early[frame.since] = frame
        if member.asked == member.frontier:
            return Applied.EARLY
        member.asked = member.frontier
        return Applied.GAP

    def _take(self, name: str, member: _Member, frame: Frame, most_bytes: int) -> None:
        assert member.frontier is not None
        body = table_of(frame.body, self.payload.schema, most_bytes)
        if frame.since < member.frontier:  # cut differently than the last time
            _, body = self.payload.split(body, member.frontier)
        rows = frame.rows
        if name in self.excluded and self.merged is not None:
            late, body = self.payload.split(body, self.merged)
            end = min(frame.to, self.merged)
            if end > member.frontier:
                self.behind.append(Behind(name, member.frontier, end, rows, late, frame.missing))
                rows = 0
            if frame.to >= self.merged:
                self.excluded.discard(name)
                if self._safe.get(name, self.merged) < self.merged:
                    self._caught[name] = self.merged
                else:  # nothing was merged without it
                    self._safe.pop(name, None)
        if body.num_rows:
            member.bodies.append(body)
        member.size += len(frame.body)
        member.rows += rows
        if frame.missing:
            member.missing.append((max(frame.since, member.frontier), frame.to, frame.missing))
        self._come(name, member, frame.to)

    def _come(self, name: str, member: _Member, frontier: int) -> None:
        """All rows of a member before a time are here."""
        member.frontier = frontier
        self._unbegun.discard(name)
        heappush(self._frontiers, (frontier, name))

    def _lowest(self) -> int | None:
        """The smallest frontier of all members that are waited for."""
        while self._frontiers:
            frontier, name = self._frontiers[0]
            member = self.members.get(name)
            if member is not None and member.frontier == frontier and self._counts(name, member):
                return frontier
            heappop(self._frontiers)
        return None

    def _counts(self, name: str, member: _Member) -> bool:
        """Whether a member is waited for; one that is not still has what it has sent already."""
        is_ahead = (
            self.merged is not None
            and member.frontier is not None
            and member.frontier > self.merged
        )
        return name not in self.excluded or is_ahead

    def ready(self) -> Iterator[Merged]:
        """The stretches that have become complete: one for all who are missing alike."""
        while (merged := self._next()) is not None:
            yield merged

    def _next(self) -> Merged | None:
        self._let_go()
        to = self._lowest()
        if to is None or self._unbegun - self.excluded:
            return None
        since = self.merged
        if since is None:
            since = max(m.begun for n, m in self.members.items() if n not in self.excluded)
        if to < since:
            return None
        self.merged = since
        if to == since:
            return None
        stretches = [stretch for member in self.members.values() for stretch in member.missing]
        edges = (edge for start, end, _ in stretches for edge in (start, end))
        to = min([to, *(edge for edge in edges if since < edge)])
        parts, rows = [], 0
        missing = set()
        for name in sorted(self.members):
            member = self.members[name]
            if name in self.excluded and (member.frontier is None or member.frontier < to):
                missing.add(name)
                continue
            own, left = self._parted(member, to)
            if own is not None:
                _, own = self.payload.split(own, since)
                parts.append(own)
            if not left:
                rows += member.rows
                member.rows = member.size = 0
            missing.update(*(n for start, end, n in member.missing if start < to and end > since))
            member.missing = [stretch for stretch in member.missing if stretch[1] > to]
        self.merged = to
        return Merged(since, to, rows, self.payload.merge(parts), tuple(sorted(missing)))

    def _parted(self, member: _Member, to: int) -> tuple[pa.Table | None, bool]:
        """What a member has before a time, and whether more is left."""
        if not member.bodies:
            return None, False
        body = pa.concat_tables(member.bodies)
        own, rest = self.payload.split(body, to)
        member.bodies = [rest] if rest.num_rows else []
        return own, bool(member.bodies)

    def _let_go(self) -> None:
        """Do without members of which all has been merged that was to come here."""
        for name in sorted(self._leaving):
            member = self.members[name]
            until, frontier = member.until, member.frontier
            if until is None or self.merged is None or self.merged < until:
                continue
            if frontier is None or frontier < until:
                continue  # what was merged without it is still to come
            if name in self.excluded and frontier < self.merged:
                # What was merged without it from there on, another parent has.
                nothing = self.payload.schema.empty_table()
                self.behind.append(Behind(name, frontier, self.merged, 0, nothing, ()))
                self._caught[name] = self.merged
            del self.members[name]
            self.left[name] = until
            self.excluded.discard(name)
            self._leaving.discard(name)
