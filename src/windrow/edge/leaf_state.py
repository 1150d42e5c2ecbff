"""What a leaf is between two moments, and what may happen to it: each entry of its log, in turn.

A leaf writes an entry down, then applies it here.  After a crash the same entries make the same
leaf again, frame by frame: so nothing here asks for the time, or for anything that is not in the
entry itself.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.columnar.keyed import numbers
from windrow.edge.clock import EventClock, Pace
from windrow.edge.journal import joined, parted, rows_of
from windrow.edge.payload import BEGIN, Held, Payload, payload_for
from windrow.edge.query import NodeQuery, read_node_query
from windrow.edge.upward import Upward
from windrow.wire.messages import Frame, Late, decode, encode
from windrow.wire.tables import table_bytes, table_of

__all__ = ["Asked", "Batch", "LeafState"]

_UNBOUNDED = 1 << 62  # what a leaf has written itself it also reads


@dataclass(frozen=True)
class Batch:
    """Rows of a source; `number` counts its batches, so that one sent twice counts once."""

    source: str
    rows: pa.Table
    number: int | None = None


@dataclass
class Asked:
    """A query at a leaf."""

    query: NodeQuery
    payload: Payload
    held: Held = field(default_factory=Held)
    begun: int | None = None  # rows before it are not asked for; None: it has not begun
    sent: int = BEGIN  # the end of the last frame
    late: int = 0  # the number of the last late table
    rows: int = 0  # how many went in since the last frame
    folded: int = BEGIN  # up to where rows were folded before their slice ended


class LeafState:
    """A leaf without its disk."""

    def __init__(self, name: str, pace: Pace) -> None:
        self.name = name
        self.counts: Counter[str] = Counter()
        self._pace = pace
        self._reset()

    def _reset(self) -> None:
        self.clock = EventClock(self._pace)
        self.asked: dict[str, Asked] = {}
        self.sources: dict[str, int] = {}  # the number of the last batch of each
        self.numbered = 0  # rows so far
        self.epoch = 0
        self.up = Upward(0)
        self.new: Upward | None = None  # the way to another parent, while the leaf moves there
        self.handed: dict[str, int] = {}  # from where on that one gets the frames of a query

    def begin(self, epoch: int) -> None:
        """The leaf begins once more."""
        self.epoch = epoch
        for up in self.ways:
            up.epoch = epoch

    @property
    def ways(self) -> list[Upward]:
        """The ways to parents: two while the leaf moves."""
        return [self.up] if self.new is None else [self.up, self.new]

    @property
    def size(self) -> int:
        """About how many bytes there are to be kept."""
        tables = [
            table
            for asked in self.asked.values()
            for table in (*asked.held.rows, *asked.held.kept.values())
        ]
        kept: int = sum(table.nbytes for table in tables)
        return kept + sum(way.size for way in self.ways)

    def apply(self, entry: dict[str, Any], body: bytes = b"") -> None:
        """Let happen what an entry says."""
        kind, query = entry["kind"], entry.get("query", "")
        if kind == "rows":
            self.take(Batch(entry["source"], rows_of(body), entry["number"]), entry["now"])
        elif kind == "cut":
            self._cut(query, self.asked[query], entry["to"])
        elif kind == "fold":
            self.asked[query].folded = entry["to"]
            self.asked[query].payload.fold(self.asked[query].held, entry["to"])
        elif kind == "move":
            self.new = Upward(self.epoch)
        elif kind == "hand":
            self._hand(query, entry["at"])
        elif kind == "moved":
            self._moved()
        elif kind == "overtaken":
            self._overtaken(query, self.asked[query], entry["to"])
        elif kind == "ask":
            asked = read_node_query(entry["text"])
            self.asked[asked.fingerprint] = Asked(asked, payload_for(asked))
        elif kind == "begin":
            self.asked[query].begun = self.asked[query].sent = entry["since"]
            self.up.begin(query, entry["since"])
        elif kind == "drop":
            del self.asked[query]
            self.handed.pop(query, None)
            for up in self.ways:
                up.drop(query)
        elif kind == "start":
            self.begin(entry["epoch"])
        elif kind == "end":
            self.clock.ended = True
        elif kind == "snapshot":
            self._restore(entry, body)

    def take(self, batch: Batch, now: int) -> None:
        """Rows have come."""
        found = {name: self._rows(one.query, batch.rows) for name, one in self.asked.items()}
        if batch.number is not None:
            self.sources[batch.source] = batch.number
        times = []
        for fingerprint, asked in self.asked.items():
            rows = found[fingerprint]
            stamps = numbers(rows["t"])
            ahead = self.clock.ahead(stamps, now)
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
        self.numbered += batch.rows.num_rows
        if times:
            self.clock.heard(np.concatenate(times), now)

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
        arrivals = pa.array(np.arange(found.table.num_rows) + self.numbered)
        schema = query.definition.schema
        columns = [arrivals if name == "n" else found.table[name] for name in schema.names]
        return pa.table(columns, schema=schema)

    def _without_late(
        self, fingerprint: str, asked: Asked, rows: pa.Table, stamps: Any
    ) -> pa.Table:
        """The rows whose stretch has not been sent; the others travel as late ones."""
        late = stamps < asked.sent
        wanted = late & (stamps >= asked.begun)
        if wanted.any():
            count = int(np.count_nonzero(wanted))
            asked.late += 1
            self.counts["late rows"] += count
            body = table_bytes(rows.filter(pa.array(wanted)))
            self.up.put_late(Late(fingerprint, self.name, asked.late, count, body))
        return rows.filter(pa.array(~late))

    def _cut(self, fingerprint: str, asked: Asked, to: int) -> None:
        body = table_bytes(asked.payload.collect(asked.held, self.name, to))
        self._put(Frame(fingerprint, asked.sent, to, asked.rows, body))
        asked.sent, asked.rows = to, 0

    def _put(self, frame: Frame) -> None:
        handed = self.handed.get(frame.query)
        is_new = self.new is not None and handed is not None and frame.since >= handed
        way = self.new if is_new else self.up
        assert way is not None
        way.put(frame)

    def _hand(self, fingerprint: str, at: int) -> None:
        assert self.new is not None
        self.handed[fingerprint] = at
        self.new.begin(fingerprint, at, self.asked[fingerprint].begun)
        self.up.leave(fingerprint, at)

    @property
    def has_moved(self) -> bool:
        """Whether the old parent has all that it is to have."""
        begun = {name for name, asked in self.asked.items() if asked.begun is not None}
        sent = all(self.asked[q].sent >= at for q, at in self.handed.items() if q in self.asked)
        return begun <= self.handed.keys() and sent and self.up.is_done

    def _moved(self) -> None:
        assert self.new is not None
        self.new.take_late(self.up)
        self.up, self.new, self.handed = self.new, None, {}

    def _overtaken(self, fingerprint: str, asked: Asked, frontier: int) -> None:
        self._cut(fingerprint, asked, frontier)
        for frame in self.up.taken_back(fingerprint):
            if frame.rows:
                asked.late += 1
                self.counts["late rows"] += frame.rows
                stretch = (frame.since, frame.to)
                late = (asked.late, frame.rows, frame.body)
                self.up.put_late(Late(fingerprint, self.name, *late, *stretch))

    def snapshot(self) -> tuple[dict[str, Any], bytes]:
        """An entry that stands for all before it."""
        parts: list[bytes] = []
        queries = []
        for fingerprint, asked in self.asked.items():
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
                    "safe": None if asked.begun is None else self.up.durable(fingerprint),
                }
            )
        unsafe = [encode(message) for way in self.ways for message in way.unsafe()]
        lengths, body = joined([*parts, *unsafe])
        entry = {
            "kind": "snapshot",
            "queries": queries,
            "lengths": lengths,
            "sources": self.sources,
            "numbered": self.numbered,
            "newest": self.clock.newest,
            "ended": self.clock.ended,
            "epoch": self.epoch,
            "moving": self.new is not None,
            "handed": self.handed,
        }
        return entry, body

    def _restore(self, entry: dict[str, Any], body: bytes) -> None:
        self._reset()
        parts = iter(parted(entry["lengths"], body))
        self.sources, self.numbered = dict(entry["sources"]), entry["numbered"]
        self.clock.newest, self.clock.ended = entry["newest"], entry["ended"]
        self.epoch = entry["epoch"]
        for one in entry["queries"]:
            query = read_node_query(one["text"])
            payload = payload_for(query)
            schemas = {"rows": query.definition.schema, **payload.held}
            found = {
                name: table_of(next(parts), schemas[name], _UNBOUNDED) for name in one["tables"]
            }
            rows = found.pop("rows")
            held = Held([rows] if rows.num_rows else [], found)
            self.asked[query.fingerprint] = Asked(
                query, payload, held, one["begun"], one["sent"], one["late"], one["rows"]
            )
            if one["begun"] is not None:
                self.up.begin(query.fingerprint, one["safe"])
        if entry["moving"]:
            self.new = Upward(self.epoch)
        for fingerprint, at in entry["handed"].items():
            self._hand(fingerprint, at)
        for part in parts:
            message = decode(part)
            if isinstance(message, Frame):
                self._put(message)
            elif isinstance(message, Late):
                self.up.put_late(message)
