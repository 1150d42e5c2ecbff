"""Rows of a key group that wait for the watermark, in Spark's state store, by order of arrival.

The rows of a micro-batch are written as they came, and read when the watermark has passed the first
of them: the cost depends on the new rows, and on the earlier micro-batches with rows that no longer
wait.  If rows mostly arrive in order, those are few; if rows are spread over the whole lateness,
those are all that have waiting rows.
"""

import struct
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.columnar.keyed import numbers
from windrow.columnar.narrowed import narrowed, widened
from windrow.engines.flow import ripe_of
from windrow.errors import SnapshotError
from windrow.spark.state.values import VALUE, from_value, to_value
from windrow.spark.transport.hashed import made_here, with_hash

__all__ = ["Waiting", "WaitingRoom", "read_waiting"]

# With more packs than this, all waiting rows are sorted by time and cut into a few packs: the list
# stays short however long rows wait, and each row is rewritten once in that many micro-batches.
_MOST_PACKS = 32
_FEW_PACKS = 8


@dataclass(frozen=True)
class Waiting:
    """What is known about waiting rows without reading them."""

    packs: tuple[tuple[int, int], ...] = ()  # the number of each, and its lowest time
    next_number: int = 0

    @property
    def low(self) -> int | None:
        """The lowest time of all."""
        return min((low for _, low in self.packs), default=None)

    def written(self) -> bytes:
        """As bytes."""
        flat = [number for pack in self.packs for number in pack]
        return struct.pack(f"<qq{len(flat)}q", len(self.packs), self.next_number, *flat)

    @classmethod
    def read(cls, content: bytes) -> tuple["Waiting", bytes]:
        """From bytes, and what comes after them; ValueError or struct.error if they are others."""
        count, next_number = struct.unpack_from("<qq", content)
        if not 0 <= count <= len(content) // 16:
            raise ValueError(f"{count} values in {len(content)} bytes")
        flat = struct.unpack_from(f"<{2 * count}q", content, 16)
        packs = tuple(zip(flat[::2], flat[1::2], strict=True))
        return cls(packs, next_number), content[16 + 16 * count :]


class WaitingRoom:
    """The waiting rows of one key group at a time."""

    def __init__(self, handle: StatefulProcessorHandle, schema: pa.Schema) -> None:
        self._packs = handle.getMapState("waiting", "number long", VALUE)
        self._schema = schema
        self._empty = schema.empty_table()

    def let_out(self, waiting: Waiting, watermark: int) -> tuple[pa.Table, Waiting]:
        """Rows that wait no longer, in order of arrival; and what is left."""
        ripe, packs = [self._empty], []
        for number, low in waiting.packs:
            if low >= watermark:
                packs.append((number, low))
                continue
            passed, left = ripe_of(self._read(number), watermark)
            ripe.append(passed)
            if left.num_rows:
                packs.append((number, self._write(number, left)))
            else:
                self._packs.removeKey((number,))
        return pa.concat_tables(ripe), Waiting(tuple(packs), waiting.next_number)

    def let_in(self, waiting: Waiting, rows: pa.Table) -> Waiting:
        """Add rows that arrived after all others."""
        if not rows.num_rows:
            return waiting
        if len(waiting.packs) >= _MOST_PACKS:
            waiting = self._tidied(waiting)
        number = waiting.next_number
        packs = (*waiting.packs, (number, self._write(number, rows)))
        return Waiting(packs, number + 1)

    def all(self, waiting: Waiting) -> pa.Table:
        """All rows that wait, in order of arrival."""
        tables = [self._read(number) for number, _ in waiting.packs]
        return pa.concat_tables([self._empty, *tables])

    def _tidied(self, waiting: Waiting) -> Waiting:
        """The same rows in fewer packs, each a stretch of time; those of one time in order."""
        rows = self.all(waiting)
        rows = rows.take(pa.array(np.argsort(numbers(rows["t"]), kind="stable")))
        times = numbers(rows["t"])
        cuts = np.linspace(0, len(times), _FEW_PACKS, endpoint=False, dtype=np.int64)
        starts = np.unique(np.searchsorted(times, times[cuts]))
        for number, _ in waiting.packs:
            self._packs.removeKey((number,))
        places = range(waiting.next_number, waiting.next_number + len(starts))
        ends = [*starts[1:].tolist(), len(times)]
        packs = [
            (number, self._write(number, rows.slice(start, end - start)))
            for number, start, end in zip(places, starts.tolist(), ends, strict=True)
        ]
        return Waiting(tuple(packs), places.stop)

    def _read(self, number: int) -> pa.Table:
        stored = self._packs.getValue((number,))
        if stored is None:  # a head is written with the packs that it names
            raise SnapshotError(
                f"the checkpoint's state lacks waiting rows {number}: it is damaged; use a copy of "
                "it, or a new checkpoint"
            )
        return read_waiting(stored[0], self._schema)

    def _write(self, number: int, rows: pa.Table) -> int:
        own = narrowed(rows.select(_written(self._schema).names))
        content = b"".join(map(memoryview, own.pack(0, rows.num_rows)))
        self._packs.updateValue((number,), to_value(content))
        return int(numbers(rows["t"]).min())


def read_waiting(content: str, schema: pa.Schema) -> pa.Table:
    """The rows of a pack, numbered as they came."""
    rows = widened(from_value(content), _written(schema))
    return with_hash(rows.append_column("n", pa.array(np.arange(rows.num_rows))), schema)


def _written(schema: pa.Schema) -> pa.Schema:
    """What a pack holds of rows.

    Arrival numbers are only valid within one micro-batch, so the order of the rows replaces them.
    A hash that Python can compute takes as long to read as to compute, so it is not stored.
    """
    left = {"n"} | made_here(schema)
    return pa.schema([field for field in schema if field.name not in left])
