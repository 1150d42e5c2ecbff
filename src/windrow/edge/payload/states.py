"""Partial states: slices, or parts of sessions, which engines of such windows merge."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from windrow.columnar.keyed import numbers
from windrow.edge.payload.base import (
    BEGIN,
    END,
    SECOND,
    Held,
    Payload,
    cells,
    floor,
    is_sortable,
    sorted_by,
)
from windrow.edge.travels import Choice
from windrow.engines.engine import Engine, Kept, Partials

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery

__all__ = ["States"]

_CELLS_OF_GAP = 4  # the end of a session may be known a quarter of the gap later for it


class States(Payload):
    """Partial states, which engines of windows that fold early merge."""

    time = "start"

    def __init__(self, query: "NodeQuery", engine: Engine, choice: Choice) -> None:
        super().__init__(query, engine, choice)
        self.schema = engine.partials
        grids = [grid for _, window in query.definition.windows if (grid := window.grid)]
        self._aligned = bool(grids)
        if grids:
            # Rows of a slice are folded at once; those of a long one second by second.
            self._cell = SECOND
            self._in_cells = min(grid.every_us for grid in grids) > SECOND
        else:
            gaps = [window.silence_us or 1 for _, window in query.definition.windows]
            self._cell = max(1, min(gaps) // _CELLS_OF_GAP)
            self._in_cells = True

    @property
    def held(self) -> dict[str, pa.Schema]:
        return {"states": self.schema}

    def edge(self, time: int) -> int:
        if time in (BEGIN, END):
            return time
        return self._engine.fold_until(time) if self._aligned else floor(time, self._cell)

    def fold_edge(self, time: int) -> int:
        return floor(time, self._cell) if self._in_cells else BEGIN

    def fold(self, held: Held, until: int) -> None:
        rows = self._ripe(held, until)
        kept = held.kept.get("states")
        for cell in cells(rows, "t", self._cell) if self._in_cells else [rows]:
            if cell.num_rows:
                folded = self._engine.fold(cell)
                kept = folded if kept is None else self._joined([kept, folded])
        if kept is not None:
            held.kept["states"] = kept

    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        edge = self.edge(until)
        self.fold(held, edge)
        kept = held.kept.get("states")
        if kept is None or not kept.num_rows:
            return self.schema.empty_table()
        body, held.kept["states"] = self.split(kept, edge)
        return body

    def merge(self, parts: Sequence[pa.Table]) -> pa.Table:
        full = [part for part in parts if part.num_rows]
        if len(full) < 2:
            return full[0] if full else self.schema.empty_table()
        if self._aligned:
            return self._engine.whole(pa.concat_tables(full))
        parted = cells(pa.concat_tables(full), "start", self._cell)
        return pa.concat_tables([self._engine.whole(cell) for cell in parted])

    def finish(self, kept: Kept, body: pa.Table, until: int) -> tuple[list[pa.Table], Kept]:
        results: list[pa.Table] = []
        # Engines take keys in the order in which they first come, and round floats accordingly.
        keys = [f.name for f in body.schema if is_sortable(f)]
        body = sorted_by(body, ["start", *keys])
        parts = [*cells(body, "start", 1 if self._aligned else self._cell)]
        begins = [int(numbers(part["start"])[0]) for part in parts]
        begins = begins if self._aligned else [floor(begin, self._cell) for begin in begins]
        for part, (begin, following) in zip(parts, pairwise([*begins, until]), strict=True):
            kept = self._passed(kept, begin, results)
            # Time passes in the same call if windows end next: keys need not be grouped twice.
            moment = self._due_with(kept, part, following) if self._aligned else None
            at = begin if moment is None else moment
            kept = self._advanced(kept, Partials(part), at, results)
        return results, self._passed(kept, until, results)

    def _due_with(self, kept: Kept, slices: pa.Table, until: int) -> int | None:
        """When the first window ends that is kept, or has one of these slices."""
        known = (kept, {**kept, "slices": slices})
        due = min(
            (moment for one in known if (moment := self._engine.due(one)) is not None), default=END
        )
        return due if due <= until and due < END else None

    def open_states(self, kept: Kept) -> pa.Table | None:
        return kept["slices"] if self._aligned else None

    def amended(self, kept: Kept, body: pa.Table, reached: int) -> Kept:
        if not self._aligned or reached == END:
            return kept
        return self._engine.advance(kept, Partials(body), reached).kept

    def again(self, bodies: pa.Table, reached: int, since: int, to: int) -> list[pa.Table]:
        results, _ = self.finish(self.nothing_kept(), self._engine.whole(bodies), END)
        found = [
            table.filter(
                (pc.field("start") < to) & (pc.field("end") > since) & (pc.field("end") <= reached)
            )
            for table in results
        ]
        return [table for table in found if table.num_rows]

    def _nothing(self) -> pa.Table | Partials:
        return Partials(self.schema.empty_table())

    def _joined(self, parts: list[pa.Table]) -> pa.Table:
        joined = pa.concat_tables(parts)
        return self._engine.whole(joined) if self._aligned else joined
