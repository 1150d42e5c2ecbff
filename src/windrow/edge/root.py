"""A root without Spark: the frames of a spool in, results out, each once.

What it keeps of open windows, and how far it has come in the spool, it hands out as a checkpoint
after each step: a root that begins from one goes on where that one was.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from windrow.edge.payload import BEGIN, Payload, payload_for
from windrow.edge.query import NodeQuery, read_node_query
from windrow.engines.engine import Kept
from windrow.wire.messages import Asking, Dropping, Frame, Late, decode, encode
from windrow.wire.tables import table_bytes, table_of

__all__ = ["Answer", "Root"]

_UNBOUNDED = 1 << 62  # what is in the spool was checked when it came


@dataclass(frozen=True)
class Answer:
    """Results of one query, or its late rows, under the user's names."""

    query: str
    table: pa.Table
    is_late: bool = False
    missing: tuple[str, ...] = ()


@dataclass
class _Open:
    """A query at the root."""

    query: NodeQuery
    payload: Payload
    kept: Kept
    reached: int = BEGIN
    missing: dict[str, int] = field(default_factory=dict)  # until when each was missing
    late: int = 0


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
                yield from self._advanced(message)
            elif isinstance(message, Late):
                yield from self._late(message)
            self.read = number + 1

    def figures(self) -> dict[str, Any]:
        """Plain numbers about the root."""
        queries = {
            name: {"reached": known.reached, "late": known.late}
            for name, known in self._open.items()
        }
        return {"role": "root", "read": self.read, "queries": queries}

    def checkpoint(self) -> list[bytes]:
        """All that is kept, as messages: frames of kept tables after the query that they are of."""
        out = []
        for name, known in self._open.items():
            out.append(encode(Asking(name, known.query.text)))
            for table in known.kept.values():
                body = table_bytes(table)
                out.append(encode(Frame(name, known.reached, known.reached, known.late, body)))
        return out

    @classmethod
    def restored(cls, read: int, parts: Iterable[bytes]) -> "Root":
        """The root that a checkpoint was taken of."""
        root = cls()
        root.read = read
        known: _Open | None = None
        names: Iterator[tuple[str, pa.Schema]] = iter(())
        for part in parts:
            message = decode(part)
            if isinstance(message, Asking):
                query = read_node_query(message.text)
                payload = payload_for(query)
                known = root._open[message.query] = _Open(query, payload, {})
                names = iter(payload.kept.items())
            elif isinstance(message, Frame) and known is not None:
                name, schema = next(names)
                known.kept[name] = table_of(message.body, schema, _UNBOUNDED)
                known.reached, known.late = message.to, message.rows
        return root

    def _advanced(self, frame: Frame) -> Iterator[Answer]:
        known = self._open[frame.query]
        body = table_of(frame.body, known.payload.schema, _UNBOUNDED)
        results, known.kept = known.payload.finish(known.kept, body, frame.to)
        known.reached = frame.to
        if results:
            answers = known.query.answers(pa.concat_tables(results))
            yield Answer(frame.query, answers, missing=frame.missing)

    def _late(self, late: Late) -> Iterator[Answer]:
        known = self._open[late.query]
        known.late += late.rows
        if not late.is_frame:
            rows = table_of(late.body, known.query.definition.schema, _UNBOUNDED)
            yield Answer(late.query, rows, is_late=True)
