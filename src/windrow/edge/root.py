"""A root without Spark: the frames of a spool in, results out, each once.

What it keeps of open windows, and how far it has come in the spool, it hands out as a checkpoint
after each step: a root that begins from one goes on where that one was.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from windrow.columnar.keyed import numbers
from windrow.edge.gaps import Gaps
from windrow.edge.journal import entry_of, joined, parted, record_of
from windrow.edge.payload import BEGIN, Payload, payload_for
from windrow.edge.query import NodeQuery, read_node_query
from windrow.engines.engine import Kept
from windrow.wire.messages import Asking, Dropping, Frame, Late, decode
from windrow.wire.tables import table_bytes, table_of

__all__ = ["Answer", "Root"]

_UNBOUNDED = 1 << 62  # what is in the spool was checked when it came


@dataclass(frozen=True)
class Answer:
    """Results of one query, or its late rows, under the user's names.

    `missing` has for each result the nodes without whose rows it was made.  A revised result takes
    the place of the one that came before, when nodes were missing.
    """

    query: str
    table: pa.Table
    missing: pa.Array
    is_late: bool = False
    is_revised: bool = False

    def with_missing(self) -> pa.Table:
        """The results with two columns more: `complete`, and the names of the `missing` nodes."""
        complete = pc.equal(pc.list_value_length(self.missing), 0)
        return self.table.append_column("complete", complete).append_column("missing", self.missing)


@dataclass
class _Open:
    """A query at the root."""

    query: NodeQuery
    payload: Payload
    kept: Kept
    begun: int | None = None  # windows that begin before it lack rows from before the query
    reached: int = BEGIN
    late: int = 0
    gaps: Gaps = field(default_factory=Gaps)
    recent: pa.Table | None = None  # of what windows with gaps are made, to be made again


class Root:
    """Windows of frames."""

    def __init__(self) -> None:
        self.read = 0  # the number of the first record that has not been read
        self._open: dict[str, _Open] = {}

    def apply(self, records: Iterable[tuple[int, bytes]]) -> Iterator[Answer]:
        """The results that records of a spool determine."""
        for number, record in records:
            message = decode(record)
            if isinstance(message, Asking):
                query = read_node_query(message.text)
                payload = payload_for(query)
                self._open[message.query] = _Open(query, payload, payload.nothing_kept())
            elif isinstance(message, Dropping):
                self._open.pop(message.query, None)
            elif isinstance(message, Frame):
                yield from self._advanced(self._open[message.query], message)
            elif isinstance(message, Late):
                yield from self._late(self._open[message.query], message)
            self.read = number + 1

    def figures(self) -> dict[str, Any]:
        """Plain numbers about the root."""
        queries = {
            name: {"reached": known.reached, "late": known.late, "missing": [*known.gaps.missing]}
            for name, known in self._open.items()
        }
        return {"role": "root", "read": self.read, "queries": queries}

    def checkpoint(self) -> bytes:
        """All that is kept."""
        queries, parts = [], []
        for known in self._open.values():
            tables = {**known.kept, **({} if known.recent is None else {"recent": known.recent})}
            parts += [table_bytes(table) for table in tables.values()]
            queries.append(
                {
                    "text": known.query.text,
                    "tables": [*tables],
                    "begun": known.begun,
                    "reached": known.reached,
                    "late": known.late,
                    "gaps": known.gaps.as_dict(),
                }
            )
        lengths, body = joined(parts)
        return record_of({"read": self.read, "queries": queries, "lengths": lengths}, body)

    @classmethod
    def restored(cls, checkpoint: bytes) -> "Root":
        """The root that a checkpoint was taken of."""
        root = cls()
        entry, body = entry_of(checkpoint)
        root.read = entry["read"]
        parts = iter(parted(entry["lengths"], body))
        for one in entry["queries"]:
            query = read_node_query(one["text"])
            payload = payload_for(query)
            schemas = {**payload.kept, "recent": payload.schema}
            kept = {
                name: table_of(next(parts), schemas[name], _UNBOUNDED) for name in one["tables"]
            }
            recent = kept.pop("recent", None)
            root._open[query.fingerprint] = _Open(
                query,
                payload,
                kept,
                one["begun"],
                one["reached"],
                one["late"],
                Gaps.of(one["gaps"]),
                recent,
            )
        return root

    def _advanced(self, known: _Open, frame: Frame) -> Iterator[Answer]:
        if known.begun is None:
            known.begun = frame.since
        body = table_of(frame.body, known.payload.schema, _UNBOUNDED)
        if frame.missing:
            if known.recent is None:
                known.recent = known.payload.open_states(known.kept)
            known.gaps.open(frame.missing, frame.since, frame.to)
        if known.recent is not None:
            known.recent = pa.concat_tables([known.recent, body])
        results, known.kept = known.payload.finish(known.kept, body, frame.to)
        known.reached = frame.to
        yield from self._answers(known, results)

    def _late(self, known: _Open, late: Late) -> Iterator[Answer]:
        known.late += late.rows
        if not late.is_frame:
            rows = table_of(late.body, known.query.definition.schema, _UNBOUNDED)
            given = known.query.as_given(rows)
            yield Answer(late.query, given, _nobody(rows.num_rows), is_late=True)
            return
        body = table_of(late.body, known.payload.schema, _UNBOUNDED)
        known.kept = known.payload.amended(known.kept, body, known.reached)
        known.gaps.fill(late.member, late.since, late.to)
        known.gaps.open(late.missing, late.since, late.to)
        if known.recent is not None:
            known.recent = pa.concat_tables([known.recent, body])
            again = known.payload.again(known.recent, known.reached, late.since, late.to)
            yield from self._answers(known, again, is_revised=True)
            if not known.gaps.any:
                known.recent = None

    def _answers(
        self, known: _Open, results: list[pa.Table], *, is_revised: bool = False
    ) -> Iterator[Answer]:
        if not results:
            return
        table = pa.concat_tables(results)
        if known.begun not in (None, BEGIN) and "end" in table.schema.names:
            table = table.filter(pc.greater_equal(table["start"], known.begun))
        if table.num_rows:
            answers = known.query.answers(table)
            missing = self._missing(known, table)
            yield Answer(known.query.fingerprint, answers, missing, is_revised=is_revised)

    def _missing(self, known: _Open, results: pa.Table) -> pa.Array:
        """Who is missing from each result."""
        if not known.gaps.any:
            return _nobody(results.num_rows)
        if "end" in results.schema.names:
            bounds = zip(numbers(results["start"]), numbers(results["end"]), strict=True)
        else:
            reach = known.query.definition.reach.time_us or 0
            times = numbers(results["t"])
            bounds = zip(times - reach, times + 1, strict=True)
        found = [known.gaps.within(int(start), int(end)) for start, end in bounds]
        return pa.array(found, pa.list_(pa.string()))


def _nobody(count: int) -> pa.Array:
    return pa.array([[]] * count, pa.list_(pa.string()))
