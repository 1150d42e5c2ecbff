"""Count windows: the rows of a key by their position.

A complete window ends with a row, so it is that row's trailing window of as many rows.  What is
kept of a key are the rows its open windows hold, each with its position.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.aggregators.kernels.grouping import running_max
from windrow.aggregators.rolling.ordered import trail_groups
from windrow.algebra.aggregate import Product
from windrow.slicing.answers import promised, with_answers
from windrow.slicing.definition import Definition
from windrow.slicing.engine import FRESH, Kept, Step
from windrow.slicing.keyed import (
    Keyed,
    empty,
    key_columns,
    last_rows,
    numbers,
    spread,
    together,
)
from windrow.slicing.summary import Summary
from windrow.windows import Count, TrailingRows

__all__ = ["Counted"]

_POSITION = "p"


class Counted:
    """Windows over the positions [k * every, k * every + size) of each key."""

    folds_early = False
    partials = pa.schema([])

    def __init__(self, definition: Definition) -> None:
        ((_, window),) = definition.windows
        assert isinstance(window, Count)
        self._definition = definition
        self._size, self._every = window.size, window.every
        self._keys = key_columns(definition.schema)
        self._values = [name for name in definition.schema.names if name[0] == "v"]
        own = [definition.schema.field(name) for name in (*self._keys, "t", *self._values)]
        self.kept = {"rows": pa.schema([*own, pa.field(_POSITION, pa.int64())])}
        self._bounds = [pa.field(name, pa.int64()) for name in ("start", "end", "first", "last")]
        keys = [definition.schema.field(name) for name in self._keys]
        self.schema = pa.schema([*keys, *self._bounds, *definition.result_fields()])

    def fold(self, rows: pa.Table) -> pa.Table:
        """Positions are known only where all rows of a key are: nothing is folded before."""
        raise NotImplementedError

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        """Apply rows: a result for each window they complete."""
        if not rows.num_rows:
            return Step([empty(self.schema)], kept)
        keyed, positions, fresh = self._joined(kept["rows"], rows)
        ends = positions + 1
        complete = fresh & (ends >= self._size) & ((ends - self._size) % self._every == 0)
        last = np.flatnonzero(complete)
        results = self._complete(keyed, positions, last)
        # One row at least, to know how many there were.
        needed = last_rows(keyed.borders, max(self._size - 1, 1))
        table = self._with_positions(keyed.table, positions).filter(pa.array(needed))
        return Step([results], {"rows": table})

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """Windows that a fresh row has changed, complete or not."""
        marks = rows[FRESH].combine_chunks()
        keyed, positions, _ = self._joined(kept["rows"], rows.drop_columns([FRESH]))
        held = kept["rows"].num_rows
        is_fresh = np.concatenate([np.zeros(held, np.int64), numbers(marks)])[keyed.origins]
        # A row before others moves all of them one position on.
        moved = running_max(is_fresh.astype(np.int64), keyed.borders) > 0
        return self._so_far(keyed, positions, self._windows_of(keyed, positions, moved))

    def unfinished(self, kept: Kept) -> pa.Table:
        """Windows that have fewer rows than they should."""
        keyed = together(kept["rows"])
        positions = numbers(keyed.table[_POSITION])
        windows = self._windows_of(keyed, positions, np.ones(len(positions), np.bool_))
        is_open = windows[:, 2] < windows[:, 1] + self._size - 1
        return self._so_far(keyed, positions, windows[is_open])

    def _so_far(
        self, keyed: Keyed, positions: NDArray[np.int64], windows: NDArray[np.int64]
    ) -> pa.Table:
        """Windows as they are: the group, first and last position of each."""
        if not len(windows):
            return empty(self.schema)
        groups, first, ends = windows.T
        places = keyed.borders[groups] + first - positions[keyed.borders[groups]]
        counts = ends - first + 1
        taken = keyed.table.take(pa.array(spread(places, counts)))
        borders = np.concatenate([[0], np.cumsum(counts)])
        answers = {}
        for (name, part), result in zip(
            self._definition.aggregates, self._definition.results, strict=True
        ):
            summary = Summary(part, name, self._definition.schema, result)
            answers[name] = summary.lower(summary.fold(taken, borders))
        last = places + counts - 1
        return self._results(keyed.table, places, last, first, ends, pa.table(answers))

    def due(self, kept: Kept) -> int | None:
        """Time never ends these windows."""
        return None

    def _joined(
        self, held: pa.Table, rows: pa.Table
    ) -> tuple[Keyed, NDArray[np.int64], NDArray[np.bool_]]:
        """Kept rows and new ones, key by key; their positions; and which are new."""
        new = rows.select([*self._keys, "t", *self._values])
        unknown = pa.array(np.full(rows.num_rows, -1))
        joined = pa.concat_tables([held, new.append_column(_POSITION, unknown).cast(held.schema)])
        keyed = together(joined)
        # The first row of a key knows its position, or is the first there ever was.
        known = np.maximum(numbers(keyed.table[_POSITION])[keyed.borders[:-1]], 0)
        sizes = np.diff(keyed.borders)
        positions = spread(known, sizes)
        return keyed, positions, keyed.origins >= held.num_rows

    def _with_positions(self, table: pa.Table, positions: NDArray[np.int64]) -> pa.Table:
        place = table.schema.get_field_index(_POSITION)
        return table.set_column(place, table.schema.field(place), pa.array(positions))

    def _complete(
        self, keyed: Keyed, positions: NDArray[np.int64], last: NDArray[np.int64]
    ) -> pa.Table:
        if not len(last):
            return empty(self.schema)
        answers = trail_groups(
            keyed.table.select(self._values),
            Product(self._definition.aggregates),
            TrailingRows(self._size),
            numbers(keyed.table["t"]),
            keyed.borders,
            wanted=last,
            typed=promised(self._definition),
        )
        first = positions[last] - self._size + 1
        return self._results(
            keyed.table, last - self._size + 1, last, first, positions[last], answers
        )

    def _windows_of(
        self, keyed: Keyed, positions: NDArray[np.int64], is_fresh: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Group, first position and last position so far of each window with a fresh row."""
        fresh = np.flatnonzero(is_fresh)
        if not len(fresh):
            return np.empty((0, 3), np.int64)
        groups, own = keyed.groups[fresh], positions[fresh]
        newest = own // self._every
        oldest = np.maximum(-(-(own - self._size + 1) // self._every), 0)
        counts = np.maximum(newest - oldest + 1, 0)
        starts = spread(oldest, counts) * self._every
        pairs = np.unique(np.column_stack([np.repeat(groups, counts), starts]), axis=0)
        reached = positions[keyed.borders[1:] - 1][pairs[:, 0]]
        ends = np.minimum(pairs[:, 1] + self._size - 1, reached)
        return np.column_stack([pairs, ends])

    def _results(
        self,
        table: pa.Table,
        first_places: NDArray[np.int64],
        last_places: NDArray[np.int64],
        first: NDArray[np.int64],
        last: NDArray[np.int64],
        answers: pa.Table,
    ) -> pa.Table:
        times = numbers(table["t"])
        keys = table.select(self._keys).take(pa.array(last_places))
        bounds = (times[first_places], times[last_places], first, last)
        own = [*keys.columns, *map(pa.array, bounds)]
        return with_answers(own, self._definition, answers, self.schema)
