"""What travels for a query, and what is done with it at leaves, mergers and roots.

Time is cut at edges, which depend on the query alone.  Whatever the frames in which a stretch of
time travels, and whenever they come, the same rows are folded together, merged in the order of
their nodes' names, and applied in the same steps: so floats come out the same to the last bit after
any crash and replay.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.edge.travels import Choice, Travels, choose
from windrow.engines.batch import in_order
from windrow.engines.engine import Engine, Kept, Partials
from windrow.engines.engines import engine_for
from windrow.windows.durations import MAX_US, MIN_US

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery

__all__ = ["BEGIN", "END", "ORIGIN", "Held", "Payload", "payload_for"]

#: Before all times, and after all: the frontier of a node that has sent nothing, or everything.
BEGIN, END = MIN_US, MAX_US

#: The column that names the leaf of a row or result.
ORIGIN = "o"

_SECOND = 1_000_000
_CELL_OF_ROWS = _SECOND // 10
_CELLS_OF_SLICE = 16  # at most so many, of a second at least: what waits to be folded stays small
_CELLS_OF_GAP = 4  # the end of a session may be known a quarter of the gap later for it


@dataclass
class Held:
    """What a leaf holds for a query: rows that wait, and what others were folded into."""

    rows: list[pa.Table] = field(default_factory=list)
    kept: Kept = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """How many rows wait."""
        return sum(table.num_rows for table in self.rows)


class Payload(ABC):
    """What travels for one query.

    A body is a table of `schema`; its column `time` says to which stretch each row belongs.
    """

    schema: pa.Schema
    time: str

    def __init__(self, query: "NodeQuery", engine: Engine, choice: Choice) -> None:
        self.choice = choice
        self._rows = query.definition.schema
        self._engine = engine

    @abstractmethod
    def edge(self, time: int) -> int:
        """The last edge at or before a time."""

    @abstractmethod
    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        """At a leaf: what travels of the rows before an edge, which no longer wait."""

    @abstractmethod
    def merge(self, parts: Sequence[pa.Table]) -> pa.Table:
        """At a merger: one body of those of several members, for the same stretch."""

    @abstractmethod
    def finish(self, kept: Kept, body: pa.Table, until: int) -> tuple[list[pa.Table], Kept]:
        """At the root: results that a body and the time reached determine, and what is kept."""

    def nothing_kept(self) -> Kept:
        """What a root keeps before it has seen anything."""
        return {name: schema.empty_table() for name, schema in self._engine.kept.items()}

    @property
    def kept(self) -> dict[str, pa.Schema]:
        """The tables that a root keeps."""
        return self._engine.kept

    @property
    def held(self) -> dict[str, pa.Schema]:
        """The tables that a leaf keeps besides its rows."""
        return {}

    @property
    def results(self) -> pa.Schema:
        """The columns of results, under internal names."""
        return self._engine.schema

    def split(self, body: pa.Table, edge: int) -> tuple[pa.Table, pa.Table]:
        """What of a body lies before an edge, and the rest."""
        before = numbers(body[self.time]) < edge if edge < END else np.ones(len(body), np.bool_)
        if before.all():
            return body, body.slice(0, 0)
        if not before.any():
            return body.slice(0, 0), body
        return body.filter(pa.array(before)), body.filter(pa.array(~before))

    def in_order(self, results: pa.Table) -> pa.Table:
        """Results of windows by their end, whatever the steps in which they came; rows as they are."""
        if "end" not in results.schema.names or results.num_rows < 2:
            return results
        by = [name for name in results.schema.names if _is_sortable(results.schema.field(name))]
        order = [name for name in ("end", "start", "name", *by) if name in results.schema.names]
        return results.sort_by([(name, "ascending") for name in dict.fromkeys(order)])

    def _passed(self, kept: Kept, until: int, results: list[pa.Table]) -> Kept:
        """Let time pass, from one moment at which something is due to the next.

        What one call of an engine answers together decides how floats are rounded, and in which
        order results come: so each moment has a call of its own, however far time jumps.
        """
        nothing = self._nothing()
        before = None
        while (due := self._engine.due(kept)) is not None and due <= until and due != before:
            kept, before = self._advanced(kept, nothing, due, results), due
        return self._advanced(kept, nothing, None, results) if until == END else kept

    def _advanced(
        self, kept: Kept, given: pa.Table | Partials, until: int | None, results: list[pa.Table]
    ) -> Kept:
        step = self._engine.advance(kept, given, until)
        results += [self.in_order(table) for table in step.results if table.num_rows]
        return step.kept

    def _nothing(self) -> pa.Table | Partials:
        return self._rows.empty_table()

    def _ripe(self, held: Held, until: int) -> pa.Table:
        """The waiting rows before a time, in order; the others go on waiting."""
        if not held.rows:
            return self._rows.empty_table()
        rows = pa.concat_tables(held.rows)
        times = numbers(rows["t"])
        ripe = times < until if until < END else np.ones(len(times), np.bool_)
        if ripe.all():
            held.rows = []
            return in_order(rows, "t")
        held.rows = [rows.filter(pa.array(~ripe))]
        return in_order(rows.filter(pa.array(ripe)), "t")


class _States(Payload):
    """Partial states, which engines of windows that fold early merge."""

    time = "start"

    def __init__(self, query: "NodeQuery", engine: Engine, choice: Choice) -> None:
        super().__init__(query, engine, choice)
        self.schema = engine.partials
        grids = [grid for _, window in query.definition.windows if (grid := window.grid)]
        self._aligned = bool(grids)
        if grids:
            # Rows of a slice are folded at once; those of a long one every now and then.
            every = min(grid.every_us for grid in grids)
            self._cell = max(_SECOND, every // _CELLS_OF_SLICE)
            self._in_cells = every > self._cell
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
        return self._engine.fold_until(time) if self._aligned else _floor(time, self._cell)

    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        # All rows are ripe that come before `until`, which may lie within a slice.
        edge = self.edge(until)
        reached = max(edge, _floor(until, self._cell)) if self._in_cells else edge
        rows = self._ripe(held, reached)
        kept = held.kept.get("states")
        for cell in _cells(rows, "t", self._cell) if self._in_cells else [rows]:
            if cell.num_rows:
                folded = self._engine.fold(cell)
                kept = folded if kept is None else self._joined([kept, folded])
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
        cells = _cells(pa.concat_tables(full), "start", self._cell)
        return pa.concat_tables([self._engine.whole(cell) for cell in cells])

    def finish(self, kept: Kept, body: pa.Table, until: int) -> tuple[list[pa.Table], Kept]:
        results: list[pa.Table] = []
        # Engines take keys in the order in which they first come, and round floats accordingly.
        keys = [f.name for f in body.schema if _is_sortable(f)]
        body = body.sort_by([(name, "ascending") for name in ("start", *keys)])
        for part in _cells(body, "start", 1 if self._aligned else self._cell):
            begin = int(numbers(part["start"])[0])
            begin = begin if self._aligned else _floor(begin, self._cell)
            kept = self._passed(kept, begin, results)
            kept = self._advanced(kept, Partials(part), begin, results)
        return results, self._passed(kept, until, results)

    def _nothing(self) -> pa.Table | Partials:
        return Partials(self.schema.empty_table())

    def _joined(self, parts: list[pa.Table]) -> pa.Table:
        joined = pa.concat_tables(parts)
        return self._engine.whole(joined) if self._aligned else joined


class _Rows(Payload):
    """Rows themselves, for windows that only all rows of a key can tell; each names its leaf."""

    time = "t"

    def __init__(self, query: "NodeQuery", engine: Engine, choice: Choice) -> None:
        super().__init__(query, engine, choice)
        self.schema = self._rows.append(pa.field(ORIGIN, pa.string()))

    def edge(self, time: int) -> int:
        return time if time in (BEGIN, END) else _floor(time, _CELL_OF_ROWS)

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
        for cell in _cells(body.select(self._rows.names), "t", _CELL_OF_ROWS):
            arrivals = pa.array(np.arange(cell.num_rows))
            rows = cell.set_column(number, self._rows.field(number), arrivals)
            begin = _floor(int(numbers(rows["t"])[0]), _CELL_OF_ROWS)
            kept = self._passed(kept, begin, results)
            kept = self._advanced(kept, rows, begin, results)
        return results, self._passed(kept, until, results)


class _Results(Payload):
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
        return self._engine.fold_until(time) if self._aligned else _floor(time, _CELL_OF_ROWS)

    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        edge = self.edge(until)
        rows = self._ripe(held, edge)
        kept = held.kept or self.nothing_kept()
        found: list[pa.Table] = []
        for cell in _cells(rows, "t", _CELL_OF_ROWS):
            begin = _floor(int(numbers(cell["t"])[0]), _CELL_OF_ROWS)
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


def payload_for(query: "NodeQuery") -> Payload:
    """What travels for a query."""
    choice = choose(query)
    kinds = {Travels.STATES: _States, Travels.ROWS: _Rows, Travels.RESULTS: _Results}
    return kinds[choice.travels](query, engine_for(query.definition), choice)


def _floor(time: int, cell: int) -> int:
    return time if time in (BEGIN, END) else time // cell * cell


def _cells(table: pa.Table, column: str, cell: int) -> Iterator[pa.Table]:
    """The rows of each cell of time, cell after cell, in the order they had."""
    if not table.num_rows:
        return
    cells: NDArray[np.int64] = numbers(table[column]) // cell
    if (cells[1:] < cells[:-1]).any():
        order = np.argsort(cells, kind="stable")
        table, cells = table.take(pa.array(order)), cells[order]
    borders = [0, *(np.flatnonzero(np.diff(cells)) + 1).tolist(), len(cells)]
    for start, end in zip(borders[:-1], borders[1:], strict=True):
        yield table.slice(start, end - start)


def _is_sortable(field: pa.Field) -> bool:
    return field.name[0] == "k" and not pa.types.is_nested(field.type)
