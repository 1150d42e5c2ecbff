"""A leaf: rows of devices in, frames out.

What a leaf has taken, and where it has cut time, is in its log before anybody is told; after a
crash it reads the log again and is the same as before, frame by frame.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.columnar.keyed import numbers
from windrow.edge.clock import EventClock, Pace
from windrow.edge.journal import entry_of, joined, parted, record_of, rows_as_bytes, rows_of
from windrow.edge.payload import BEGIN, Held, Payload, payload_for
from windrow.edge.query import NodeQuery, read_node_query
from windrow.edge.upward import Upward
from windrow.errors import WindrowError
from windrow.wire.log import Disk
from windrow.wire.messages import Asking, Dropping, Frame, Late, Message, Status, Welcome
from windrow.wire.messages import decode, encode
from windrow.wire.tables import table_bytes, table_of

__all__ = ["Batch", "Leaf", "Taken"]

_UNBOUNDED = 1 << 62  # what a leaf has written itself it also reads
_SNAPSHOT_BYTES = 64 << 20  # as much is read again after a crash, at most twice


@dataclass(frozen=True)
class Batch:
    """Rows of a source; `number` counts its batches, so that one sent twice counts once."""

    source: str
    rows: pa.Table
    number: int | None = None


@dataclass(frozen=True)
class Taken:
    """What became of a batch: it is in the log, unless the leaf is full."""

    source: str
    number: int | None
    accepted: bool


@dataclass
class _Asked:
    """A query at a leaf."""

    query: NodeQuery
    payload: Payload
    held: Held = field(default_factory=Held)
    begun: int | None = None  # rows before it are not asked for; None: it has not begun
    sent: int = BEGIN  # the end of the last frame
    late: int = 0  # the number of the last late table
    rows: int = 0  # how many went in since the last frame


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
        self.counts: Counter[str] = Counter()
        self._disk = disk
        self._pace = pace or Pace()
        self._spool_bytes, self._snapshot_bytes = spool_bytes, snapshot_bytes
        self._reset()
        self._replaying = True
        for _, record in disk.records():
            self._replay(*entry_of(record))
        self._replaying = False
        self._since_snapshot = disk.size
        self._epoch += 1
        self._up.epoch = self._epoch
        self._note({"kind": "start", "epoch": self._epoch})
        for text in queries:
            self.ask(text)
        disk.sync()

    def _reset(self) -> None:
        self._clock = EventClock(self._pace)
        self._asked: dict[str, _Asked] = {}
        self._sources: dict[str, int] = {}  # the number of the last batch of each
        self._numbered = 0  # rows so far
        self._epoch = 0
        self._revision = 0  # of what the parent has said is asked
        self._up = Upward(0)

    @property
    def queries(self) -> list[str]:
        """The fingerprints of what is computed here."""
        return [*self._asked]

    @property
    def is_full(self) -> bool:
        """Whether rows are refused until the root has caught up."""
        return self._disk.size > self._spool_bytes

    def ask(self, text: str) -> str:
        """Compute a query from now on; one that is known already goes on."""
        query = read_node_query(text)
        if query.fingerprint not in self._asked:
            self._apply({"kind": "ask", "text": text})
            if not self._numbered:  # it misses nothing
                self._apply({"kind": "begin", "query": query.fingerprint, "since": BEGIN})
        return query.fingerprint

    def insert(self, batches: Sequence[Batch], now: int) -> list[Taken]:
        """Take rows; they are safe after the next `step`, which the answers must wait for."""
        taken = []
        for batch in batches:
            known = self._sources.get(batch.source, -1)
            accepted = True
            if batch.number is not None and batch.number <= known:
                self.counts["duplicate batches"] += 1
            elif not self._asked or self.is_full:
                self.counts["refused batches"] += 1
                accepted = False
            else:
                entry = {"kind": "rows", "source": batch.source, "number": batch.number, "now": now}
                self._note(entry, lambda rows=batch.rows: rows_as_bytes(rows))
                self._take(batch, now)
            taken.append(Taken(batch.source, batch.number, accepted))
        return taken

    def end(self) -> None:
        """All sources have ended: no more rows will come."""
        self._apply({"kind": "end"})

    def receive(self, message: Message, now: int) -> None:
        """What the parent says."""
        if isinstance(message, Asking):
            try:
                self.ask(message.text)
            except WindrowError:
                self.counts["unreadable queries"] += 1
        elif isinstance(message, Dropping):
            if message.query in self._asked:
                self._apply({"kind": "drop", "query": message.query})
        else:
            if isinstance(message, Welcome):
                self._begin_where_welcome(message)
            self._up.handle(message, now)
            if isinstance(message, Welcome) and not self._asked.keys() >= set(message.queries):
                self._up.again()

    def lost(self) -> None:
        """The way to the parent is gone."""
        self._up.lost()

    def step(self, now: int) -> list[Message]:
        """Go on as far as time has come, make all of it safe, and say what to send."""
        for fingerprint, asked in self._asked.items():
            reached = self._clock.reached(asked.query.lateness_us, now)
            to = asked.payload.edge(reached)
            if asked.begun is not None and to > asked.sent:
                self._apply({"kind": "cut", "query": fingerprint, "to": to})
        if self._disk.size - self._since_snapshot > self._snapshot_bytes:
            self._snapshot()
        self._disk.sync()
        return self._up.sends(now)

    def figures(self) -> dict[str, Any]:
        """Plain numbers about the leaf."""
        queries = {
            name: {"frontier": asked.sent, "waiting": asked.held.waiting, "late": asked.late}
            for name, asked in self._asked.items()
        }
        return {
            "role": "leaf",
            "epoch": self._epoch,
            "rows": self._numbered,
            "newest": self._clock.newest,
            "log_bytes": self._disk.size,
            "unsafe_bytes": self._up.size,
            "counts": dict(self.counts),
            "queries": queries,
        }

    def status(self) -> Status:
        """How the leaf fares, for its parents."""
        return Status({self.name: self.figures()})

    # What changes the leaf is noted before it is applied, and applied again after a crash.

    def _note(self, entry: Mapping[str, Any], body: Callable[[], bytes] = bytes) -> None:
        self._disk.append(record_of(entry, body()))

    def _apply(self, entry: dict[str, Any]) -> None:
        self._note(entry)
        self._replay(entry, b"")

    def _replay(self, entry: dict[str, Any], body: bytes) -> None:
        kind, query = entry["kind"], entry.get("query", "")
        if kind == "rows":
            self._take(Batch(entry["source"], rows_of(body), entry["number"]), entry["now"])
        elif kind == "cut":
            self._cut(query, self._asked[query], entry["to"])
        elif kind == "overtaken":
            self._overtaken(query, self._asked[query], entry["to"])
        elif kind == "ask":
            asked = read_node_query(entry["text"])
            self._asked[asked.fingerprint] = _Asked(asked, payload_for(asked))
        elif kind == "begin":
            self._asked[query].begun = self._asked[query].sent = entry["since"]
            self._up.begin(query, entry["since"])
        elif kind == "drop":
            del self._asked[query]
            self._up.drop(query)
        elif kind == "start":
            self._epoch = entry["epoch"]
        elif kind == "end":
            self._clock.ended = True
        elif kind == "snapshot":
            self._restore(entry, body)

    def _take(self, batch: Batch, now: int) -> None:
        if batch.number is not None:
            self._sources[batch.source] = batch.number
        times = []
        for fingerprint, asked in self._asked.items():
            rows = self._rows(asked.query, batch.rows)
            stamps = numbers(rows["t"])
            ahead = self._clock.ahead(stamps, now)
            if ahead.any():
                self.counts["quarantined rows"] += int(np.count_nonzero(ahead))
                rows, stamps = rows.filter(pa.array(~ahead)), stamps[~ahead]
            times.append(stamps)
            if asked.begun is None:
                continue
            if len(stamps) and stamps.min() < asked.sent:
                rows = self._without_late(fingerprint, asked, rows, stamps)
            if rows.num_rows:
                asked.held.rows.append(rows)
                asked.rows += rows.num_rows
        self._numbered += batch.rows.num_rows
        if times:
            self._clock.heard(np.concatenate(times), now)

    def _rows(self, query: NodeQuery, given: pa.Table) -> pa.Table:
        """The rows that a query takes of a batch, numbered."""
        found = query.rows(given)
        for reason, count in (
            ("untimed rows", found.untimed.num_rows),
            ("filtered rows", found.filtered),
            ("rejected rows", found.rejected.num_rows),
        ):
            if count:
                self.counts[reason] += count
        arrivals = pa.array(np.arange(found.table.num_rows) + self._numbered)
        schema = query.definition.schema
        columns = [arrivals if name == "n" else found.table[name] for name in schema.names]
        return pa.table(columns, schema=schema)

    def _without_late(
        self, fingerprint: str, asked: _Asked, rows: pa.Table, stamps: Any
    ) -> pa.Table:
        """The rows whose stretch has not been sent; the others travel as late ones."""
        late = stamps < asked.sent
        wanted = late & (stamps >= asked.begun)
        if wanted.any():
            count = int(np.count_nonzero(wanted))
            asked.late += 1
            self.counts["late rows"] += count
            body = table_bytes(rows.filter(pa.array(wanted)))
            self._up.put_late(Late(fingerprint, self.name, asked.late, count, body))
        return rows.filter(pa.array(~late))

    def _cut(self, fingerprint: str, asked: _Asked, to: int) -> None:
        body = table_bytes(asked.payload.collect(asked.held, self.name, to))
        self._up.put(Frame(fingerprint, asked.sent, to, asked.rows, body))
        asked.sent, asked.rows = to, 0

    def _overtaken(self, fingerprint: str, asked: _Asked, frontier: int) -> None:
        self._cut(fingerprint, asked, frontier)
        for frame in self._up.taken_back(fingerprint):
            if frame.rows:
                asked.late += 1
                self.counts["late rows"] += frame.rows
                self._up.put_late(
                    Late(
                        fingerprint,
                        self.name,
                        asked.late,
                        frame.rows,
                        frame.body,
                        frame.since,
                        frame.to,
                    )
                )

    def _begin_where_welcome(self, welcome: Welcome) -> None:
        if welcome.revision >= self._revision:
            self._revision = welcome.revision
            for fingerprint in self._asked.keys() - set(welcome.queries):
                self._apply({"kind": "drop", "query": fingerprint})
        for fingerprint, asked in self._asked.items():
            frontier = welcome.frontiers.get(fingerprint)
            if asked.begun is None:
                own = _edge_after(asked.payload, self._clock.newest)
                since = own if frontier is None else max(own, frontier)
                self._apply({"kind": "begin", "query": fingerprint, "since": since})
            elif frontier is not None and frontier > asked.sent:
                # The tree has gone on without this leaf: what it has from before comes late.
                self._apply({"kind": "overtaken", "query": fingerprint, "to": frontier})

    # A snapshot stands for all records before it.

    def _snapshot(self) -> None:
        """Write down all there is, and let go of the log before it."""
        parts: list[bytes] = []
        queries = []
        for asked in self._asked.values():
            rows = asked.held.rows or [asked.query.definition.schema.empty_table()]
            tables = {"rows": pa.concat_tables(rows), **asked.held.kept}
            parts += [table_bytes(table) for table in tables.values()]
            queries.append(
                {
                    "text": asked.query.text,
                    "tables": [*tables],
                    "begun": asked.begun,
                    "sent": asked.sent,
                    "late": asked.late,
                    "rows": asked.rows,
                    "safe": None if asked.begun is None else self._up.durable(asked.query.fingerprint),
                }
            )
        unsafe = [encode(message) for message in self._up.unsafe()]
        lengths, body = joined([*parts, *unsafe])
        entry = {
            "kind": "snapshot",
            "queries": queries,
            "lengths": lengths,
            "sources": self._sources,
            "numbered": self._numbered,
            "newest": self._clock.newest,
            "ended": self._clock.ended,
            "epoch": self._epoch,
        }
        number = self._disk.append(record_of(entry, body))
        self._disk.sync()
        self._disk.drop_before(number)
        self._since_snapshot = self._disk.size

    def _restore(self, entry: dict[str, Any], body: bytes) -> None:
        self._reset()
        parts = iter(parted(entry["lengths"], body))
        self._sources, self._numbered = dict(entry["sources"]), entry["numbered"]
        self._clock.newest, self._clock.ended = entry["newest"], entry["ended"]
        self._epoch = entry["epoch"]
        for one in entry["queries"]:
            query = read_node_query(one["text"])
            payload = payload_for(query)
            schemas = {"rows": query.definition.schema, **payload.held}
            found = {name: table_of(next(parts), schemas[name], _UNBOUNDED) for name in one["tables"]}
            rows = found.pop("rows")
            held = Held([rows] if rows.num_rows else [], found)
            self._asked[query.fingerprint] = _Asked(
                query, payload, held, one["begun"], one["sent"], one["late"], one["rows"]
            )
            if one["begun"] is not None:
                self._up.begin(query.fingerprint, one["safe"])
        for part in parts:
            message = decode(part)
            if isinstance(message, Frame):
                self._up.put(message)
            elif isinstance(message, Late):
                self._up.put_late(message)


def _edge_after(payload: Payload, time: int) -> int:
    """The first edge after a time."""
    step = 1
    while payload.edge(time + step) <= time:
        step *= 2
    return payload.edge(time + step)
