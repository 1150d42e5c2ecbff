"""A leaf: rows of devices in, frames out.

What a leaf has taken, and where it has cut time, is in its log before anybody is told; after a
crash it reads the log again and is the same as before, frame by frame.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
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
from windrow.wire.messages import (
    Asking,
    Dropping,
    Frame,
    Late,
    Message,
    Status,
    Welcome,
    decode,
    encode,
)
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
        if self._new is not None:
            self._new.epoch = self._epoch
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
        self._new: Upward | None = None  # while the leaf moves to another parent
        self._handed: dict[str, int] = {}  # from where on that gets the frames of a query
        self._revision = 0  # of what the parent has said is asked
        self._up = Upward(0)

    @property
    def queries(self) -> list[str]:
        """The fingerprints of what is computed here."""
        return [*self._asked]

    @property
    def schema(self) -> pa.Schema:
        """The columns that rows may have: those of all queries."""
        return pa.unify_schemas([asked.query.source_schema for asked in self._asked.values()])

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of the last batch of each source."""
        return dict(self._sources)

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
                self._note(entry, rows_as_bytes(batch.rows))
                self._take(batch, now)
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
            if message.query in self._asked:
                self._apply({"kind": "drop", "query": message.query})
        else:
            if isinstance(message, Welcome):
                self._begin_where_welcome(message)
            self._up.handle(message, now)
            if isinstance(message, Welcome) and not self._asked.keys() >= set(message.queries):
                self._up.again()

    def lost(self, *, new: bool = False) -> None:
        """The way to the parent is gone."""
        up = self._new if new else self._up
        if up is not None:
            up.lost()

    def move(self) -> None:
        """Go to another parent: from a time on that it names, frames go there."""
        if self._new is None:
            self._apply({"kind": "move"})

    @property
    def is_moving(self) -> bool:
        """Whether there are two parents."""
        return self._new is not None

    def step(self, now: int) -> list[Message]:
        """Go on as far as time has come, make all of it safe, and say what to send."""
        for fingerprint, asked in self._asked.items():
            reached = self._clock.reached(asked.query.lateness_us, now)
            to = asked.payload.edge(reached)
            if asked.begun is None:
                continue
            for edge in sorted({to, min(to, self._handed.get(fingerprint, to))}):
                if edge > asked.sent:
                    self._apply({"kind": "cut", "query": fingerprint, "to": edge})
        if self._new is not None and self._has_moved():
            self._apply({"kind": "moved"})
        grown = self._disk.size - self._since_snapshot > self._snapshot_bytes
        if grown or (self.is_full and self._spared() > self._spool_bytes // 2):
            self._snapshot()
        self._disk.sync()
        return self._up.sends(now)

    def sends_to_new(self, now: int) -> list[Message]:
        """What to send to the new parent while the leaf moves; to be called after `step`."""
        return [] if self._new is None else self._new.sends(now)

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

    def _note(self, entry: Mapping[str, Any], body: bytes = b"") -> None:
        self._disk.append(record_of(entry, body))

    def _apply(self, entry: dict[str, Any]) -> None:
        self._note(entry)
        self._replay(entry, b"")

    def _replay(self, entry: dict[str, Any], body: bytes) -> None:
        kind, query = entry["kind"], entry.get("query", "")
        if kind == "rows":
            self._take(Batch(entry["source"], rows_of(body), entry["number"]), entry["now"])
        elif kind == "cut":
            self._cut(query, self._asked[query], entry["to"])
        elif kind == "move":
            self._new = Upward(self._epoch)
        elif kind == "hand":
            self._hand(query, entry["at"])
        elif kind == "moved":
            self._moved()
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
            self._handed.pop(query, None)
            for up in (self._up, self._new):
                if up is not None:
                    up.drop(query)
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
        self._put(Frame(fingerprint, asked.sent, to, asked.rows, body))
        asked.sent, asked.rows = to, 0

    def _put(self, frame: Frame) -> None:
        handed = self._handed.get(frame.query)
        is_new = self._new is not None and handed is not None and frame.since >= handed
        way = self._new if is_new else self._up
        assert way is not None
        way.put(frame)

    # While the leaf moves, the old parent gets all frames before a time, the new one those after.

    def _receive_from_new(self, message: Message, now: int) -> None:
        if self._new is None or isinstance(message, Asking | Dropping):
            return
        self._new.handle(message, now)
        if isinstance(message, Welcome):
            for fingerprint, asked in self._asked.items():
                if asked.begun is None or fingerprint in self._handed:
                    continue
                known = (message.frontiers, message.passed)
                at = max(asked.sent, *(found.get(fingerprint, BEGIN) for found in known))
                self._apply({"kind": "hand", "query": fingerprint, "at": at})

    def _hand(self, fingerprint: str, at: int) -> None:
        assert self._new is not None
        self._handed[fingerprint] = at
        self._new.begin(fingerprint, at, self._asked[fingerprint].begun)
        self._up.leave(fingerprint, at)

    def _has_moved(self) -> bool:
        begun = {name for name, asked in self._asked.items() if asked.begun is not None}
        sent = all(self._asked[q].sent >= at for q, at in self._handed.items() if q in self._asked)
        return begun <= self._handed.keys() and sent and self._up.is_done

    def _moved(self) -> None:
        assert self._new is not None
        self._new.take_late(self._up)
        self._up, self._new, self._handed = self._new, None, {}

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
            elif fingerprint in self._handed:
                continue
            elif frontier is not None and frontier > asked.sent:
                # The tree has gone on without this leaf: what it has from before comes late.
                self._apply({"kind": "overtaken", "query": fingerprint, "to": frontier})

    # A snapshot stands for all records before it.

    def _spared(self) -> int:
        """About how many bytes of the log are of no use any more."""
        tables = [
            table
            for asked in self._asked.values()
            for table in (*asked.held.rows, *asked.held.kept.values())
        ]
        return self._disk.size - self._up.size - sum(table.nbytes for table in tables)

    def _snapshot(self) -> None:
        """Write down all there is, and let go of the log before it."""
        parts: list[bytes] = []
        queries = []
        for fingerprint, asked in self._asked.items():
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
                    "safe": None if asked.begun is None else self._up.durable(fingerprint),
                }
            )
        ways = [self._up] if self._new is None else [self._up, self._new]
        unsafe = [encode(message) for way in ways for message in way.unsafe()]
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
            "moving": self.is_moving,
            "handed": self._handed,
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
            found = {
                name: table_of(next(parts), schemas[name], _UNBOUNDED) for name in one["tables"]
            }
            rows = found.pop("rows")
            held = Held([rows] if rows.num_rows else [], found)
            self._asked[query.fingerprint] = _Asked(
                query, payload, held, one["begun"], one["sent"], one["late"], one["rows"]
            )
            if one["begun"] is not None:
                self._up.begin(query.fingerprint, one["safe"])
        if entry["moving"]:
            self._new = Upward(self._epoch)
        for fingerprint, at in entry["handed"].items():
            self._hand(fingerprint, at)
        for part in parts:
            message = decode(part)
            if isinstance(message, Frame):
                self._put(message)
            elif isinstance(message, Late):
                self._up.put_late(message)


def _edge_after(payload: Payload, time: int) -> int:
    """The first edge after a time."""
    step = 1
    while payload.edge(time + step) <= time:
        step *= 2
    return payload.edge(time + step)
