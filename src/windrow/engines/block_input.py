"""What blocks are sent: their own rows, rows before them, and of other rows what these fold to."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import key_columns, numbers
from windrow.columnar.order import sorted_by_key_and_time
from windrow.columnar.states import Summary
from windrow.engines.blocks import Blocks, Sent, Stretch
from windrow.engines.definition import Definition

__all__ = ["ROWS", "BlockInput", "Part", "Sending", "folds_into_states"]

#: How many rows a state stands for.
ROWS = pa.field("rows", pa.int64(), nullable=False)


class Part(IntEnum):
    """What is sent to a block, in the order in which it is needed."""

    STATES = 0
    BEFORE = 1
    OWN = 2


@dataclass(frozen=True)
class Sending:
    """Rows or states for blocks: row k goes to the block `blocks[k]`, and is ranked by `times`."""

    part: Part
    table: pa.Table
    blocks: NDArray[np.int64]
    times: NDArray[np.int64]


class BlockInput:
    """The columns of each part, and how rows are dealt out.

    A state has the time of its newest row.  It stands for rows of one stretch, not for all of them:
    there are as many states of a stretch as there were calls with rows of it.  Where these rows lie
    between each other in time, the order in which the states are combined must not matter.
    """

    def __init__(self, definition: Definition, *, folds: bool) -> None:
        schema = definition.schema
        self._keys = key_columns(schema)
        values = [name for name in schema.names if name[0] == "v"]
        #: What rows without a result need.
        self.columns = [*self._keys, "t", "n", *values]
        self.summaries = [
            Summary(part, f"s{k}", schema, result)
            for k, ((_, part), result) in enumerate(
                zip(definition.aggregates, definition.results, strict=True)
            )
            if folds
        ]
        keys = [schema.field(name) for name in self._keys]
        bounds = [schema.field("t"), ROWS]
        states = [field for summary in self.summaries for field in summary.fields]
        self.schemas = {
            Part.STATES: pa.schema([*keys, *bounds, *states]),
            Part.BEFORE: pa.schema([schema.field(name) for name in self.columns]),
            Part.OWN: schema,
        }

    def dealt(self, rows: pa.Table, blocks: Blocks) -> Iterator[Sending]:
        """All that some rows mean to the blocks of their key."""
        if not rows.num_rows:
            return
        times = numbers(rows["t"])
        yield Sending(Part.OWN, rows, blocks.slot_of(times), times)
        yield from self._before(rows, times, blocks)
        yield from self._states(rows, times, blocks)

    def _before(
        self, rows: pa.Table, times: NDArray[np.int64], blocks: Blocks
    ) -> Iterator[Sending]:
        found = [
            (block, np.flatnonzero((times >= stretch.begin) & (times < stretch.end)))
            for block, stretch in _stretches(blocks, Sent.ROWS)
        ]
        places = np.concatenate([np.zeros(0, np.int64), *(own for _, own in found)])
        if len(places):
            table = rows.select(self.columns).take(pa.array(places))
            owners = np.repeat([block for block, _ in found], [len(own) for _, own in found])
            yield Sending(Part.BEFORE, table, owners, times[places])

    def _states(
        self, rows: pa.Table, times: NDArray[np.int64], blocks: Blocks
    ) -> Iterator[Sending]:
        folded = list(_stretches(blocks, Sent.STATES))
        counted = list(_stretches(blocks, Sent.COUNTS))
        edges = np.unique([t for _, s in (*folded, *counted) for t in (s.begin, s.end)])
        if not len(edges):
            return
        pieces = np.searchsorted(edges, times, side="right") - 1
        inside = (pieces >= 0) & (pieces < len(edges) - 1)
        own = rows.select(self.columns)
        if not inside.all():
            own, times = own.filter(pa.array(inside)), times[inside]
        if not own.num_rows:
            return
        keyed, ticks = sorted_by_key_and_time(own, times)
        pieces = np.searchsorted(edges, ticks, side="right") - 1
        begins = np.ones(len(ticks), np.bool_)
        begins[1:] = pieces[1:] != pieces[:-1]
        begins[keyed.borders[:-1]] = True
        borders = np.append(np.flatnonzero(begins), len(ticks))
        pieces = pieces[borders[:-1]]
        groups = np.searchsorted(keyed.borders, borders[:-1], side="right")
        for stretches, kept in ((folded, borders), (counted, np.zeros(len(borders), np.int64))):
            taken = [_pieces_of(stretch, edges, pieces) for _, stretch in stretches]
            places = np.concatenate([np.zeros(0, np.int64), *taken])
            if not len(places):
                continue
            owners = np.repeat([block for block, _ in stretches], [len(own) for own in taken])
            # One state for each key and stretch, of all its pieces.
            stretch = np.repeat(np.arange(len(taken)), [len(own) for own in taken])
            begins = np.ones(len(places), np.bool_)
            begins[1:] = (stretch[1:] != stretch[:-1]) | (np.diff(groups[places]) != 0)
            runs = np.append(np.flatnonzero(begins), len(places))
            states = self._folded(keyed.table, borders, kept).take(pa.array(places))
            merged = self._merged(states, runs)
            yield Sending(Part.STATES, merged, owners[runs[:-1]], numbers(merged["t"]))

    def _folded(
        self, rows: pa.Table, borders: NDArray[np.int64], folded: NDArray[np.int64]
    ) -> pa.Table:
        """A state for each range of rows between borders, of the rows between those `folded`."""
        keys = rows.select(self._keys).take(pa.array(borders[:-1]))
        newest = numbers(rows["t"])[borders[1:] - 1]
        columns = [*keys.columns, pa.array(newest), pa.array(np.diff(borders))]
        for summary in self.summaries:
            columns += summary.fold(rows, folded)
        return pa.table(columns, schema=self.schemas[Part.STATES])

    def _merged(self, states: pa.Table, borders: NDArray[np.int64]) -> pa.Table:
        """One state for each range of states between borders."""
        keys = states.select(self._keys).take(pa.array(borders[:-1]))
        newest = numbers(states["t"])[borders[1:] - 1]
        rows = np.add.reduceat(numbers(states[ROWS.name]), borders[:-1])
        columns = [*keys.columns, pa.array(newest), pa.array(rows)]
        for summary in self.summaries:
            own = [states[field.name].combine_chunks() for field in summary.fields]
            columns += summary.merge(own, borders)
        return pa.table(columns, schema=self.schemas[Part.STATES])


def folds_into_states(definition: Definition) -> bool:
    """Whether states of rows are worth more than the rows themselves.

    Not if results come from counts of all values in a window: states would be as large.
    """
    return all(part.monoid.multiset is None for _, part in definition.aggregates)


def _stretches(blocks: Blocks, sent: Sent) -> Iterator[tuple[int, Stretch]]:
    """The stretches of which this is sent, each with its block."""
    for block, before in enumerate(blocks.before):
        for stretch in before:
            if stretch.sent is sent:
                yield block, stretch


def _pieces_of(
    stretch: Stretch, edges: NDArray[np.int64], pieces: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Which of the pieces between edges, by their numbers, lie in a stretch."""
    first, end = np.searchsorted(edges, [stretch.begin, stretch.end])
    return np.flatnonzero((pieces >= first) & (pieces < end))
