"""Rows themselves, for windows that only all rows of a key can tell."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from windrow.columnar.keyed import numbers
from windrow.edge.payload.base import BEGIN, CELL_OF_ROWS, END, ORIGIN, Held, Payload, cells, floor
from windrow.edge.travels import Choice
from windrow.engines.engine import Engine, Kept

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery

__all__ = ["Rows"]


class Rows(Payload):
    """Rows themselves, for windows that only all rows of a key can tell; each names its leaf."""

    time = "t"

    def __init__(self, query: "NodeQuery", engine: Engine, choice: Choice) -> None:
        super().__init__(query, engine, choice)
        self.schema = self._rows.append(pa.field(ORIGIN, pa.string()))

    def edge(self, time: int) -> int:
        return time if time in (BEGIN, END) else floor(time, CELL_OF_ROWS)

    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        rows = self._ripe(held, self.edge(until))
        return rows.append_column(self.schema.field(ORIGIN), pa.repeat(leaf, rows.num_rows))

    def merge(self, parts: Sequence[pa.Table]) -> pa.Table:
        full = [part for part in parts if part.num_rows]
        if len(full) < 2:
            return full[0] if full else self.schema.empty_table()
        # Ties go by the name of the leaf, then by the number there.
        rows = pa.concat_tables(full)
        return rows.sort_by([("t", "ascending"), (ORIGIN, "ascending"), ("n", "ascending")])

    def finish(self, kept: Kept, body: pa.Table, until: int) -> tuple[list[pa.Table], Kept]:
        results: list[pa.Table] = []
        number = self._rows.get_field_index("n")
        for cell in cells(body.select(self._rows.names), "t", CELL_OF_ROWS):
            arrivals = pa.array(np.arange(cell.num_rows))
            rows = cell.set_column(number, self._rows.field(number), arrivals)
            begin = floor(int(numbers(rows["t"])[0]), CELL_OF_ROWS)
            kept = self._passed(kept, begin, results)
            kept = self._advanced(kept, rows, begin, results)
        return results, self._passed(kept, until, results)
