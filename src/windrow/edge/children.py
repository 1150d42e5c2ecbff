"""What every node with children does: take their frames, merge them, answer them."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from windrow.edge.inflow import Applied, Inflow, Merged
from windrow.edge.payload import END, Payload, payload_for
from windrow.edge.query import NodeQuery, read_node_query
from windrow.errors import MessageError
from windrow.wire.messages import (
    Ack,
    Asking,
    Dropping,
    Frame,
    Hello,
    Late,
    LateAck,
    Leaving,
    Message,
    Resend,
    Status,
    Welcome,
)
from windrow.wire.tables import table_bytes, table_of

__all__ = ["Absence", "Children", "Send"]

_REMIND_US = 5_000_000  # who has not begun by then may not have heard what is asked


class Absence(Enum):
    """What becomes of results while a member is silent."""

    WAIT = "wait"  # they wait for it
    EXCLUDE = "exclude"  # they come without it, and say so


@dataclass(frozen=True)
class Send:
    """A message for a neighbour."""

    to: str
    message: Message


@dataclass
class _Known:
    """A query at a node with children."""

    query: NodeQuery
    payload: Payload
    inflow: Inflow


class Children(ABC):
    """The lower side of a merger or a landing."""

    def __init__(
        self,
        name: str,
        members: Iterable[str],
        *,
        buffer_bytes: int = 64 << 20,
        absence: Absence = Absence.WAIT,
        patience_us: int = 30_000_000,
    ) -> None:
        self.name = name
        self.members = sorted(members)
        self.former: set[str] = set()  # who has left, and may not know that it has
        self.counts: Counter[str] = Counter()
        self._buffer_bytes = buffer_bytes
        self._absence, self._patience_us = absence, patience_us
        self._known: dict[str, _Known] = {}
        self._watched = 0
        self._heard: dict[str, int] = {}  # when each member was last heard of
        self._epochs: dict[str, int] = {}
        self._leaving: set[str] = set()
        self._reminded = 0  # when those that had not begun were asked again
        self._greeted: set[str] = set()  # members that wait for a welcome
        self._statuses: dict[str, Any] = {}
        self._out: list[Send] = []
        self.revision = 0  # how often what is asked has changed
        self._unacked: set[tuple[str, str]] = set()  # members and queries to be answered

    @property
    def queries(self) -> list[str]:
        """The fingerprints of what is computed."""
        return [*self._known]

    def ask(self, text: str, since: int | None = None) -> str:
        """Compute a query from now on; all children hear of it."""
        query = read_node_query(text)
        fingerprint = query.fingerprint
        if fingerprint not in self._known:
            payload = payload_for(query)
            inflow = Inflow(payload, self.members, since)
            self._known[fingerprint] = _Known(query, payload, inflow)
            self._begun(fingerprint)
            self._greeted.update(self._epochs)
        return fingerprint

    def drop(self, fingerprint: str) -> None:
        """A query that nobody asks any more."""
        if self._known.pop(fingerprint, None) is not None:
            self._out += [Send(member, Dropping(fingerprint)) for member in self.members]

    def join(self, member: str) -> None:
        """A new child, from what has been merged on."""
        self.former.discard(member)
        if member not in self.members:
            self.members = sorted([*self.members, member])
            for fingerprint, known in self._known.items():
                known.inflow.join(member, self._passed(fingerprint))

    def replace(self, member: str, heirs: Iterable[str]) -> None:
        """The children of a dead child take its place, from where its frames ended."""
        heirs = sorted(heirs)
        self.members = sorted({*self.members, *heirs} - {member})
        self.former.add(member)
        self._epochs.pop(member, None)
        for known in self._known.values():
            known.inflow.replace(member, heirs)

    def release(self, member: str) -> bool:
        """Do without a child that sends nothing more; whether all that it sent has been merged."""
        inflows = [known.inflow for known in self._known.values()]
        if any(inflow.merged is None or inflow.size(member) for inflow in inflows):
            return False
        for inflow in inflows:
            reached = (inflow.frontier(member), inflow.merged)
            inflow.leave(member, min(at for at in reached if at is not None))
        self._leaving.add(member)
        return True

    def receive(self, member: str, message: Message, now: int) -> None:
        """What a child says; the carrier vouches for its name."""
        if member in self.former and isinstance(message, Hello):
            self._greeted.add(member)
            return
        if member not in self.members:
            self.counts["messages of strangers"] += 1
            return
        self._heard[member] = now
        if not self._is_ready() and not isinstance(message, Hello):
            self.counts["early messages"] += 1
            return
        if isinstance(message, Hello):
            self._epochs[member] = message.epoch
            self._greeted.add(member)
        elif isinstance(message, Frame):
            self._take(member, message)
        elif isinstance(message, Late):
            self._take_late(member, message)
        elif isinstance(message, Leaving):
            self._leaving.add(member)
            for fingerprint, at in message.frontiers.items():
                if fingerprint in self._known:
                    self._known[fingerprint].inflow.leave(member, at)
            self._greeted.add(member)
        elif isinstance(message, Status):
            self._statuses.update(message.nodes)
        else:
            self.counts["messages out of place"] += 1

    def step(self, now: int) -> list[Send]:
        """Merge what has become complete, and say what to send."""
        self._watch(now)
        self._let_go()
        for fingerprint, known in self._known.items():
            for merged in known.inflow.ready():
                self._pass_on(fingerprint, known.payload, merged)
                self._answer_all(fingerprint)
            self._take_behind(fingerprint, known.inflow)
        self._settle(now)
        if self._is_ready():
            self._remind(now)
            self._welcome()
        self._answer()
        out, self._out = self._out, []
        return out

    @abstractmethod
    def _begun(self, fingerprint: str) -> None:
        """A query is computed here from now on."""

    @abstractmethod
    def _pass_on(self, fingerprint: str, payload: Payload, merged: Merged) -> None:
        """A stretch is complete."""

    @abstractmethod
    def _pass_on_late(self, late: Late) -> bool:
        """Late rows have come; whether they are safe at once."""

    @abstractmethod
    def _settle(self, now: int) -> None:
        """All of this step has been passed on."""

    def _passed(self, fingerprint: str) -> int | None:
        """Up to where frames have gone on: from there on the rows of a new member count."""
        return self._known[fingerprint].inflow.merged

    def _is_ready(self) -> bool:
        """Whether it is known what is asked, and how far the node had come."""
        return True

    @abstractmethod
    def _durable(self, fingerprint: str) -> int:
        """Up to where all will survive any crash."""

    def _take(self, member: str, frame: Frame) -> None:
        known = self._known.get(frame.query)
        if known is None:
            self.counts["frames of unknown queries"] += 1
            return
        try:
            applied = known.inflow.apply(member, frame)
        except MessageError:
            self.counts["damaged frames"] += 1
            return
        self.counts[f"{applied.value} frames"] += 1
        self._take_behind(frame.query, known.inflow)
        frontier = known.inflow.frontier(member)
        if applied is Applied.UNBEGUN:
            self._greeted.add(member)
        elif applied is Applied.GAP and frontier is not None:
            self._out.append(Send(member, Resend(frame.query, frontier)))
        else:
            self._unacked.add((member, frame.query))

    def _take_behind(self, fingerprint: str, inflow: Inflow) -> None:
        """What has been merged without a member goes on as late, frame by frame."""
        for late in inflow.behind:
            # Numbered by time: whoever has this has all that the member sent late before.
            sender = f"{self.name} without {late.member}"
            body, stretch = table_bytes(late.body), (late.since, late.to, late.missing)
            self._take_late(
                late.member, Late(fingerprint, sender, late.to, late.rows, body, *stretch)
            )
        inflow.behind.clear()

    def _take_late(self, member: str, late: Late) -> None:
        known = self._known.get(late.query)
        if known is None:
            self.counts["frames of unknown queries"] += 1
            return
        try:  # nobody above looks again before it is in the results
            table_of(
                late.body, known.payload.schema if late.is_frame else known.query.definition.schema
            )
        except MessageError:
            self.counts["damaged late tables"] += 1
            return
        if self._pass_on_late(late):
            self._late_is_safe(member, LateAck(late.query, late.sender, late.number))

    def _late_is_safe(self, member: str, ack: LateAck) -> None:
        """What came late by a member is on the root's disk."""
        known = self._known.get(ack.query)
        if known is not None and ack.sender == f"{self.name} without {member}":
            known.inflow.late_is_safe(member, ack.number)
            self._unacked.add((member, ack.query))
        else:
            self._out.append(Send(member, ack))

    def _remind(self, now: int) -> None:
        """Ask again who has not begun: what it was told may have got lost."""
        if now - self._reminded < _REMIND_US:
            return
        self._reminded = now
        for fingerprint, known in self._known.items():
            for member in sorted(self._epochs):
                if known.inflow.frontier(member) is None and not known.inflow.has_left(member):
                    self._out.append(Send(member, Asking(fingerprint, known.query.text)))

    def _welcome(self) -> None:
        for member in sorted(self._greeted):
            frontiers, durable, passed = {}, {}, {}
            for fingerprint, known in self._known.items():
                if known.inflow.has_left(member):
                    frontiers[fingerprint] = END
                    # What came late of it may not be safe yet.
                    safe = known.inflow.durable(member, self._durable(fingerprint))
                    durable[fingerprint] = safe
                    continue
                self._out.append(Send(member, Asking(fingerprint, known.query.text)))
                if (gone := self._passed(fingerprint)) is not None:
                    passed[fingerprint] = gone
                frontier = known.inflow.frontier(member)
                if frontier is not None:
                    frontiers[fingerprint] = frontier
                    durable[fingerprint] = self._durable_for(member, fingerprint)
            credit = self._credit(member)
            asked = tuple(self._known)
            welcome = Welcome(asked, self.revision, frontiers, durable, passed, credit)
            self._out.append(Send(member, welcome))
        self._greeted.clear()

    def _answer_all(self, fingerprint: str) -> None:
        """Something has become safe, or has been merged."""
        self._unacked.update((member, fingerprint) for member in (*self.members, *self.former))

    def _answer(self) -> None:
        for member, fingerprint in sorted(self._unacked):
            known = self._known.get(fingerprint)
            frontier = None if known is None else known.inflow.frontier(member)
            if frontier is None:
                continue
            durable = self._durable_for(member, fingerprint)
            ack = Ack(fingerprint, frontier, durable, self._credit(member))
            self._out.append(Send(member, ack))
        self._unacked.clear()

    def _durable_for(self, member: str, fingerprint: str) -> int:
        """Up to where a member need not keep its frames."""
        inflow = self._known[fingerprint].inflow
        durable = self._durable(fingerprint)
        frontier = inflow.frontier(member)
        return inflow.durable(member, durable if frontier is None else min(frontier, durable))

    def _credit(self, member: str) -> int:
        held = sum(known.inflow.size(member) for known in self._known.values())
        return max(0, self._buffer_bytes - held)

    def _watch(self, now: int) -> None:
        """Do without members that are silent for too long, if that is wanted."""
        if self._absence is Absence.WAIT or now - self._watched < self._patience_us // 8:
            return
        self._watched = now
        for member in self.members:
            if now - self._heard.setdefault(member, now) > self._patience_us:
                for known in self._known.values():
                    known.inflow.exclude(member)

    def _let_go(self) -> None:
        """Do without members that have left, query by query."""
        inflows = [known.inflow for known in self._known.values()]
        for member in sorted(self._leaving):
            if all(member not in inflow.members for inflow in inflows):
                self._leaving.discard(member)
                self.former.add(member)
                self.members = [name for name in self.members if name != member]

    def _statuses_with(self, own: dict[str, Any]) -> Status:
        return Status({**self._statuses, self.name: own})

    def figures(self) -> dict[str, Any]:
        """Plain numbers about the node."""
        queries = {
            fingerprint: {
                "frontier": known.inflow.merged,
                "members": {m: known.inflow.frontier(m) for m in self.members},
                "missing": sorted(known.inflow.excluded),
            }
            for fingerprint, known in self._known.items()
        }
        return {
            "members": self.members,
            "connected": sorted(self._epochs),
            "counts": dict(self.counts),
            "queries": queries,
        }
