"""Tumbling and hopping windows, one or several at once, from slices that all of them share.

Rows are folded into slices, each once; a window is a span of slices, and one pass over them gives
all windows however many slices each has.
"""

from collections.abc import Iterator
from copy import copy
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.arrays import whole
from windrow.columnar.keyed import Keyed, key_columns, numbers, together
from windrow.columnar.order import places_by_key_and_time
from windrow.columnar.spans import Spans
from windrow.columnar.states import Summary
from windrow.engines.definition import Definition
from windrow.engines.edges import Edges
from windrow.engines.engine import FRESH, Engine, Kept, Partials, Step
from windrow.engines.grid import last_starts, next_ends, windows_over
from windrow.engines.share import Share
from windrow.kernels.hopping import Hops
from windrow.windows import Aligned

__all__ = ["AlignedWindows"]


class AlignedWindows(Engine):
    """Windows on a grid of event time, for many keys."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._share: Share | None = None
        grids = [(name, window.grid) for name, window in definition.windows]
        self._windows = [(name, grid) for name, grid in grids if grid is not None]
        self._grids = [grid for _, grid in self._windows]
        self._edges = Edges(self._grids)
        self._keys = key_columns(definition.schema)
        self._summaries = [
            Summary(part, name, definition.schema, result)
            for (name, part), result in zip(definition.aggregates, definition.results, strict=True)
        ]
        self._read = list(dict.fromkeys(name for own in self._summaries for name in own.reads))
        self.folds_early = all(summary.commutative for summary in self._summaries)
        self.takes_partials = self.folds_early
        keys = [definition.schema.field(name) for name in self._keys]
        states = [field for summary in self._summaries for field in summary.fields]
        self.partials = pa.schema(
            [*keys, pa.field("start", pa.int64()), *states, pa.field("rows", pa.int64())]
        )
        self.kept = {
            "slices": self.partials,
            "closed": pa.schema([pa.field("until", pa.int64())]),
        }
        bounds = [pa.field("start", pa.int64()), pa.field("end", pa.int64())]
        self.schema = pa.schema(
            [*keys, *definition.name_fields(), *bounds, *definition.result_fields()]
        )

    def owning(self, share: Share) -> Self:
        """The same engine for one unit: it answers the windows that the unit owns."""
        other = copy(self)
        other._share = share
        return other

    def fold(self, rows: pa.Table) -> pa.Table:
        """Rows folded into slices, key by key; rows between windows are in none."""
        times = numbers(rows["t"])
        starts = self._edges.before(times)
        taken = self._edges.covered(starts)
        if not taken.all():
            rows, starts = rows.filter(pa.array(taken)), starts[taken]
        if not len(starts):
            return self.partials.empty_table()
        groups, places, ordered = places_by_key_and_time(rows, starts)
        borders = _borders_of_equal(groups, ordered)
        # Of keys, which take longest to move, only the first of each slice is needed.
        columns = [whole(column) for column in _first(rows.select(self._keys), borders, places)]
        columns.append(pa.array(ordered[borders[:-1]]))
        read = rows.select(self._read)
        if places is not None:
            read = read.take(pa.array(places))
        for summary in self._summaries:
            columns.extend(summary.fold(read, borders))
        columns.append(pa.array(np.diff(borders)))
        return pa.table(columns, schema=self.partials)

    def fold_until(self, time: int) -> int:
        """The start of the slice that a time is in."""
        return int(self._edges.before(np.array([time]))[0])

    def whole(self, partials: pa.Table) -> pa.Table:
        """One slice for each key and start."""
        return self._merged(partials)[0].table

    def advance(self, kept: Kept, rows: pa.Table | Partials, until: int | None) -> Step:
        """Apply rows or slices: a result for each window that the time reached has ended."""
        closed = self._closed(kept)
        keyed, late, _ = self._sliced(kept, rows, closed)
        results = self._answered(keyed, closed, until)
        if until is None:
            kept = {name: schema.empty_table() for name, schema in self.kept.items()}
            return Step(results, kept, late)
        reached = until if closed is None else max(until, closed)
        open_slices = self._open(numbers(keyed.table["start"]), reached)
        slices = keyed.table.filter(pa.array(open_slices)).combine_chunks()
        mark = pa.table([[reached]], schema=self.kept["closed"])
        return Step(results, {"slices": slices, "closed": mark}, late)

    def preview(self, kept: Kept, rows: pa.Table | Partials) -> pa.Table:
        """The windows of fresh rows or slices as they are so far."""
        closed = self._closed(kept)
        keyed, _, fresh = self._sliced(kept, rows, closed)
        return pa.concat_tables(self._answered(keyed, closed, None, fresh))

    def due(self, kept: Kept) -> int | None:
        """The end of the first window that is open and has rows."""
        slices = numbers(kept["slices"]["start"])
        if not len(slices):
            return None
        closed = self._closed(kept)
        return min(int(next_ends(slices, window, closed).min()) for _, window in self._windows)

    def _closed(self, kept: Kept) -> int | None:
        marks = kept["closed"]["until"].to_pylist()
        return marks[0] if marks else None

    def _open(self, slices: NDArray[np.int64], until: int) -> NDArray[np.bool_]:
        """Slices that a window beyond `until` holds."""
        still = np.zeros(len(slices), np.bool_)
        for _, window in self._windows:
            still |= last_starts(slices, window) + window.size_us > until
        return still

    def _sliced(
        self, kept: Kept, rows: pa.Table | Partials, closed: int | None
    ) -> tuple[Keyed, int, NDArray[np.bool_] | None]:
        """All slices in order, how many rows were too late for all, and which slices are fresh."""
        held = kept["slices"]
        given = rows.table if isinstance(rows, Partials) else rows
        marked = FRESH in given.schema.names
        if isinstance(rows, Partials):
            new = given.select(self.partials.names)
            fresh = numbers(given[FRESH]) if marked else np.ones(new.num_rows, np.bool_)
        else:
            new, fresh = self._folded(given, marked=marked)
        late = 0
        if closed is not None and new.num_rows:
            open_slices = self._open(numbers(new["start"]), closed)
            late = int(numbers(new["rows"])[~open_slices & self._counted(new)].sum())
            if not open_slices.all():
                new, fresh = new.filter(pa.array(open_slices)), fresh[open_slices]
        joined = pa.concat_tables([held, new])
        merged, places, borders = self._merged(joined)
        touched = None
        if marked and joined.num_rows:
            known = np.concatenate([np.zeros(held.num_rows, np.bool_), fresh])
            known = known if places is None else known[places]
            touched = np.logical_or.reduceat(known, borders[:-1])
        return merged, late, touched

    def _counted(self, slices: pa.Table) -> NDArray[np.bool_]:
        """The slices that this unit counts, where several units have them."""
        if self._share is None:
            return np.ones(slices.num_rows, np.bool_)
        return self._share.counts(slices, numbers(slices["start"]), self._grids)

    def _folded(self, rows: pa.Table, *, marked: bool) -> tuple[pa.Table, NDArray[np.bool_]]:
        """Rows folded into slices, and which of these are fresh."""
        if not marked:
            slices = self.fold(rows)
            return slices, np.ones(slices.num_rows, np.bool_)
        # Old rows and fresh ones of one slice stand in order only if they are folded together.
        slices = self.fold(rows.drop_columns([FRESH]))
        fresh = self.fold(rows.filter(rows[FRESH]).drop_columns([FRESH]))
        names = [*self._keys, "start"]
        both = together(pa.concat_tables([fresh.select(names), slices.select(names)]))
        is_fresh = both.origins < fresh.num_rows
        starts = numbers(both.table["start"])
        touched = np.zeros(slices.num_rows, np.bool_)
        for first, end in zip(both.borders[:-1], both.borders[1:], strict=True):
            own = np.arange(first, end)
            known = starts[own[is_fresh[own]]]
            old = own[~is_fresh[own]]
            touched[both.origins[old] - fresh.num_rows] = np.isin(starts[old], known)
        return slices, touched

    def _merged(
        self, slices: pa.Table
    ) -> tuple[Keyed, NDArray[np.int64] | None, NDArray[np.int64]]:
        """One slice for each key and start; the order that they are merged in, and its borders."""
        groups, places, starts = places_by_key_and_time(slices, numbers(slices["start"]))
        borders = _borders_of_equal(groups, starts)
        if len(borders) == len(starts) + 1:
            table = slices if places is None else slices.take(pa.array(places))
            return Keyed(table.combine_chunks(), groups, np.arange(len(starts))), places, borders
        columns = _first(slices.select([*self._keys, "start"]), borders, places)
        states = slices.drop_columns([*self._keys, "start"])
        states = (states if places is None else states.take(pa.array(places))).combine_chunks()
        for summary in self._summaries:
            own = [states[field.name].combine_chunks() for field in summary.fields]
            columns.extend(summary.merge(own, borders))
        columns.append(pa.array(np.add.reduceat(numbers(states["rows"]), borders[:-1])))
        table = pa.table(columns, schema=self.partials)
        own_groups = np.searchsorted(borders[:-1], groups)
        return Keyed(table, own_groups, borders[:-1]), places, borders

    def _answered(
        self,
        keyed: Keyed,
        closed: int | None,
        until: int | None,
        fresh: NDArray[np.bool_] | None = None,
    ) -> Iterator[pa.Table]:
        slices = numbers(keyed.table["start"])
        tables = (
            self._results(keyed.table, own, name, window)
            for name, window in self._windows
            for hops in windows_over(slices, keyed.borders, window, closed, until, fresh)
            if len((own := self._owned(keyed.table, hops, window)).starts)
        )
        yield next(tables, self.schema.empty_table())
        yield from tables

    def _owned(self, slices: pa.Table, hops: Hops, window: Aligned) -> Hops:
        """The windows that this unit answers."""
        if self._share is None:
            return hops
        own = self._share.owns(slices.take(pa.array(hops.since)), hops.starts, window)
        return Hops(*(column[own] for column in hops))

    def _results(self, slices: pa.Table, hops: Hops, name: str, window: Aligned) -> pa.Table:
        keys = slices.select(self._keys).take(pa.array(hops.since))
        columns = list(keys.columns)
        if self._definition.named:
            columns.append(pa.repeat(name, len(hops.starts)))
        columns += [pa.array(hops.starts), pa.array(hops.starts + window.size_us)]
        first, end = int(hops.since[0]), int(hops.until[-1])
        own = slices.slice(first, end - first)
        spans = Spans(hops.since - first, hops.until - first)
        for summary in self._summaries:
            states = [own[field.name] for field in summary.fields]
            columns.append(summary.over(states, spans))
        return pa.table(columns, schema=self.schema)


def _borders_of_equal(groups: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each key's slices begin, rows of one slice together."""
    begins = np.ones(len(starts), np.bool_)
    begins[1:] = starts[1:] != starts[:-1]
    begins[groups[:-1]] = True
    return np.append(np.flatnonzero(begins), len(starts))


def _first(
    table: pa.Table, borders: NDArray[np.int64], places: NDArray[np.int64] | None
) -> list[pa.ChunkedArray]:
    """The first row of each segment, by the row that stands at each place."""
    heads = borders[:-1] if places is None else places[borders[:-1]]
    return list(table.take(pa.array(heads)).columns)
