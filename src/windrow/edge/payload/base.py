"""What all that travels has in common: how time is cut, and in which steps it is applied.

Time is cut at edges, which depend on the query alone.  Whatever the frames in which a stretch of
time travels, and whenever they come, the same rows are folded together, merged in the order of
their nodes' names, and applied in the same steps: so floats come out the same to the last bit after
any crash and replay.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.edge.travels import Choice
from windrow.engines.batch import in_order
from windrow.engines.engine import Engine, Kept, Partials
from windrow.windows.durations import MAX_US, MIN_US

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery

__all__ = [
    "BEGIN",
    "CELL_OF_ROWS",
    "END",
    "ORIGIN",
    "SECOND",
    "Held",
    "Payload",
    "cells",
    "floor",
    "is_sortable",
    "sorted_by",
]

#: Before all times, and after all: the frontier of a node that has sent nothing, or everything.
BEGIN, END = MIN_US, MAX_US

#: The column that names the leaf of a row or result.
ORIGIN = "o"

SECOND = 1_000_000

#: The edges of what is cut at no windows of its own.
CELL_OF_ROWS = SECOND // 10


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

    def fold_edge(self, time: int) -> int:
        """Up to where rows need not wait for the end of their slice, if time has come so far."""
        return BEGIN

    def fold(self, held: Held, until: int) -> None:  # noqa: B027
        """At a leaf: let rows before such an edge take no more place than states do."""

    @abstractmethod
    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        """At a leaf: what travels of the rows before an edge, which no longer wait."""

    @abstractmethod
    def merge(self, parts: Sequence[pa.Table]) -> pa.Table:
        """At a merger: one body of those of several members, for the same stretch."""

    @abstractmethod
    def finish(self, kept: Kept, body: pa.Table, until: int) -> tuple[list[pa.Table], Kept]:
        """At the root: results that a body and the time reached determine, and what is kept."""

    def open_states(self, kept: Kept) -> pa.Table | None:
        """What open windows are made of, if they can be made again with more."""
        return None

    def amended(self, kept: Kept, body: pa.Table, reached: int) -> Kept:
        """What is kept, with a body that came after its time; only open windows take it."""
        return kept

    def again(self, bodies: pa.Table, reached: int, since: int, to: int) -> list[pa.Table]:
        """The results of windows that have ended and have a part in a stretch, made again."""
        return []

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
        """Results of windows by their end; those of rows as they are."""
        if "end" not in results.schema.names or results.num_rows < 2:
            return results
        by = [name for name in results.schema.names if is_sortable(results.schema.field(name))]
        order = [name for name in ("end", "start", "name", *by) if name in results.schema.names]
        return sorted_by(results, [*dict.fromkeys(order)])

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


def floor(time: int, cell: int) -> int:
    """The beginning of the cell that a time is in."""
    return time if time in (BEGIN, END) else time // cell * cell


def cells(table: pa.Table, column: str, cell: int) -> Iterator[pa.Table]:
    """The rows of each cell of time, cell after cell, in the order they had."""
    if not table.num_rows:
        return
    numbered: NDArray[np.int64] = numbers(table[column]) // cell
    if (numbered[1:] < numbered[:-1]).any():
        order = np.argsort(numbered, kind="stable")
        table, numbered = table.take(pa.array(order)), numbered[order]
    borders = [0, *(np.flatnonzero(np.diff(numbered)) + 1).tolist(), len(numbered)]
    for start, end in pairwise(borders):
        yield table.slice(start, end - start)


def is_sortable(field: pa.Field) -> bool:
    """Whether a column is a key that Arrow can sort by."""
    return field.name[0] == "k" and not pa.types.is_nested(field.type)


def sorted_by(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """A table in the order of some columns; to see that it has it already takes far less time."""
    if _is_sorted([table[name] for name in names]):
        return table
    return table.sort_by([(name, "ascending") for name in names])


def _is_sorted(columns: Sequence[pa.ChunkedArray]) -> bool:
    """Whether rows rise strictly; False as well where that is not easily told."""
    if not len(columns[0]):
        return True
    ties: pa.ChunkedArray | None = None
    for column in columns:
        if column.null_count or pa.types.is_floating(column.type):
            return False
        before, after = column.slice(0, len(column) - 1), column.slice(1)
        falls, equal = pc.greater(before, after), pc.equal(before, after)
        falls = falls if ties is None else pc.and_(ties, falls)
        if pc.any(falls).as_py():
            return False
        ties = equal if ties is None else pc.and_(ties, equal)
    return not pc.any(ties).as_py()
