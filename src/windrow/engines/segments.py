"""Sessions, with one gap or several, and punctuated windows: consecutive rows of a key.

Rows are folded segment by segment; what is kept for a key is the state of its open segment, at most
one for each gap.  Kept and new segments are both entries; entries that belong together are merged.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.columnar.keyed import Keyed, key_columns, numbers, spread, together
from windrow.columnar.order import sorted_by_key_and_time
from windrow.columnar.states import Summary
from windrow.engines.definition import Definition
from windrow.engines.engine import FRESH, Engine, Kept, Partials, Step
from windrow.kernels.grouping import running_max
from windrow.windows import Order, Punctuated, Session

__all__ = ["Segments", "borders_of_near"]


@dataclass(frozen=True)
class _Stretches:
    """Where the stretches of new rows begin and end, and what becomes of them."""

    starts: NDArray[np.int64]  # the place of each one's first row
    ends: NDArray[np.int64]  # the place after its last
    continues: NDArray[np.bool_]  # whether it goes on with the key's open one
    ended: NDArray[np.bool_]  # whether its last row ended it


class Segments(Engine):
    """Windows that follow each other: sessions by time, punctuated ones by marks."""

    def __init__(self, definition: Definition) -> None:
        self._windows: list[tuple[str, Session | Punctuated]] = []
        for name, window in definition.windows:
            assert isinstance(window, Session | Punctuated)
            self._windows.append((name, window))
        self._definition = definition
        # Marks decide on one kind of windows alone: rows know no others.
        self._by_marks = isinstance(self._windows[0][1], Punctuated)
        self._gaps = np.array([w.gap_us for _, w in self._windows if isinstance(w, Session)] or [0])
        self._keys = key_columns(definition.schema)
        self._summaries = [
            Summary(part, name, definition.schema, result)
            for (name, part), result in zip(definition.aggregates, definition.results, strict=True)
        ]
        self._unread = {"n"}.difference(*(part.columns for _, part in definition.aggregates))
        keys = [definition.schema.field(name) for name in self._keys]
        # Marked rows with the same time may make several windows, which only `nth` distinguishes.
        bounds = ("start", "end", "nth") if self._by_marks else ("start", "end")
        self._bounds = [pa.field(name, pa.int64()) for name in bounds]
        states = [field for summary in self._summaries for field in summary.fields]
        owners = [*keys, *definition.name_fields()]
        self.owners = [field.name for field in owners]  # the columns that say whose an entry is
        self.entries = pa.schema([*owners, *self._bounds, *states])
        self.kept = {_OPEN: self.entries}
        if not self._by_marks:
            self.partials = self.entries  # of rows that lie apart in time, or in any order
            commutative = all(summary.commutative for summary in self._summaries)
            self.takes_partials = commutative and definition.order is Order.TIME
        # Rows of one time are applied at once in the order of time, but not as they arrive.
        self._remembers = self._by_marks and definition.order is Order.ARRIVAL
        if self._remembers:
            self.kept[_BEGUN] = pa.schema([*keys, *self._bounds])
        self.heard = dict.fromkeys(self.kept, "end")
        self.schema = pa.schema([*owners, *self._bounds, *definition.result_fields()])

    def fold(self, rows: pa.Table) -> pa.Table:
        """Rows folded into sessions, each of which may be a part of a longer one."""
        keyed, _ = sorted_by_key_and_time(rows, numbers(rows["t"]))
        return self._entries_after({_OPEN: self.entries.empty_table()}, keyed.table)[0]

    def whole(self, partials: pa.Table) -> pa.Table:
        """Sessions put together where they touch."""
        keyed, starts = sorted_by_key_and_time(partials, numbers(partials["start"]), self.owners)
        gaps = self._gaps_of(keyed.table)
        return self._merged(keyed.table, borders_of_near(keyed, starts, gaps))

    def advance(self, kept: Kept, rows: pa.Table | Partials, until: int | None) -> Step:
        """Apply rows: a result for each window that they, or the time reached, have ended."""
        ended, after = self.ended(kept, rows, until)
        return Step([self.lowered(ended)], after)

    def ended(
        self, kept: Kept, rows: pa.Table | Partials, until: int | None
    ) -> tuple[pa.Table, Kept]:
        """The same, with the states of ended windows in place of results; and what to keep."""
        if isinstance(rows, Partials):
            entries = self.whole(pa.concat_tables([kept[_OPEN], rows.table]))
            over = self._silent(entries, until)
        else:
            entries, over, _ = self._entries_after(kept, rows)
        if not self._by_marks:
            over |= self._silent(entries, until)
        after = {_OPEN: entries.filter(pa.array(~over))}
        if self._remembers:
            after[_BEGUN] = self._newest(kept[_BEGUN], entries, over)
        return entries.filter(pa.array(over)), after

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """The windows of fresh rows as they are so far."""
        entries, _, touched = self._entries_after(kept, rows)
        return self.lowered(entries.filter(pa.array(touched)))

    def unfinished(self, kept: Kept) -> pa.Table:
        """Punctuated windows without an end."""
        return self.lowered(kept[_OPEN])

    def due(self, kept: Kept) -> int | None:
        """When the first open session has been silent for too long."""
        table = kept[_OPEN]
        if self._by_marks or not table.num_rows:
            return None
        return int((numbers(table["end"]) + self._gaps_of(table)).min()) + 1

    def _silent(self, entries: pa.Table, until: int | None) -> NDArray[np.bool_]:
        """Sessions that no later row can join."""
        if until is None:
            return np.ones(entries.num_rows, np.bool_)
        silent: NDArray[np.bool_] = numbers(entries["end"]) + self._gaps_of(entries) < until
        return silent

    def _gaps_of(self, entries: pa.Table) -> NDArray[np.int64]:
        """The gap of each entry's window; none where marks decide."""
        return self._gaps[self._places_of(entries)]

    def _places_of(self, entries: pa.Table) -> NDArray[np.int64]:
        """Of which window each entry is."""
        if not self._definition.named:
            return np.zeros(entries.num_rows, np.int64)
        names = pa.array([name for name, _ in self._windows])
        return numbers(pc.index_in(entries["name"], names)).astype(np.int64)

    def _entries_after(
        self, kept: Kept, rows: pa.Table
    ) -> tuple[pa.Table, NDArray[np.bool_], NDArray[np.bool_]]:
        """All windows after these rows; which of them are over; and which have a fresh row."""
        held = kept[_OPEN]
        keyed, opened = self._grouped(held, rows)
        stretches = [
            self._stretches(keyed, ends, window)
            for ends, (_, window) in zip(opened, self._windows, strict=True)
        ]
        folded = [
            self._folded(keyed, found, name)
            for found, (name, _) in zip(stretches, self._windows, strict=True)
        ]
        by_key = together(pa.concat_tables([held, *(new for new, _ in folded)]), self.owners)
        order, old = by_key.origins, np.zeros(held.num_rows, np.bool_)
        is_new = order >= held.num_rows
        joins = np.concatenate([old, *(found.continues for found in stretches)])[order]
        ended = np.concatenate([old, *(found.ended for found in stretches)])[order]
        touched = np.concatenate([old, *(fresh for _, fresh in folded)])[order]
        firsts = np.flatnonzero(~(joins & is_new))
        borders = np.append(firsts, len(order))
        if not len(order):
            return held, np.zeros(0, np.bool_), np.zeros(0, np.bool_)
        merged = self._merged(by_key.table, borders)
        if self._by_marks:
            merged = self._numbered(merged, kept.get(_BEGUN))
        lasts = borders[1:] - 1
        is_last_of_key = np.isin(lasts, by_key.borders[1:] - 1)
        over = ended[lasts] | ~is_last_of_key
        fresh_ones = np.logical_or.reduceat(touched, firsts)
        if self._by_marks:
            fresh_ones = _with_neighbours(fresh_ones, is_last_of_key)
        return merged, over, fresh_ones

    def _grouped(self, held: pa.Table, rows: pa.Table) -> tuple[Keyed, NDArray[np.int64]]:
        """New rows key by key; and for each window and key its open stretch's end, or `_NONE`."""
        columns = [name for name in rows.schema.names if name not in self._unread]
        stand_ins = held.select([*self._keys, "end"]).rename_columns([*self._keys, "t"])
        joined = pa.concat_tables([stand_ins, rows.select(columns)], promote_options="default")
        keyed = together(joined)
        groups, is_held = keyed.groups, keyed.origins < held.num_rows
        opened = np.full((len(self._windows), len(keyed.borders) - 1), _NONE)
        of_held = self._places_of(held)[keyed.origins[is_held]]
        opened[of_held, groups[is_held]] = numbers(keyed.table["t"])[is_held]
        own = np.flatnonzero(~is_held)
        sizes = np.bincount(groups[own], minlength=opened.shape[1])
        present = sizes > 0
        borders = np.concatenate([[0], np.cumsum(sizes[present])])
        table = keyed.table.take(pa.array(own)) if held.num_rows else keyed.table
        return Keyed(table, borders, own), opened[:, present]

    def _stretches(
        self, keyed: Keyed, opened: NDArray[np.int64], window: Session | Punctuated
    ) -> _Stretches:
        if isinstance(window, Session):
            return _sessions(self._ticks(keyed, opened), keyed.borders, opened, window)
        return _punctuated(keyed, opened != _NONE, window)

    def _ticks(self, keyed: Keyed, opened: NDArray[np.int64]) -> NDArray[np.int64]:
        ticks = numbers(keyed.table["t"])
        if self._definition.order is Order.TIME:
            return ticks
        held = np.repeat(opened, np.diff(keyed.borders))
        return np.maximum(running_max(ticks, keyed.borders), held)

    def _folded(
        self, keyed: Keyed, found: _Stretches, name: str
    ) -> tuple[pa.Table, NDArray[np.bool_]]:
        """An entry for each stretch of new rows; and whether it has a fresh one."""
        table = keyed.table
        if not len(found.starts):
            return self.entries.empty_table(), np.zeros(0, np.bool_)
        borders = np.concatenate([[0], np.cumsum(found.ends - found.starts)])
        rows = table
        if borders[-1] < table.num_rows:  # some rows are outside all marks
            rows = table.take(pa.array(spread(found.starts, np.diff(borders))))
        times = numbers(rows["t"])
        keys = rows.select(self._keys).take(pa.array(borders[:-1]))
        starts, ends = self._bounds_of(times, times, borders)
        named = [pa.repeat(name, len(starts))] if self._definition.named else []
        columns = [*keys.columns, *named, pa.array(starts), pa.array(ends)]
        if self._by_marks:
            columns.append(pa.array(np.zeros(len(starts), np.int64)))
        for summary in self._summaries:
            columns.extend(summary.fold(rows, borders))
        if FRESH not in rows.schema.names:
            fresh = np.zeros(len(starts), np.bool_)
        else:
            fresh = np.logical_or.reduceat(numbers(rows[FRESH]), borders[:-1])
        return pa.table(columns, schema=self.entries), fresh

    def _merged(self, entries: pa.Table, borders: NDArray[np.int64]) -> pa.Table:
        """One entry for each range of entries."""
        if len(borders) == entries.num_rows + 1:
            return entries.select(self.entries.names)
        firsts, lasts = numbers(entries["start"]), numbers(entries["end"])
        bounds = list(map(pa.array, self._bounds_of(firsts, lasts, borders)))
        if self._by_marks:
            bounds.append(entries["nth"].take(pa.array(borders[:-1])))
        return self._combined(entries, borders, bounds)

    def _combined(
        self, entries: pa.Table, borders: NDArray[np.int64], bounds: Iterable[pa.Array]
    ) -> pa.Table:
        """One entry for each range of entries, with these bounds."""
        owners = entries.select(self.owners).take(pa.array(borders[:-1]))
        columns = [*owners.columns, *bounds]
        for summary in self._summaries:
            states = [entries[field.name].combine_chunks() for field in summary.fields]
            columns.extend(summary.merge(states, borders))
        return pa.table(columns, schema=self.entries)

    def _numbered(self, entries: pa.Table, begun: pa.Table | None) -> pa.Table:
        """The entries with `nth`: how many right before it of its key began at the same time."""
        new = entries.select([*self._keys, "start", "nth"])
        before = new.slice(0, 0) if begun is None else begun.select(new.schema.names)
        both = together(pa.concat_tables([before, new]))
        starts, places = numbers(both.table["start"]), np.arange(both.table.num_rows)
        begins = np.ones(len(starts), np.bool_)
        begins[1:] = starts[1:] != starts[:-1]
        begins[both.borders[:-1]] = True
        first = np.maximum.accumulate(np.where(begins, places, 0))
        nth = np.empty(len(starts), np.int64)
        nth[both.origins] = numbers(both.table["nth"])[first] + places - first
        place = entries.schema.get_field_index("nth")
        own = pa.array(nth[before.num_rows :])
        return entries.set_column(place, entries.schema.field(place), own)

    def _newest(self, begun: pa.Table, entries: pa.Table, over: NDArray[np.bool_]) -> pa.Table:
        """The newest window of each key that has no open one."""
        both = together(pa.concat_tables([begun, entries.select(begun.schema.names)]))
        is_open = np.concatenate([np.zeros(begun.num_rows, np.bool_), ~over])[both.origins]
        lasts = both.borders[1:] - 1
        return both.table.take(pa.array(lasts[~is_open[lasts]]))

    def _bounds_of(
        self, firsts: NDArray[np.int64], lasts: NDArray[np.int64], borders: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """From when to when: a session by its times, a punctuated window by its rows."""
        if not self._by_marks:
            # Applied as they arrive, the first row need not be the earliest.
            earliest = np.minimum.reduceat(firsts, borders[:-1])
            return earliest, np.maximum.reduceat(lasts, borders[:-1])
        return firsts[borders[:-1]], lasts[borders[1:] - 1]

    def joined(self, entries: pa.Table, borders: NDArray[np.int64]) -> pa.Table:
        """One entry for each range of entries, from the earliest start to the latest end."""
        firsts = borders[:-1]
        bounds = [np.minimum.reduceat(numbers(entries["start"]), firsts)]
        bounds += [
            np.maximum.reduceat(numbers(entries[field.name]), firsts) for field in self._bounds[1:]
        ]
        return self._combined(entries, borders, map(pa.array, bounds))

    def lowered(self, entries: pa.Table) -> pa.Table:
        """The results of entries."""
        owners = entries.select(self.owners)
        ends = pa.array(numbers(entries["end"]) + self._gaps_of(entries))
        nth = [entries["nth"]] if self._by_marks else []
        columns = [*owners.columns, entries["start"], ends, *nth]
        for summary in self._summaries:
            states = [entries[field.name].combine_chunks() for field in summary.fields]
            columns.append(summary.lower(states))
        return pa.table(columns, schema=self.schema)


_NONE = np.iinfo(np.int64).min
_OPEN = "open"  # windows that may grow
_BEGUN = "begun"  # of each key without an open window, the bounds of its newest


def borders_of_near(
    keyed: Keyed, starts: NDArray[np.int64], gaps: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where entries, by owner and start, begin to be further than a gap from all before them."""
    ends = running_max(numbers(keyed.table["end"]), keyed.borders)
    begins = np.ones(len(starts), np.bool_)
    # Later ones may begin before an earlier one ends; the difference may exceed 63 bits.
    distances = (starts[1:] - ends[:-1]).view(np.uint64)
    begins[1:] = (starts[1:] > ends[:-1]) & (distances > gaps[1:].view(np.uint64))
    begins[keyed.borders[:-1][np.diff(keyed.borders) > 0]] = True
    return np.append(np.flatnonzero(begins), len(starts))


def _with_neighbours(
    touched: NDArray[np.bool_], is_last_of_key: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """These entries, and those beside them of the same key: a mark takes rows from one of them."""
    found = touched.copy()
    found[:-1] |= touched[1:] & ~is_last_of_key[:-1]
    found[1:] |= touched[:-1] & ~is_last_of_key[:-1]
    return found


def _sessions(
    ticks: NDArray[np.int64],
    borders: NDArray[np.int64],
    opened: NDArray[np.int64],
    window: Session,
) -> _Stretches:
    """A stretch ends where the next row of the key is more than the gap away."""
    if not len(ticks):
        return _no_stretches()
    gap = np.uint64(window.gap_us)
    begins = np.ones(len(ticks), np.bool_)
    begins[1:] = np.diff(ticks.view(np.uint64)) > gap
    begins[borders[:-1]] = True
    starts = np.flatnonzero(begins)
    first = np.isin(starts, borders[:-1])
    continues = np.zeros(len(starts), np.bool_)
    since = ticks[borders[:-1]].view(np.uint64) - opened.view(np.uint64)
    continues[first] = (opened != _NONE) & (since <= gap)
    ends = np.append(starts[1:], len(ticks))
    return _Stretches(starts, ends, continues, np.zeros(len(starts), np.bool_))


def _punctuated(keyed: Keyed, is_open: NDArray[np.bool_], window: Punctuated) -> _Stretches:
    """A stretch runs from mark to mark; rows outside all are in none."""
    rows, borders = keyed.table.num_rows, keyed.borders
    if not rows:
        return _no_stretches()
    start, end = (_marks(keyed.table, mark) for mark in (window.start, window.end))
    places = np.arange(rows)
    heads = np.repeat(borders[:-1], np.diff(borders))
    after_end = np.zeros(rows, np.bool_)
    after_end[1:] = end[:-1]
    after_end[borders[:-1]] = False
    if window.start is None:
        # Every row is inside; the first of a key and the one after an end begin a stretch.
        inside = np.ones(rows, np.bool_)
        begins = after_end.copy()
        begins[borders[:-1]] = True
    else:
        open_before = np.repeat(is_open, np.diff(borders))
        last_start = np.maximum.accumulate(np.where(start, places, -1))
        last_end = np.maximum.accumulate(np.where(after_end, places - 1, -1))
        started = last_start >= heads
        closed = last_end >= heads
        inside = np.where(started, ~closed | (last_end < last_start), open_before & ~closed)
        begins = inside & start
        begins[borders[:-1]] |= inside[borders[:-1]]
    starts = np.flatnonzero(begins)
    if not len(starts):
        return _no_stretches()
    # Inside rows without a beginning of their own belong to the stretch before them.
    members = np.flatnonzero(inside)
    owner = np.searchsorted(starts, members, side="right") - 1
    ends = starts + np.bincount(owner, minlength=len(starts))
    first = np.isin(starts, borders[:-1])
    group = np.searchsorted(borders, starts, side="right") - 1
    continues = first & is_open[group]
    if window.start is not None:
        continues &= ~start[starts]
    return _Stretches(starts, ends, continues, end[ends - 1])


def _marks(table: pa.Table, mark: str | None) -> NDArray[np.bool_]:
    """Which rows are marked; a null marks none."""
    if mark is None:
        return np.zeros(table.num_rows, np.bool_)
    return numbers(table[mark].fill_null(fill_value=False)).astype(np.bool_)


def _no_stretches() -> _Stretches:
    none, no = np.zeros(0, np.int64), np.zeros(0, np.bool_)
    return _Stretches(none, none, no, no)
