"""The windows of one block, made of its own rows and of what it was sent of the rows before.

Where states were sent, rows are lifted to states too, all stand in a line, and windows slide over
it: a state is in a window as a whole, or not at all.  Otherwise an engine goes on from the rows
before, as if it had seen all earlier ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import key_columns, numbers
from windrow.columnar.order import last_tied, sorted_by_key_and_time
from windrow.columnar.spans import Spans
from windrow.engines.answers import side_by_side
from windrow.engines.batch import in_order, run_through
from windrow.engines.block_input import ROWS, BlockInput
from windrow.engines.definition import Definition
from windrow.engines.engine import Kept
from windrow.engines.engines import engine_for
from windrow.errors import InputError
from windrow.kernels.hopping import preceding
from windrow.windows import Order, Window

__all__ = ["BlockWindows"]

_POSITION = "p"  # as the engine of count windows keeps it


@dataclass(frozen=True)
class _Line:
    """Rows and states key by key, in the order of time."""

    borders: NDArray[np.int64]
    origins: NDArray[np.int64]  # which of all tables' rows, one table after another, each was
    times: NDArray[np.int64]  # of the newest row of each
    rows: NDArray[np.int64]  # how many each stands for

    @classmethod
    def of(cls, tables: Sequence[pa.Table], keys: Sequence[str]) -> "_Line":
        """All rows and states of these tables; ties stand as they came."""
        columns = [*keys, "t", ROWS.name]
        given = [
            table if ROWS.name in table.schema.names else table.append_column(ROWS, _ones(table))
            for table in tables
        ]
        joined = pa.concat_tables([table.select(columns) for table in given])
        keyed, times = sorted_by_key_and_time(joined, numbers(joined["t"]))
        return cls(keyed.borders, keyed.origins, times, numbers(keyed.table[ROWS.name]))

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """The number of each one's newest row among all rows of its key."""
        reached = np.cumsum(self.rows)
        heads = self.borders[:-1][np.diff(self.borders) > 0]
        earlier = (reached - self.rows)[heads]
        positions: NDArray[np.int64] = (
            reached - 1 - np.repeat(earlier, np.diff(heads, append=len(reached)))
        )
        return positions


class BlockWindows:
    """Trailing windows and count windows of a key's rows that were cut into blocks."""

    def __init__(self, definition: Definition, *, folds: bool) -> None:
        self._definition = definition
        self._engine = engine_for(definition)
        self._keys = key_columns(definition.schema)
        self._most = max(window.span_rows or 0 for _, window in definition.windows)
        #: The columns of what blocks are sent.
        self.input = BlockInput(definition, folds=folds)
        self.schema = self._engine.schema

    def run(
        self,
        states: pa.Table,
        before: pa.Table,
        own: Iterable[tuple[int, pa.Table]],
        end: int | None = None,
    ) -> Iterator[pa.Table]:
        """The results of a block's own rows, which come piece by piece, each with its lowest time.

        Where rows before are not all those that windows reach back to, no row may have the time
        `end` or a later one.
        """
        before = in_order(before, "t")
        if not self.input.summaries:
            kept = self._kept(states, before)
            yield from run_through(self._engine, own, Order.TIME, kept=kept)
        elif pieces := [piece for _, piece in own]:
            yield self._slid(states, before, in_order(pa.concat_tables(pieces), "t"), end)

    def _kept(self, counts: pa.Table, before: pa.Table) -> Kept:
        """What the engine of count windows would have kept of all earlier rows."""
        line = _Line.of([counts, before], self._keys)
        is_row = line.origins >= counts.num_rows
        if len(line.origins):
            known = np.add.reduceat(is_row.astype(np.int64), line.borders[:-1])
            # Of a key that has earlier rows still, the rows before must fill a window.
            short = (known < max(self._most - 1, 1)) & ~is_row[line.borders[:-1]]
            if short.any():
                raise _changed(self._most, int(known[short].min()))
        schema = self._engine.kept["rows"]
        positions = np.empty(before.num_rows, np.int64)
        positions[line.origins[is_row] - counts.num_rows] = line.positions[is_row]
        columns = [
            pa.array(positions) if name == _POSITION else before[name] for name in schema.names
        ]
        return {"rows": pa.table(columns, schema=schema)}

    def _slid(self, states: pa.Table, before: pa.Table, own: pa.Table, end: int | None) -> pa.Table:
        if end is not None and int(numbers(own["t"])[-1]) >= end:
            raise InputError(
                "rows have later times than a look at the input, taken when the query was built, "
                "has found: the input is not the same each time it is read; cache() it or write "
                "it first"
            )
        # In this order they mostly stand by time already.
        line = _Line.of([before, states, own], self._keys)
        first = before.num_rows + states.num_rows
        places = np.flatnonzero(line.origins >= first)
        lifted = self._lifted(states, before, own, line)
        found = []
        for _, window in self._definition.windows:
            spans = self._spans(line, places, window)
            found.append(
                [s.over(c, spans) for s, c in zip(self.input.summaries, lifted, strict=True)]
            )
        rows = own.select([field.name for field in self._definition.row_fields()])
        origins = line.origins[places] - first
        if (np.diff(origins) < 0).any():
            rows = rows.take(pa.array(origins))
        columns = [*rows.columns, *side_by_side(found, self._definition)]
        return pa.table(columns, schema=self.schema)

    def _lifted(
        self, states: pa.Table, before: pa.Table, own: pa.Table, line: _Line
    ) -> list[list[pa.Array]]:
        """The states of each aggregate, as they stand in the line."""
        order = line.origins
        in_turn = bool((np.diff(order) > 0).all())
        found = []
        for summary in self.input.summaries:
            parts = [
                summary.fold(before, np.arange(before.num_rows + 1)),
                [states[field.name].combine_chunks() for field in summary.fields],
                summary.fold(own, np.arange(own.num_rows + 1)),
            ]
            columns = [pa.concat_arrays(columns) for columns in zip(*parts, strict=True)]
            if not in_turn:
                columns = [column.take(pa.array(order)) for column in columns]
            found.append(columns)
        return found

    def _spans(self, line: _Line, places: NDArray[np.int64], window: Window) -> Spans:
        """From which place to which the windows go that end at these places."""
        if (rows := window.span_rows) is not None:
            since, _ = preceding(line.positions, line.borders, rows)
            since, wanted = since[places], line.positions[places] + 1 - rows
            reached = line.positions[since] + 1 - line.rows[since]
            # A window begins with all rows there are, or with a row, and not within a state.
            wrong = (wanted > 0) & (reached != wanted)
            if wrong.any():
                raise _changed(rows, int((line.positions[places] - reached)[wrong].min()))
            return Spans(since, places + 1)
        assert window.reach_us is not None
        since, until = preceding(line.times, line.borders, window.reach_us)
        if window.ties_together and window.holds_own_time:
            until = last_tied(line.times, line.borders) + 1
        elif window.holds_own_time:
            until = np.arange(1, len(since) + 1)
        return Spans(since[places], until[places])


def _ones(table: pa.Table) -> pa.Array:
    return pa.array(np.ones(table.num_rows, np.int64))


def _changed(rows: int, found: int) -> InputError:
    return InputError(
        f"a window of {rows:,} rows finds only {found:,} rows before a cut in time, although a "
        "sample of the input, taken when the query was built, promised enough: the input is not "
        "the same each time it is read; cache() it or write it first"
    )
