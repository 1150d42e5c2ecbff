"""Windows with a result for each row, large ones in pages: what a row costs does not depend on it.

Small windows are kept as their rows, all keys together, and run as ever (`per_row`).  A key whose
window grows large gets a tower: its rows go into pages, and a run takes the few rows and nodes that
stand for the whole window.  When the window has become small again, its rows come back; also when
as many rows come in at once, since a run over all of them then costs no more than they do.
"""

from copy import copy
from dataclasses import replace
from itertools import compress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.slicing.definition import Definition
from windrow.slicing.desk import Desk, MemoryPages
from windrow.slicing.engine import Kept, Step
from windrow.slicing.keyed import empty, key_columns, numbers, together
from windrow.slicing.lineup import line_up
from windrow.slicing.per_row import PerRow, previewed
from windrow.slicing.register import Entry, Register, Sorted
from windrow.slicing.running import Running
from windrow.slicing.tower import TICK, Pager, Tower
from windrow.windows import Order, TrailingTime

__all__ = ["Towered"]

# Rows or nodes of a page; and from how many rows of a key on it is better not to read them all.
_PAGE = 512
_LARGE = 8 * _PAGE
# A window that has shrunk by so much comes back: near the limit it would go to and fro.
_SHRUNK = 4
# Pages that are deleted with every call, beside twice as many as its rows fill.
_SWEPT = 16
_ALL = 1 << 62


