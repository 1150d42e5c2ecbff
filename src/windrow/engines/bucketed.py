"""Windows with a result for each row, kept as buckets: results are intervals.

What is kept for a key is its window as bytes, one value per aggregate, as each has its own buckets;
no rows are kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import key_columns, numbers, together
from windrow.columnar.order import last_tied
from windrow.engines.definition import Definition
from windrow.engines.either_window import EitherWindow
from windrow.engines.engine import Engine, Kept, Step
from windrow.engines.intervals import IntervalColumn
from windrow.engines.per_row import previewed
from windrow.kernels.grouping import running_max
from windrow.windows import Order, Policy, TrailingRows, TrailingTime

__all__ = ["Bucketed"]

_TABLE = "buckets"
_TICK = "tick"  # the newest time that the key's window has seen, which never goes back
_ROWS = "rows"  # how many the window holds, or about


@dataclass(frozen=True)
class _Arrived:
    """New rows key by key, in runs; each run continues a window or starts an empty one."""

    rows: pa.Table
    ticks: NDArray[np.int64]
    borders: NDArray[np.int64]  # run r has the rows [borders[r], borders[r + 1])
    kept: list[int | None]  # of each run: the row of the kept table that it goes on with
    is_last: NDArray[np.bool_]  # whether a run is its key's last
    touched: NDArray[np.int64]  # the rows of the kept table whose keys have new rows


class Bucketed(Engine):
    """Trailing windows and slide policies in buckets: one interval for each row and aggregate.

    A window contains its newest row, so windows that leave out the time of their row are refused.
    """

    heard: Mapping[str, str] = {_TABLE: _TICK}

    def __init__(self, definition: Definition) -> None:
        ((_, window),) = definition.windows
        assert isinstance(window, TrailingRows | TrailingTime | Policy)
        self._definition, self._window = definition, window
        self._keys = key_columns(definition.schema)
        parts = zip(definition.aggregates, definition.methods, strict=True)
        # They hold nothing between two calls: each key is loaded first.
        self._windows = [
            EitherWindow(aggregate, methods, window, definition.schema)
            for (_, aggregate), methods in parts
        ]
        self._packed = [f"b{place}" for place in range(len(self._windows))]
        keys = [definition.schema.field(name) for name in self._keys]
        whole = [pa.field(name, pa.int64()) for name in (_TICK, _ROWS)]
        packed = [pa.field(name, pa.binary()) for name in self._packed]
        self.kept = {_TABLE: pa.schema([*keys, *whole, *packed])}
        self.schema = pa.schema([*definition.row_fields(), *definition.result_fields()])

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        """Apply rows: a result for each."""
        held = kept[_TABLE]
        if not rows.num_rows:
            return Step([self.schema.empty_table()], {_TABLE: self._still_needed(held, until)})
        arrived = self._arrived(held, rows)
        tied = self._tied(arrived)
        results, packed = [], []
        sizes: list[int] = []
        for place, window in enumerate(self._windows):
            found, contents, sizes = _run(window, held[self._packed[place]], arrived)
            column = found.column(window.inputs, self._definition.results[place])
            results.append(column if tied is None else column.take(tied))
            packed.append(pa.array(contents, pa.binary()))
        own = arrived.rows.select([field.name for field in self._definition.row_fields()])
        answers = pa.table([*own.columns, *results], schema=self.schema)
        last = arrived.borders[1:][arrived.is_last] - 1
        keys = arrived.rows.select(self._keys).take(pa.array(last))
        changed = [*keys.columns, pa.array(arrived.ticks[last]), pa.array(sizes), *packed]
        untouched = np.ones(held.num_rows, np.bool_)
        untouched[arrived.touched] = False
        both = [held.filter(pa.array(untouched)), pa.table(changed, schema=held.schema)]
        return Step([answers], {_TABLE: self._still_needed(pa.concat_tables(both), until)})

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """The results of fresh rows, and of rows of their keys that come after them."""
        return previewed(rows, [self._window], lambda plain: self.advance(kept, plain, None))

    def due(self, kept: Kept) -> int | None:
        """When a key has been silent for so long that none of its rows is in any window."""
        table, reach_us = kept[_TABLE], self._window.reach_us
        if reach_us is None or not table.num_rows:
            return None
        if self._definition.order is not Order.TIME:  # the next row's time may be any
            return None
        return int(numbers(table[_TICK]).min()) + reach_us

    def _still_needed(self, held: pa.Table, until: int | None) -> pa.Table:
        reach_us, by_time = self._window.reach_us, self._definition.order is Order.TIME
        if reach_us is None or not by_time or until is None:
            return held
        heard = numbers(held[_TICK]) > until - reach_us
        return held if heard.all() else held.filter(pa.array(heard))

    def _arrived(self, held: pa.Table, rows: pa.Table) -> _Arrived:
        own = [*self._keys, _TICK]
        new = rows.select([*self._keys, "t"]).rename_columns(own)
        schema = pa.schema([held.schema.field(name) for name in own])
        # What was kept of a key is one row, and stands before the new ones.
        keyed = together(pa.concat_tables([held.select(own), new.cast(schema)]))
        is_new = keyed.origins >= held.num_rows
        ticks = running_max(numbers(keyed.table[_TICK]), keyed.borders)
        is_first = np.zeros(len(ticks), np.bool_)
        is_first[keyed.borders[:-1]] = True
        begins = is_first | self._is_over(ticks)
        runs = np.flatnonzero(is_new & (begins | ~np.roll(is_new, 1)))
        goes_on = np.where(begins[runs], -1, keyed.origins[runs - 1]).tolist()
        groups = np.cumsum(is_first)[runs]
        starts = np.cumsum(is_new)[runs] - 1
        return _Arrived(
            rows.take(pa.array(keyed.origins[is_new] - held.num_rows)),
            ticks[is_new],
            np.append(starts, rows.num_rows),
            [None if row < 0 else row for row in goes_on],
            np.append(groups[1:] != groups[:-1], True),
            keyed.origins[~is_new & ~np.append(is_first[1:], True)],
        )

    def _tied(self, arrived: _Arrived) -> pa.Array | None:
        """Which row's result each row takes, if rows with the same time share the last one's."""
        if not self._window.ties_together:
            return None
        return pa.array(last_tied(arrived.ticks, arrived.borders))

    def _is_over(self, ticks: NDArray[np.int64]) -> NDArray[np.bool_]:
        """At which rows all earlier rows have left the window.

        A stream has forgotten the key by then, with all its predictions, so a batch must do the
        same.
        """
        if self._window.reach_us is None:
            return np.zeros(len(ticks), np.bool_)
        # Ages are unsigned: between the ends of time they exceed 63 bits.
        ages = np.diff(ticks.view(np.uint64), prepend=ticks[:1].view(np.uint64))
        over: NDArray[np.bool_] = ages >= np.uint64(self._window.reach_us)
        return over


def _run(
    window: EitherWindow, kept: pa.ChunkedArray, arrived: _Arrived
) -> tuple[IntervalColumn, list[bytes], list[int]]:
    """The results of all new rows; what to keep of each key, and of how many rows that is."""
    window.begin(arrived.rows, arrived.ticks)
    found, contents, sizes = IntervalColumn(), [], []
    runs = zip(arrived.kept, pairwise(arrived.borders.tolist()), arrived.is_last, strict=True)
    for before, (start, end), is_last in runs:
        window.load(None if before is None else kept[before].as_py())
        found.extend(window.run(start, end))
        if is_last:
            contents.append(window.dump())
            sizes.append(len(window))
    return found, contents, sizes
