"""Punctuated windows that leaves ended, each by its own marks, merged at the root.

A window is merged with those of other leaves that are known when it is: marks that all leaves see
at one time end their windows at one time.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers, together
from windrow.columnar.order import sorted_by_key_and_time
from windrow.edge.payload.base import (
    BEGIN,
    CELL_OF_ROWS,
    END,
    ORIGIN,
    Held,
    Payload,
    cells,
    floor,
)
from windrow.edge.travels import Choice
from windrow.engines.engine import Engine, Kept
from windrow.engines.merged_segments import PLACE, merge_equal, merge_near, merge_nth
from windrow.engines.segments import Segments, borders_of_near
from windrow.jobs import Merging

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery

__all__ = ["Entries"]

_COUNTS = "counts"  # how many windows of each key a leaf has ended
_WAITING = "waiting"  # windows that others may still belong to


class Entries(Payload):
    """The states of windows that have ended, with the time at which that was known."""

    time = "at"

    def __init__(self, query: "NodeQuery", engine: Engine, choice: Choice) -> None:
        super().__init__(query, engine, choice)
        assert isinstance(engine, Segments)
        self._segments = engine
        self._merging, self._gap_us = query.merging, query.gap_us or 0
        own = [
            pa.field(PLACE, pa.int64()),
            pa.field("at", pa.int64()),
            pa.field(ORIGIN, pa.string()),
        ]
        self.schema = pa.schema([*engine.entries, *own])
        owners = [engine.entries.field(name) for name in engine.owners]
        self._counts = pa.schema([*owners, pa.field(PLACE, pa.int64())])

    @property
    def held(self) -> dict[str, pa.Schema]:
        return {**self._engine.kept, _COUNTS: self._counts}

    @property
    def kept(self) -> dict[str, pa.Schema]:
        return {_WAITING: self.schema}

    def nothing_kept(self) -> Kept:
        return {_WAITING: self.schema.empty_table()}

    def edge(self, time: int) -> int:
        return time if time in (BEGIN, END) else floor(time, CELL_OF_ROWS)

    def collect(self, held: Held, leaf: str, until: int) -> pa.Table:
        edge = self.edge(until)
        rows = self._ripe(held, edge)
        kept = held.kept or {name: schema.empty_table() for name, schema in self.held.items()}
        counts = kept.pop(_COUNTS)
        found = []
        for cell in cells(rows, "t", CELL_OF_ROWS):
            begin = floor(int(numbers(cell["t"])[0]), CELL_OF_ROWS)
            ended, kept = self._segments.ended(kept, cell, begin)
            numbered, counts = self._numbered(ended, counts)
            known = [pa.repeat(begin, len(ended)), pa.repeat(leaf, len(ended))]
            found.append(pa.table([*numbered.columns, *known], schema=self.schema))
        held.kept = {**kept, _COUNTS: counts}
        return pa.concat_tables([self.schema.empty_table(), *found])

    def merge(self, parts: Sequence[pa.Table]) -> pa.Table:
        return pa.concat_tables([self.schema.empty_table(), *parts]).combine_chunks()

    def finish(self, kept: Kept, body: pa.Table, until: int) -> tuple[list[pa.Table], Kept]:
        waiting = pa.concat_tables([kept[_WAITING], body])
        waiting = waiting.sort_by([("start", "ascending"), (ORIGIN, "ascending")])
        over = self._are_over(waiting, until)
        ended = waiting.filter(pa.array(over))
        left = {_WAITING: waiting.filter(pa.array(~over))}
        if not ended.num_rows:
            return [], left
        return [self.in_order(self._segments.lowered(self._merged(ended)))], left

    def _are_over(self, waiting: pa.Table, until: int) -> NDArray[np.bool_]:
        """Which windows no other can belong to any more."""
        if until == END or not waiting.num_rows:
            return np.ones(waiting.num_rows, np.bool_)
        if self._merging is not Merging.GAP:
            over: NDArray[np.bool_] = numbers(waiting["at"]) + self._gap_us < until
            return over
        keyed, starts = sorted_by_key_and_time(
            waiting, numbers(waiting["start"]), self._segments.owners
        )
        borders = borders_of_near(keyed, starts, np.full(len(starts), self._gap_us))
        ends = np.maximum.reduceat(numbers(keyed.table["end"]), borders[:-1])
        ended = np.repeat(ends + self._gap_us < until, np.diff(borders))
        result = np.empty(len(ended), np.bool_)
        result[keyed.origins] = ended
        return result

    def _merged(self, ended: pa.Table) -> pa.Table:
        if self._merging is Merging.NTH:
            return merge_nth(self._segments, ended)
        entries = ended.select(self._segments.entries.names)
        if self._merging is Merging.EQUAL:
            return merge_equal(self._segments, entries)
        return merge_near(self._segments, entries, self._gap_us)

    def _numbered(self, ended: pa.Table, counts: pa.Table) -> tuple[pa.Table, pa.Table]:
        """Windows with their number among those of their key, and how many there are now."""
        owners = self._segments.owners
        known = counts.append_column("old", pa.repeat(True, len(counts)))
        fresh = ended.select(owners)
        fresh = fresh.append_column(self._counts.field(PLACE), pa.repeat(1, len(ended)))
        fresh = fresh.append_column("old", pa.repeat(False, len(ended)))
        keyed = together(pa.concat_tables([known, fresh]), owners)
        steps = numbers(keyed.table[PLACE])
        totals = np.cumsum(steps)
        before = np.repeat(
            totals[keyed.borders[:-1]] - steps[keyed.borders[:-1]], np.diff(keyed.borders)
        )
        running = totals - before
        old = numbers(keyed.table["old"])
        places = np.empty(len(ended), np.int64)
        places[keyed.origins[~old] - len(counts)] = running[~old] - 1
        lasts = keyed.borders[1:] - 1
        now = keyed.table.select(owners).take(pa.array(lasts))
        now = now.append_column(self._counts.field(PLACE), pa.array(running[lasts]))
        return ended.append_column(PLACE, pa.array(places)), now
