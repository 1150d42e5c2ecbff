"""Count windows, one or several at once: the rows of a key by their position.

A complete window ends with a row, so it is that row's trailing window of as many rows.  What is
kept of a key are the rows its open windows hold, each with its position.
"""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Product
from windrow.columnar.keyed import (
    Keyed,
    key_columns,
    last_rows,
    numbers,
    spread,
    together,
)
from windrow.columnar.states import Summary
from windrow.engines.answers import promised, with_answers
from windrow.engines.definition import Definition
from windrow.engines.engine import FRESH, Engine, Kept, Step
from windrow.kernels.grouping import running_max
from windrow.rolling.ordered import trail_groups
from windrow.windows import Count, TrailingRows

__all__ = ["Counted"]

_POSITION = "p"


class Counted(Engine):
    """Windows over the positions [k * every, k * every + size) of each key, by name."""

    heard: Mapping[str, str] = {"rows": "t"}

    def __init__(self, definition: Definition) -> None:
        self._windows: list[tuple[str, Count]] = []
        for name, window in definition.windows:
            assert isinstance(window, Count)
            self._windows.append((name, window))
        self._definition = definition
        # One row at least is kept, to know how many there were.
        self._held = max(1, *(window.size - 1 for _, window in self._windows))
        self._keys = key_columns(definition.schema)
        self._values = [name for name in definition.schema.names if name[0] == "v"]
        own = [definition.schema.field(name) for name in (*self._keys, "t", *self._values)]
        self.kept = {"rows": pa.schema([*own, pa.field(_POSITION, pa.int64())])}
        self._bounds = [pa.field(name, pa.int64()) for name in ("start", "end", "first", "last")]
        keys = [definition.schema.field(name) for name in self._keys]
        self.schema = pa.schema(
            [*keys, *definition.name_fields(), *self._bounds, *definition.result_fields()]
        )

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        """Apply rows: a result for each window they complete."""
        if not rows.num_rows:
            return Step([self.schema.empty_table()], kept)
        keyed, positions, fresh = self._joined(kept["rows"], rows)
        results = [
            self._complete(keyed, positions, fresh, name, window) for name, window in self._windows
        ]
        needed = last_rows(keyed.borders, self._held)
        table = self._with_positions(keyed.table, positions).filter(pa.array(needed))
        return Step(results, {"rows": table})

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """Windows that a fresh row has changed, complete or not."""
        marks = rows[FRESH].combine_chunks()
        keyed, positions, _ = self._joined(kept["rows"], rows.drop_columns([FRESH]))
        held = kept["rows"].num_rows
        is_fresh = np.concatenate([np.zeros(held, np.int64), numbers(marks)])[keyed.origins]
        # A row before others moves all of them on by one position.
        moved = running_max(is_fresh.astype(np.int64), keyed.borders) > 0
        found = [
            self._so_far(keyed, positions, _windows_of(keyed, positions, moved, window), name)
            for name, window in self._windows
        ]
        return pa.concat_tables(found)

    def unfinished(self, kept: Kept) -> pa.Table:
        """Windows that are not complete yet."""
        keyed = together(kept["rows"])
        positions = numbers(keyed.table[_POSITION])
        every, found = np.ones(len(positions), np.bool_), []
        for name, window in self._windows:
            windows = _windows_of(keyed, positions, every, window)
            is_open = windows[:, 2] < windows[:, 1] + window.size - 1
            found.append(self._so_far(keyed, positions, windows[is_open], name))
        return pa.concat_tables(found)

    def _so_far(
        self, keyed: Keyed, positions: NDArray[np.int64], windows: NDArray[np.int64], name: str
    ) -> pa.Table:
        """Windows as they are: the group, first and last position of each."""
        if not len(windows):
            return self.schema.empty_table()
        groups, first, ends = windows.T
        places = keyed.borders[groups] + first - positions[keyed.borders[groups]]
        counts = ends - first + 1
        taken = keyed.table.take(pa.array(spread(places, counts)))
        borders = np.concatenate([[0], np.cumsum(counts)])
        answers = {}
        for (called, part), result in zip(
            self._definition.aggregates, self._definition.results, strict=True
        ):
            summary = Summary(part, called, self._definition.schema, result)
            answers[called] = summary.lower(summary.fold(taken, borders))
        bounds = (places, places + counts - 1, first, ends)
        return self._results(keyed.table, name, bounds, pa.table(answers))

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
        self,
        keyed: Keyed,
        positions: NDArray[np.int64],
        fresh: NDArray[np.bool_],
        name: str,
        window: Count,
    ) -> pa.Table:
        """The windows that fresh rows have completed."""
        since = positions + 1 - window.size
        last = np.flatnonzero(fresh & (since >= 0) & (since % window.every == 0))
        if not len(last):
            return self.schema.empty_table()
        (answers,) = trail_groups(
            keyed.table.select(self._values),
            Product(self._definition.aggregates),
            [TrailingRows(window.size)],
            numbers(keyed.table["t"]),
            keyed.borders,
            wanted=last,
            typed=promised(self._definition),
        )
        bounds = (last - window.size + 1, last, since[last], positions[last])
        return self._results(keyed.table, name, bounds, answers)

    def _results(
        self,
        table: pa.Table,
        name: str,
        bounds: tuple[NDArray[np.int64], ...],  # places and positions of first and last rows
        answers: pa.Table,
    ) -> pa.Table:
        first_places, last_places, first, last = bounds
        times = numbers(table["t"])
        keys = table.select(self._keys).take(pa.array(last_places))
        named = [pa.repeat(name, len(last))] if self._definition.named else []
        limits = (times[first_places], times[last_places], first, last)
        own = [*keys.columns, *named, *map(pa.array, limits)]
        return with_answers(own, self._definition, [answers], self.schema)


def _windows_of(
    keyed: Keyed, positions: NDArray[np.int64], is_fresh: NDArray[np.bool_], window: Count
) -> NDArray[np.int64]:
    """Group, first position and last position so far of each window with a fresh row."""
    fresh = np.flatnonzero(is_fresh)
    if not len(fresh):
        return np.empty((0, 3), np.int64)
    groups, own = keyed.groups[fresh], positions[fresh]
    newest = own // window.every
    oldest = np.maximum(-(-(own - window.size + 1) // window.every), 0)
    counts = np.maximum(newest - oldest + 1, 0)
    starts = spread(oldest, counts) * window.every
    pairs = np.unique(np.column_stack([np.repeat(groups, counts), starts]), axis=0)
    reached = positions[keyed.borders[1:] - 1][pairs[:, 0]]
    ends = np.minimum(pairs[:, 1] + window.size - 1, reached)
    return np.column_stack([pairs, ends])
