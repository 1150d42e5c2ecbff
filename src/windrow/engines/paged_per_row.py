"""Windows with a result for each row, of any size: large ones are kept in pages.

Small windows are kept as rows, all keys together, and run as in `per_row`.  A key whose window
grows large gets a paged window: its rows go into pages, and a run reads the few rows and nodes that
represent the whole window.  A window that has become small again is turned back into rows, and so
is one that receives as many rows at once as it holds, since a run over all of them then costs no
more than the new rows do.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from itertools import compress
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.columnar.keyed import key_columns, numbers, together
from windrow.engines.definition import Definition
from windrow.engines.engine import Engine, Kept, Step
from windrow.engines.page_cache import MemoryPages, PageCache
from windrow.engines.paged_index import PagedEntry, Register, Sorted
from windrow.engines.paged_window import TICK, PagedWindow, Pager
from windrow.engines.per_row import PerRow, previewed
from windrow.engines.run_input import run_input_of
from windrow.engines.running import Running
from windrow.windows import Order

__all__ = ["PagedPerRow"]

# Rows or nodes per page; and the number of rows of a key from which a paged window is better.
_PAGE = 512
_LARGE = 8 * _PAGE
# A window that has shrunk to this share is turned back; a higher limit would make it flip often.
_SHRUNK = 4
# Pages that are deleted in every call, in addition to twice as many as its rows fill.
_SWEPT = 16
_ALL = 1 << 62


class PagedPerRow(Engine):
    """The windows of `PerRow`, whatever their size; without a page cache all are kept as rows."""

    pages = True
    heard: Mapping[str, str] = {**PerRow.heard, "paged_windows": "newest"}

    def __init__(self, definition: Definition, *, page: int = _PAGE, large: int = _LARGE) -> None:
        self._plain = PerRow(definition)
        self._windows = [window for _, window in definition.windows]
        self._order, self._reach = definition.order, definition.reach
        self._from_row = [field.name for field in definition.row_fields()]
        self._page, self._large = page, large
        self._page_cache: PageCache | None = None
        self._running = Running(definition)
        self._keys = key_columns(definition.schema)
        held = self._plain.kept["rows"]
        self._own = pa.schema([field for field in held if field.name not in self._keys])
        self._pager = Pager(self._own, self._running.summaries, page)
        self._register = Register(self._keys, held, self._pager.nodes)
        self.kept = self._register.schemas
        self.schema = self._plain.schema

    def at(self, page_cache: PageCache) -> Self:
        """The same engine with a page cache for its pages."""
        other = copy(self)
        other._page_cache = page_cache if self._running.possible else None
        return other

    def advance(self, kept: Kept, rows: pa.Table, until: int | None) -> Step:
        """Apply rows: a result for each."""
        if self._page_cache is None:
            step = self._plain.advance({"rows": kept["rows"]}, rows, until)
            return Step(step.results, {**kept, **step.kept})
        page_cache = self._page_cache
        found = self._taken_back(self._register.sort(kept, rows), page_cache)
        step = self._plain.advance({"rows": found.small}, found.rest, until)
        small, results, entries = [step.kept["rows"]], list(step.results), list(found.left)
        pairs = list(zip(found.alive, found.new, strict=True))
        entries += [entry for entry, own in pairs if not own.num_rows]
        moved = [(entry, own) for entry, own in pairs if own.num_rows]
        if moved:
            alive, new = [entry for entry, _ in moved], [own for _, own in moved]
            answers, changed, back = self._run(alive, new, page_cache)
            results.append(answers)
            entries += changed
            small += back
        entries, back = self._quieted(entries, until, page_cache)
        held = pa.concat_tables([*small, *back])
        raised, rest, numbering = self._raised(held, rows.num_rows, kept["numbering"], page_cache)
        swept = self._swept([*entries, *raised], until, rows.num_rows, page_cache)
        tables = self._register.tables(swept, rest)
        return Step(results, {**tables, "numbering": numbering})

    def preview(self, kept: Kept, rows: pa.Table) -> pa.Table:
        """The results of fresh rows, and of rows of their keys that come after them."""
        aside = self if self._page_cache is None else self.at(self._page_cache.aside())
        return previewed(rows, self._windows, lambda plain: aside.advance(kept, plain, None))

    def unfinished(self, kept: Kept) -> pa.Table:
        """A row's window is complete with the row."""
        return self._plain.unfinished(kept)

    def due(self, kept: Kept) -> int | None:
        """When there is something to do, even if no row comes.

        A key may have been silent for so long that none of its rows is in any window.  Pages to be
        deleted are due at once: every call deletes some more.
        """
        dues = [self._plain.due({"rows": kept["rows"]}), self._silent(kept), self._unswept(kept)]
        return min((due for due in dues if due is not None), default=None)

    def _silent(self, kept: Kept) -> int | None:
        reach, paged_windows = self._reach, kept["paged_windows"]
        if not reach.time_us or self._order is not Order.TIME:  # the next row's time may be any
            return None
        by_time = (
            numbers(paged_windows["paged"]) - numbers(paged_windows["evicted"]) > reach.rows
        )  # more than windows of rows hold
        if not by_time.any():
            return None
        return int(numbers(paged_windows["newest"])[by_time].min()) + reach.time_us

    def _unswept(self, kept: Kept) -> int | None:
        paged_windows = kept["paged_windows"]
        done = (
            numbers(paged_windows["evicted"]) // self._page
            > numbers(paged_windows["swept"]) // self._page
        )
        return int(numbers(paged_windows["newest"])[done].min()) if done.any() else None

    def without_silent(self, kept: Kept, before: int) -> Kept:
        """What is kept, without keys that have had no row since a time, and without their pages."""
        kept = {**kept, **self._plain.without_silent({"rows": kept["rows"]}, before)}
        newest = numbers(kept["paged_windows"]["newest"])
        if self._page_cache is None or newest.min(initial=before) >= before:
            return kept
        found = self._register.sort(kept, self._plain.kept["rows"].empty_table())
        entries = [*found.alive, *found.left]
        for entry in entries:
            if entry.newest < before:
                self._pager.swept(entry.abandoned().paged_window, _ALL, self._page_cache)
        heard = [entry for entry in entries if entry.newest >= before]
        return {**kept, **self._register.tables(heard, found.small)}

    def _taken_back(self, found: Sorted, page_cache: PageCache) -> Sorted:
        """The same, with paged windows that receive as many rows as they hold turned into rows."""
        turned = [
            new.num_rows >= entry.paged_window.rows
            for entry, new in zip(found.alive, found.new, strict=True)
        ]
        if not any(turned):
            return found
        left, small, rest = list(found.left), [found.small], [found.rest]
        for entry in compress(found.alive, turned):
            left.append(entry.abandoned())
            small.append(
                self._register.with_key(entry.key, self._pager.rows(entry.paged_window, page_cache))
            )
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
        self, alive: list[PagedEntry], new: list[pa.Table], page_cache: PageCache
    ) -> tuple[pa.Table, list[PagedEntry], list[pa.Table]]:
        """Results of new rows, the windows after the run, and the rows of those now small."""
        added = [self._ticked(entry, rows) for entry, rows in zip(alive, new, strict=True)]
        run_input = run_input_of(
            [entry.paged_window for entry in alive], added, self._pager, page_cache
        )
        ran = self._running.run(run_input)
        own = pa.concat_tables(new).select(self._from_row)
        results = pa.table([*own.columns, *ran.columns], schema=self.schema)
        run_input, last = ran.run_input, np.cumsum([rows.num_rows for rows in new]) - 1
        entries, back = [], []
        for k, (entry, rows) in enumerate(zip(alive, added, strict=True)):
            front, end = int(ran.fronts[last[k]]), int(run_input.borders[k + 1])
            evicted = (
                run_input.positions[front] if front < end else run_input.positions[end - 1] + 1
            )
            oldest = int(run_input.ticks[min(front, end - 1)])
            changed, small = self._settled(entry, rows, int(evicted), page_cache)
            newest = int(numbers(rows[TICK])[-1])
            entries.append(replace(changed, oldest=oldest, newest=newest))
            back += small
        return results, entries, back

    def _ticked(self, entry: PagedEntry, rows: pa.Table) -> pa.Table:
        """New rows as they are kept."""
        ticks = numbers(rows["t"])
        if self._order is Order.ARRIVAL:  # a window never goes back
            ticks = np.maximum(np.maximum.accumulate(ticks), entry.newest)
        columns = [pa.array(ticks) if f.name == TICK else rows[f.name] for f in self._own]
        return pa.table(columns, schema=self._own)

    def _settled(
        self, entry: PagedEntry, rows: pa.Table, evicted: int, page_cache: PageCache
    ) -> tuple[PagedEntry, list[pa.Table]]:
        """A window after a run; its rows, if it is small now."""
        paged_window = entry.paged_window
        loose = pa.concat_tables([paged_window.loose, rows])
        if evicted >= paged_window.paged:
            rest = loose.slice(evicted - paged_window.paged)
            return entry.abandoned(), [self._register.with_key(entry.key, rest)]
        paged_window = replace(paged_window, loose=loose, evicted=evicted)
        if paged_window.rows * _SHRUNK < self._large:
            rest = self._pager.rows(paged_window, page_cache)
            return entry.abandoned(), [self._register.with_key(entry.key, rest)]
        return replace(entry, paged_window=self._pager.built(paged_window, page_cache)), []

    def _raised(
        self, rows: pa.Table, coming: int, numbering: pa.Table, page_cache: PageCache
    ) -> tuple[list[PagedEntry], pa.Table, pa.Table]:
        """Paged windows for the keys with too many rows; the rows of the others; the next number.

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
            paged_window = self._pager.built(PagedWindow(number, 0, 0, 0, loose, {}), page_cache)
            ticks = numbers(own[TICK])
            key = own.slice(0, 1).select(self._keys)
            entries.append(PagedEntry(key, paged_window, int(ticks[0]), int(ticks[-1])))
            number += 1
        rest = keyed.table.filter(pa.array(~gone))
        return entries, rest, pa.table([[number]], schema=numbering.schema)

    def _runs(self, row: pa.Table) -> bool:
        """Whether large windows can be paged at all."""
        new = row.select(self._own.names)
        none = PagedWindow(0, 0, 0, 0, new.slice(0, 0), {})
        return self._running.compiles(
            run_input_of([none], [new], self._pager, PageCache(MemoryPages()))
        )

    def _quieted(
        self, entries: list[PagedEntry], until: int | None, page_cache: PageCache
    ) -> tuple[list[PagedEntry], list[pa.Table]]:
        """Windows after so much silence that only windows of rows hold any; rows of small ones."""
        quiet, back = [], []
        for entry in entries:
            surplus = entry.paged_window.rows - self._reach.rows
            if entry.alive and surplus > 0 and self._is_silent(entry, until):
                none, evicted = entry.paged_window.loose.slice(0, 0), entry.paged_window.evicted
                entry, small = self._settled(entry, none, evicted + surplus, page_cache)
                back += small
                if entry.alive:
                    first = self._pager.outline(entry.paged_window, page_cache)[0]
                    entry = replace(entry, oldest=first.table[TICK][0].as_py())
            quiet.append(entry)
        return quiet, back

    def _is_silent(self, entry: PagedEntry, until: int | None) -> bool:
        """Whether windows of time hold nothing of a key."""
        reach_us = self._reach.time_us
        if not reach_us or until is None or self._order is not Order.TIME:
            return False
        return entry.newest + reach_us <= until

    def _swept(
        self, entries: list[PagedEntry], until: int | None, rows: int, page_cache: PageCache
    ) -> list[PagedEntry]:
        """Entries with fewer pages, without those that have none left."""
        kept = []
        for entry in entries:
            most = _SWEPT + 2 * rows // self._page
            if self._is_silent(entry, until):
                most = _ALL  # there may be no later call to delete the rest
            swept = replace(
                entry, paged_window=self._pager.swept(entry.paged_window, most, page_cache)
            )
            if swept.alive or swept.paged_window.swept < swept.paged_window.paged:
                kept.append(swept)
        return kept


def _longest_run(column: pa.ChunkedArray) -> int:
    ends = pc.run_end_encode(column.combine_chunks()).run_ends
    return int(np.diff(numbers(ends), prepend=0).max(initial=0))
