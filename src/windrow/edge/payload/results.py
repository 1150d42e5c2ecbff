"""Results of leaves, which know all there is to know of their windows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from windrow.columnar.keyed import numbers
from windrow.edge.payload.base import BEGIN, CELL_OF_ROWS, END, ORIGIN, Held, Payload, cells, floor
from windrow.edge.travels import Choice
from windrow.engines.engine import Engine, Kept

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery

__all__ = ["Results"]


class Results(Payload):
    """Results of leaves that have all rows of their keys, with the time at which each was known."""

    time = "at"

    def __init__(self, query: "NodeQuery", engine: Engine, choice: Choice) -> None:
        super().__init__(query, engine, choice)
        at = pa.field("at", pa.int64())
        origin = pa.field(ORIGIN, pa.string())
        self.schema = pa.schema([*engine.schema, at, origin])
        self._aligned = query.definition.windows[0][1].grid is not None

    @property
    def held(self) -> dict[str, pa.Schema]:
        return self.kept

    def edge(self, time: int) -> int:
        if time in (BEGIN, END):
            return time
        return self._engine.fold_until(time) if self._aligned else floor(time, CELL_OF_ROWS)

    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        edge = self.edge(until)
        rows = self._ripe(held, edge)
        kept = held.kept or self.nothing_kept()
        found: list[pa.Table] = []
        for cell in cells(rows, "t", CELL_OF_ROWS):
            begin = floor(int(numbers(cell["t"])[0]), CELL_OF_ROWS)
            results: list[pa.Table] = []
            kept = self._passed(kept, begin, results)
            found += [self._known(table, begin - 1, leaf) for table in results]
            results = []
            kept = self._advanced(kept, cell, begin, results)
            found += [self._known(table, begin, leaf) for table in results]
        results = []
        held.kept = self._passed(kept, edge, results)
        found += [self._known(table, edge - 1, leaf) for table in results]
        return pa.concat_tables([self.schema.empty_table(), *found])

    def merge(self, parts: Sequence[pa.Table]) -> pa.Table:
        full = [part for part in parts if part.num_rows]
        return pa.concat_tables(full).combine_chunks() if full else self.schema.empty_table()

    def finish(self, kept: Kept, body: pa.Table, until: int) -> tuple[list[pa.Table], Kept]:
        return [body.select(self._engine.schema.names)], kept

    def _known(self, results: pa.Table, at: int, leaf: str) -> pa.Table:
        count = results.num_rows
        columns = [*results.columns, pa.repeat(at, count), pa.repeat(leaf, count)]
        return pa.table(columns, schema=self.schema)