class Towered:
    """The windows of `PerRow`, whatever their size; without a desk all are kept as rows."""

    folds_early = False
    partials = pa.schema([])

    def __init__(self, definition: Definition, *, page: int = _PAGE, large: int = _LARGE) -> None:
        self._plain = PerRow(definition)
        self._order = definition.order
        self._from_row = [field.name for field in definition.row_fields()]
        self._page, self._large = page, large
        self._desk: Desk | None = None
        self._running = Running(definition)
        self._keys = key_columns(definition.schema)
        held = self._plain.kept["rows"]
        self._own = pa.schema([field for field in held if field.name not in self._keys])
        self._pager = Pager(self._own, self._running.summaries, page)
        self._register = Register(self._keys, held, self._pager.nodes)
        self.kept = self._register.schemas
        self.schema = self._plain.schema

    def at(self, desk: Desk) -> "Towered":
        """The same engine with a desk for its pages."""
        other = copy(self)
        other._desk = desk if self._running.possible else None
        return other

    def fold(self, rows: pa.Table) -> pa.Table:
        """Rows decide what is in these windows: they cannot be folded before."""
        raise NotImplementedError

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        """Apply rows: a result for each."""
        if self._desk is None:
            step = self._plain.advance({"rows": kept["rows"]}, rows, until)
            return Step(step.results, {**kept, **step.kept})
        desk = self._desk
        found = self._taken_back(self._register.sort(kept, rows), desk)
        step = self._plain.advance({"rows": found.small}, found.rest, until)
        small, results, entries = [step.kept["rows"]], list(step.results), list(found.left)
        pairs = list(zip(found.alive, found.new, strict=True))
        entries += [entry for entry, own in pairs if not own.num_rows]
        moved = [(entry, own) for entry, own in pairs if own.num_rows]
        if moved:
            alive, new = [entry for entry, _ in moved], [own for _, own in moved]
            answers, changed, back = self._run(alive, new, desk)
            results.append(answers)
            entries += changed
            small += back
        held = pa.concat_tables(small)
        raised, rest, numbering = self._raised(held, rows.num_rows, kept["numbering"], desk)
        swept = self._swept([*entries, *raised], until, rows.num_rows, desk)
        tables = self._register.tables(swept, rest)
        return Step(results, {**tables, "numbering": numbering})

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """The results of fresh rows, and of rows of their keys that come after them."""
        aside = self if self._desk is None else self.at(self._desk.aside())
        window = self._running.window
        return previewed(rows, window, lambda plain: aside.advance(kept, plain, None))

    def unfinished(self, kept: Kept) -> pa.Table:
        """A row's window is complete with the row."""
        return self._plain.unfinished(kept)

    def due(self, kept: Kept) -> int | None:
        """When there is something to do, even if no row comes.

        A key may have been silent for so long that nothing of it is in any window.  Pages that are
        done with are due at once: who is called again sweeps some more.
        """
        dues = [self._plain.due({"rows": kept["rows"]}), self._silent(kept), self._unswept(kept)]
        return min((due for due in dues if due is not None), default=None)

    def _silent(self, kept: Kept) -> int | None:
        window, towers = self._running.window, kept["towers"]
        if not isinstance(window, TrailingTime) or not towers.num_rows:
            return None
        if self._order is not Order.TIME:  # the next row's time may be any
            return None
        return int(numbers(towers["newest"]).min()) + window.reach_us

    def _unswept(self, kept: Kept) -> int | None:
        towers = kept["towers"]
        done = numbers(towers["evicted"]) // self._page > numbers(towers["swept"]) // self._page
        return int(numbers(towers["newest"])[done].min()) if done.any() else None

    def without_silent(self, kept: Kept, before: int) -> Kept:
        """What is kept, without large windows that were last heard of before a time."""
        newest = numbers(kept["towers"]["newest"])
        if self._desk is None or newest.min(initial=before) >= before:
            return kept
        found = self._register.sort(kept, empty(self._plain.kept["rows"]))
        entries = [*found.alive, *found.left]
        for entry in entries:
            if entry.newest < before:
                self._pager.swept(entry.abandoned().tower, _ALL, self._desk)
        heard = [entry for entry in entries if entry.newest >= before]
        return {**kept, **self._register.tables(heard, found.small)}

    def _taken_back(self, found: Sorted, desk: Desk) -> Sorted:
        """The same, with towers that get as many rows as they have among the small windows."""
        turned = [
            new.num_rows >= entry.tower.rows
            for entry, new in zip(found.alive, found.new, strict=True)
        ]
        if not any(turned):
            return found
        left, small, rest = list(found.left), [found.small], [found.rest]
        for entry in compress(found.alive, turned):
            left.append(entry.abandoned())
            small.append(self._register.with_key(entry.key, self._pager.rows(entry.tower, desk)))
        rest += compress(found.new, turned)
        stays = [not turns for turns in turned]
        return Sorted(
            list(compress(found.alive, stays)),
            list(compress(found.new, stays)),
            left,
            pa.concat_tables(small),
            pa.concat_tables(rest),
        )

    def _run(
        self, alive: list[Entry], new: list[pa.Table], desk: Desk
    ) -> tuple[pa.Table, list[Entry], list[pa.Table]]:
        """Results of new rows, what becomes of the windows, and the rows of those now small."""
        added = [self._ticked(entry, rows) for entry, rows in zip(alive, new, strict=True)]
        lineup = line_up([entry.tower for entry in alive], added, self._pager, desk)
        ran = self._running.run(lineup)
        own = pa.concat_tables(new).select(self._from_row)
        results = pa.table([*own.columns, *ran.columns], schema=self.schema)
        lineup, last = ran.lineup, np.cumsum([rows.num_rows for rows in new]) - 1
        entries, back = [], []
        for k, (entry, rows) in enumerate(zip(alive, added, strict=True)):
            front, end = int(ran.fronts[last[k]]), int(lineup.borders[k + 1])
            evicted = lineup.positions[front] if front < end else lineup.positions[end - 1] + 1
            oldest = int(lineup.ticks[min(front, end - 1)])
            changed, small = self._settled(entry, rows, int(evicted), desk)
            newest = int(numbers(rows[TICK])[-1])
            entries.append(replace(changed, oldest=oldest, newest=newest))
            back += small
        return results, entries, back

    def _ticked(self, entry: Entry, rows: pa.Table) -> pa.Table:
        """New rows as they are kept."""
        ticks = numbers(rows["t"])
        if self._order is Order.ARRIVAL:  # a window never goes back
            ticks = np.maximum(np.maximum.accumulate(ticks), entry.newest)
        columns = [pa.array(ticks) if f.name == TICK else rows[f.name] for f in self._own]
        return pa.table(columns, schema=self._own)

    def _settled(
        self, entry: Entry, rows: pa.Table, evicted: int, desk: Desk
    ) -> tuple[Entry, list[pa.Table]]:
        """A window after a run; its rows, if it is small now."""
        tower = entry.tower
        loose = pa.concat_tables([tower.loose, rows])
        if evicted >= tower.paged:
            rest = loose.slice(evicted - tower.paged)
            return entry.abandoned(), [self._register.with_key(entry.key, rest)]
        tower = replace(tower, loose=loose, evicted=evicted)
        if tower.rows * _SHRUNK < self._large:
            rest = self._pager.rows(tower, desk)
            return entry.abandoned(), [self._register.with_key(entry.key, rest)]
        return replace(entry, tower=self._pager.built(tower, desk)), []

    def _raised(
        self, rows: pa.Table, coming: int, numbering: pa.Table, desk: Desk
    ) -> tuple[list[Entry], pa.Table, pa.Table]:
        """Towers for the keys with too many rows; the rows of the others; the next number.

        Not while as many rows come as there are, nor for a call that brings none.
        """
        if not coming or rows.num_rows <= max(self._large, coming):
            return [], rows, numbering
        # Those of a key stand together: where no key has a long run, none has many rows.
        if self._keys and _longest_run(rows[self._keys[0]]) <= self._large:
            return [], rows, numbering
        keyed = together(rows)
        large = np.flatnonzero(np.diff(keyed.borders) > self._large)
        if not len(large) or not self._runs(keyed.table.slice(0, 1)):
            return [], rows, numbering
        number = numbering["next"][0].as_py() if numbering.num_rows else 0
        entries, gone = [], np.zeros(rows.num_rows, np.bool_)
        for group in large.tolist():
            start, end = int(keyed.borders[group]), int(keyed.borders[group + 1])
            gone[start:end] = True
            own = keyed.table.slice(start, end - start)
            loose = own.select(self._own.names)
            tower = self._pager.built(Tower(number, 0, 0, 0, loose, {}), desk)
            ticks = numbers(own[TICK])
            key = own.slice(0, 1).select(self._keys)
            entries.append(Entry(key, tower, int(ticks[0]), int(ticks[-1])))
            number += 1
        rest = keyed.table.filter(pa.array(~gone))
        return entries, rest, pa.table([[number]], schema=numbering.schema)

    def _runs(self, row: pa.Table) -> bool:
        """Whether large windows can be run over at all."""
        new = row.select(self._own.names)
        none = Tower(0, 0, 0, 0, new.slice(0, 0), {})
        return self._running.compiles(line_up([none], [new], self._pager, Desk(MemoryPages())))

    def _swept(self, entries: list[Entry], until: int | None, rows: int, desk: Desk) -> list[Entry]:
        """Entries with fewer pages, without those that have none left."""
        window, kept = self._running.window, []
        for entry in entries:
            most = _SWEPT + 2 * rows // self._page
            if isinstance(window, TrailingTime) and until is not None and self._order is Order.TIME:
                silent = entry.newest + window.reach_us <= until
                if silent:  # nothing of the key may ever come again to do it little by little
                    entry, most = entry.abandoned(), _ALL
            swept = replace(entry, tower=self._pager.swept(entry.tower, most, desk))
            if swept.alive or swept.tower.swept < swept.tower.paged:
                kept.append(swept)
        return kept


def _longest_run(column: pa.ChunkedArray) -> int:
    ends = pc.run_end_encode(column.combine_chunks()).run_ends
    return int(np.diff(numbers(ends), prepend=0).max(initial=0))
