"""A leaf: rows of devices in, frames out.

What a leaf has taken, and where it has cut time, is in its log before it is acknowledged; after a
crash it reads the log again and is the same as before, frame by frame.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from windrow.edge.clock import Pace
from windrow.edge.journal import entry_of, record_of, rows_as_bytes
from windrow.edge.leaf_state import Batch, LeafState
from windrow.edge.payload import BEGIN, Payload
from windrow.edge.query import read_node_query
from windrow.errors import WindrowError
from windrow.wire.log import Disk
from windrow.wire.messages import Asking, Dropping, Frame, Late, Message, Status, Welcome

__all__ = ["Batch", "Leaf", "Taken"]

_SNAPSHOT_BYTES = 64 << 20  # as much is read again after a crash, at most twice


@dataclass(frozen=True)
class Taken:
    """What became of a batch: it is in the log, unless the leaf is full."""

    source: str
    number: int | None
    accepted: bool


class Leaf:
    """The core of a leaf: no clock, disk or network of its own."""

    def __init__(
        self,
        name: str,
        disk: Disk,
        queries: Sequence[str] = (),
        pace: Pace | None = None,
        *,
        spool_bytes: int = 1 << 30,
        snapshot_bytes: int = _SNAPSHOT_BYTES,
    ) -> None:
        self.name = name
        self._disk = disk
        self._spool_bytes, self._snapshot_bytes = spool_bytes, snapshot_bytes
        self._state = LeafState(name, pace or Pace())
        self._revision = 0  # of what the parent has said is asked
        for _, record in disk.records():
            self._state.apply(*entry_of(record))
        self._since_snapshot = disk.size
        self._apply({"kind": "start", "epoch": self._state.epoch + 1})
        for text in queries:
            self.ask(text)
        disk.sync()

    @property
    def counts(self) -> Counter[str]:
        """What was refused or came late, by reason."""
        return self._state.counts

    @property
    def queries(self) -> list[str]:
        """The fingerprints of what is computed here."""
        return [*self._state.asked]

    @property
    def schema(self) -> pa.Schema:
        """The columns that rows may have: those of all queries."""
        return pa.unify_schemas([asked.query.source_schema for asked in self._state.asked.values()])

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of the last batch of each source."""
        return dict(self._state.sources)

    @property
    def is_full(self) -> bool:
        """Whether rows are refused until the root has caught up."""
        return self._disk.size > self._spool_bytes

    def ask(self, text: str) -> str:
        """Compute a query from now on; one that is known already goes on."""
        query = read_node_query(text)
        if query.fingerprint not in self._state.asked:
            self._apply({"kind": "ask", "text": text})
            if not self._state.numbered:  # it misses nothing
                self._apply({"kind": "begin", "query": query.fingerprint, "since": BEGIN})
        return query.fingerprint

    def insert(self, batches: Sequence[Batch], now: int) -> list[Taken]:
        """Take rows; they are safe after the next `step`, which the answers must wait for.

        A source counts its batches up, and sends again what was refused before what follows it: a
        number below one that was taken is a repetition.
        """
        taken = []
        for batch in batches:
            known = self._state.sources.get(batch.source, -1)
            accepted = True
            if batch.number is not None and batch.number <= known:
                self.counts["duplicate batches"] += 1
            elif not self._state.asked or self.is_full:
                self.counts["refused batches"] += 1
                accepted = False
            else:
                entry = {"kind": "rows", "source": batch.source, "number": batch.number, "now": now}
                self._state.take(batch, now)  # rows that cannot be taken must not be in the log
                self._note(entry, rows_as_bytes(batch.rows))
            taken.append(Taken(batch.source, batch.number, accepted))
        return taken

    def end(self) -> None:
        """All sources have ended: no more rows will come."""
        self._apply({"kind": "end"})

    def receive(self, message: Message, now: int, *, new: bool = False) -> None:
        """What the parent says, or the new one while the leaf moves."""
        if new:
            self._receive_from_new(message, now)
            return
        if isinstance(message, Asking):
            try:
                self.ask(message.text)
            except WindrowError:
                self.counts["unreadable queries"] += 1
        elif isinstance(message, Dropping):
            if message.query in self._state.asked:
                self._apply({"kind": "drop", "query": message.query})
        else:
            if isinstance(message, Welcome):
                self._begin_where_welcome(message)
            self._state.up.handle(message, now)
            if isinstance(message, Welcome) and not self._state.asked.keys() >= set(
                message.queries
            ):
                self._state.up.again()

    def lost(self, *, new: bool = False) -> None:
        """The way to the parent is gone."""
        up = self._state.new if new else self._state.up
        if up is not None:
            up.lost()

    def move(self) -> None:
        """Go to another parent: from a time on that it names, frames go there."""
        if self._state.new is None:
            self._apply({"kind": "move"})

    @property
    def is_moving(self) -> bool:
        """Whether there are two parents."""
        return self._state.new is not None

    def step(self, now: int) -> list[Message]:
        """Go on as far as time has come, make all of it safe, and say what to send."""
        for fingerprint, asked in self._state.asked.items():
            reached = self._state.clock.reached(asked.query.lateness_us, now)
            to = asked.payload.edge(reached)
            if asked.begun is None:
                continue
            for edge in sorted({to, min(to, self._state.handed.get(fingerprint, to))}):
                if edge > asked.sent:
                    self._apply({"kind": "cut", "query": fingerprint, "to": edge})
            folded = asked.payload.fold_edge(reached)
            if folded > max(asked.folded, asked.sent) and asked.held.rows:
                self._apply({"kind": "fold", "query": fingerprint, "to": folded})
        if self._state.new is not None and self._state.has_moved:
            self._apply({"kind": "moved"})
        grown = self._disk.size - self._since_snapshot > self._snapshot_bytes
        if grown or (self.is_full and self._state.size < self._disk.size - self._spool_bytes // 2):
            self._snapshot()
        self._disk.sync()
        return self._state.up.sends(now)

    def sends_to_new(self, now: int) -> list[Message]:
        """What to send to the new parent while the leaf moves; to be called after `step`."""
        return [] if self._state.new is None else self._state.new.sends(now)

    def unsafe(self) -> list[Frame | Late]:
        """What has been sent, or will be, and is not known to be safe."""
        return [message for way in self._state.ways for message in way.unsafe()]

    def figures(self) -> dict[str, Any]:
        """Plain numbers about the leaf."""
        queries = {
            name: {"frontier": asked.sent, "waiting": asked.held.waiting, "late": asked.late}
            for name, asked in self._state.asked.items()
        }
        return {
            "role": "leaf",
            "epoch": self._state.epoch,
            "rows": self._state.numbered,
            "newest": self._state.clock.newest,
            "log_bytes": self._disk.size,
            "unsafe_bytes": self._state.up.size,
            "counts": dict(self.counts),
            "queries": queries,
        }

    def status(self) -> Status:
        """How the leaf fares, for its parents."""
        return Status({self.name: self.figures()})

    # What changes the leaf is noted before it is applied, and applied again after a crash.

    def _note(self, entry: Mapping[str, Any], body: Any = b"") -> int:
        return self._disk.append(record_of(entry, body))

    def _apply(self, entry: dict[str, Any]) -> None:
        self._note(entry)
        self._state.apply(entry)

    # While the leaf moves, the old parent gets all frames before a time, the new one those after.

    def _receive_from_new(self, message: Message, now: int) -> None:
        if self._state.new is None or isinstance(message, Asking | Dropping):
            return
        self._state.new.handle(message, now)
        if isinstance(message, Welcome):
            for fingerprint, asked in self._state.asked.items():
                if asked.begun is None or fingerprint in self._state.handed:
                    continue
                known = (message.frontiers, message.passed)
                at = max(asked.sent, *(found.get(fingerprint, BEGIN) for found in known))
                self._apply({"kind": "hand", "query": fingerprint, "at": at})

    def _begin_where_welcome(self, welcome: Welcome) -> None:
        if welcome.revision > self._revision:
            self._revision = welcome.revision
            for fingerprint in self._state.asked.keys() - set(welcome.queries):
                self._apply({"kind": "drop", "query": fingerprint})
        for fingerprint, asked in self._state.asked.items():
            frontier = welcome.frontiers.get(fingerprint)
            if asked.begun is None:
                newest = self._state.clock.newest
                own = BEGIN if newest == BEGIN else _edge_after(asked.payload, newest)
                since = own if frontier is None else max(own, frontier)
                self._apply({"kind": "begin", "query": fingerprint, "since": since})
            elif fingerprint in self._state.handed:
                continue
            elif frontier is not None and frontier > asked.sent:
                # The tree has gone on without this leaf: what it has from before comes late.
                self._apply({"kind": "overtaken", "query": fingerprint, "to": frontier})

    # A snapshot stands for all records before it.

    def _snapshot(self) -> None:
        """Write down all there is, and let go of the log before it."""
        number = self._note(*self._state.snapshot())
        self._disk.sync()
        self._disk.drop_before(number)
        self._since_snapshot = self._disk.size


def _edge_after(payload: Payload, time: int) -> int:
    """The first edge after a time."""
    step = 1
    while payload.edge(time + step) <= time:
        step *= 2
    return payload.edge(time + step)
