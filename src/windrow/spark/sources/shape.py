"""What the frames of a query are as rows of Spark.

rows      ordinary rows: the columns that the query reads, under the names by which it reads them
states    rows without values, each with a frame's states in a hidden column
results   the query's own results

A row that holds no row of the user's, but states or a tick, has something in the hidden column.  A
tick says how far the tree has come: Spark's watermark goes by it, and no query takes it for a row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from windrow.columnar.arrays import whole
from windrow.edge.payload import Payload, payload_for
from windrow.edge.query import NodeQuery, read_node_query
from windrow.edge.travels import Travels
from windrow.engines.names import free_name
from windrow.spark.sources.marks import MARK
from windrow.wire.messages import Frame, Late
from windrow.wire.tables import table_of

__all__ = ["Shape", "shape_of", "tick_of"]

_UNBOUNDED = 1 << 62  # what is in a spool was checked when it came
_HIDDEN = pa.struct([("rows", pa.int64()), ("states", pa.binary())])
_LAST_US = 253_402_300_799_999_999  # the end of the year 9999: no clock of Spark's reaches further
_MILLISECOND = 1000


@lru_cache(maxsize=16)
def shape_of(text: str) -> "Shape":
    """The shape of the query of a job's text."""
    query = read_node_query(text)
    return Shape(query, payload_for(query))


def tick_of(to: int) -> int:
    """The event time that tells Spark of a promise: no row before `to` will follow.

    Spark counts milliseconds, and a row at the watermark is late: so it is the last moment of the
    last whole millisecond before `to`.
    """
    return min(to // _MILLISECOND * _MILLISECOND - 1, _LAST_US)


@dataclass(frozen=True, eq=False)
class Shape:
    """A query whose frames become rows."""

    query: NodeQuery
    payload: Payload

    @property
    def travels(self) -> Travels:
        """What its frames hold."""
        return self.payload.choice.travels

    @property
    def folded(self) -> bool:
        """Whether they hold states."""
        return self.travels is Travels.STATES

    @property
    def answered(self) -> bool:
        """Whether they hold results."""
        return self.travels is Travels.RESULTS

    @cached_property
    def hidden(self) -> str:
        """The column that holds what no user's row has."""
        return free_name("_windrow", (name for name, _ in self._user({}, 0)))

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of a batch or stream of frames."""
        if self.answered:
            return self.query.answer_schema
        return self._rows({}, 0, pa.nulls(0, _HIDDEN)).schema

    @cached_property
    def late_schema(self) -> pa.Schema:
        """The columns of late rows."""
        return self.of_late([]).schema

    def spark_schema(self, path: str, *, late: bool) -> StructType:
        """The same as Spark has it, each column marked with the query that it is of."""
        if late or self.answered:
            return _as_spark(self.late_schema if late else self.schema, {}, {})
        own = {MARK: self.query.fingerprint}
        about = {"path": path, "query": self.query.fingerprint, "text": self.query.text}
        return _as_spark(self.schema, own, {self.hidden: {MARK: about}})

    def of_frames(self, frames: Sequence[Frame]) -> pa.Table:
        """Frames as rows, in their order."""
        if self.folded:
            full = [frame for frame in frames if frame.body]
            counts = pa.array([frame.rows for frame in full], pa.int64())
            bodies = pa.array([frame.body for frame in full], pa.binary())
            hidden = pa.StructArray.from_arrays([counts, bodies], fields=list(_HIDDEN))
            return self._rows({}, len(full), hidden)
        schema = self.payload.schema
        bodies = pa.concat_tables(
            [schema.empty_table(), *(table_of(f.body, schema, _UNBOUNDED) for f in frames)]
        )
        if self.answered:
            return self.query.answers(bodies.select(self.payload.results.names))
        return self._rows(_columns(bodies), len(bodies), pa.nulls(len(bodies), _HIDDEN))

    def of_late(self, late: Iterable[Late]) -> pa.Table:
        """Late rows, in the order in which they came."""
        schema = self.query.definition.schema
        tables = [table_of(one.body, schema, _UNBOUNDED) for one in late if not one.is_frame]
        rows = pa.concat_tables([schema.empty_table(), *tables])
        return pa.table(dict(self._user(_columns(rows), len(rows))))

    def tick(self, to: int) -> pa.Table:
        """A row that moves Spark's watermark to where the tree has come."""
        hidden = pa.array([{"rows": 0, "states": None}], _HIDDEN)
        return self._rows({"t": pa.array([tick_of(to)], pa.int64())}, 1, hidden)

    def _rows(self, given: Mapping[str, pa.Array], count: int, hidden: pa.Array) -> pa.Table:
        columns = [*self._user(given, count), (self.hidden, hidden)]
        return pa.table([array for _, array in columns], names=[name for name, _ in columns])

    def _user(self, given: Mapping[str, pa.Array], count: int) -> list[tuple[str, pa.Array]]:
        """The columns that the query reads, as users know them; what is not given is null."""
        columns = []
        for name, path in self._paths.items():
            kind = self._type(name)
            array = given.get(name)
            columns.append((path, pa.nulls(count, kind) if array is None else array.cast(kind)))
        return _built(columns)

    def _type(self, name: str) -> pa.DataType:
        if name == "t":
            return self.query.outcome.time_type
        return self.query.definition.schema.field(name).type

    @cached_property
    def _paths(self) -> dict[str, tuple[str, ...]]:
        """The columns to show: none twice, and no field of one that is shown as a whole.

        The time comes first, so that a value read from its column is not shown in its place.
        """
        paths = dict(sorted(self.query.paths.items(), key=lambda item: item[0] != "t"))
        folded = {name: tuple(map(str.casefold, path)) for name, path in paths.items()}
        found: dict[tuple[str, ...], str] = {}
        for name, path in folded.items():
            shorter = (path[:size] for size in range(1, len(path)))
            if path not in found and not any(part in folded.values() for part in shorter):
                found[path] = name
        return {name: paths[name] for name in self.query.paths if name in found.values()}


def _columns(table: pa.Table) -> dict[str, pa.Array]:
    return {name: whole(table.column(name)) for name in table.column_names}


def _built(columns: Sequence[tuple[tuple[str, ...], pa.Array]]) -> list[tuple[str, pa.Array]]:
    """Arrays under their names, those of fields put together to structs."""
    groups: dict[str, list[tuple[tuple[str, ...], pa.Array]]] = {}
    for path, array in columns:
        groups.setdefault(path[0].casefold(), []).append((path, array))
    found = []
    for own in groups.values():
        (name, *rest), array = own[0]
        if rest:
            inner = _built([(path[1:], field) for path, field in own])
            fields = [pa.field(field, values.type) for field, values in inner]
            array = pa.StructArray.from_arrays([values for _, values in inner], fields=fields)
        found.append((name, array))
    return found


def _as_spark(
    schema: pa.Schema, marked: Mapping[str, Any], special: Mapping[str, Mapping[str, Any]]
) -> StructType:
    fields = []
    for field in schema:
        kind = from_arrow_type(field.type, prefer_timestamp_ntz=True)
        fields.append(StructField(field.name, kind, True, dict(special.get(field.name, marked))))
    return StructType(fields)
