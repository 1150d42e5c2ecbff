"""A large window of one key in pages: full blocks of rows, of what these fold to, and so on.

Level 0 are rows, a node of level l + 1 is what a page of level l folds to.  Full pages lie in the
store and never change; what fills no page yet is loose, and kept with the key.  The oldest row
still in the window is known by its number, so evicting any number of rows is a new number:

    level 2            ▪ ▪                   a page for each level is read where the window
    level 1     [▪ ▪ ▪ ▪][▪ ▪ ▪ ▪] ▪         begins; all else that is in it are whole nodes
    level 0  [····][····] …  [····] ··
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.columnar.states import Summary
from windrow.engines.page_cache import PageCache, WindowPage
from windrow.errors import SnapshotError

__all__ = ["TICK", "PagedWindow", "Pager", "Segment"]

TICK = "tick"  # the time of a row as windows see it; of a node, that of its newest row


@dataclass(frozen=True)
class PagedWindow:
    """What is kept of a large window in addition to its pages."""

    number: int  # the pages' own
    paged: int  # rows that went into pages
    evicted: int  # of these, how many have left the window
    swept: int  # of these, how many have lost their pages
    loose: pa.Table  # the rows after the last page
    nodes: Mapping[int, pa.Table]  # of each level above, those after its last page

    @property
    def rows(self) -> int:
        """How many rows are in the window."""
        return self.paged - self.evicted + int(self.loose.num_rows)


@dataclass(frozen=True)
class Segment:
    """Rows or nodes of one level that stand one after another in a window."""

    level: int
    first: int  # the number of the first among all of its level
    table: pa.Table


class Pager:
    """Cuts rows into pages of fixed size, and finds them again."""

    def __init__(self, rows: pa.Schema, summaries: Sequence[Summary], page: int) -> None:
        self._rows = rows
        self._summaries = summaries
        self._page = page
        states = [field for summary in summaries for field in summary.fields]
        self.nodes = pa.schema([rows.field(TICK), *states])

    def built(self, paged_window: PagedWindow, page_cache: PageCache) -> PagedWindow:
        """The same window, with all full pages of its loose rows and nodes in the page cache."""
        page, nodes, level = self._page, dict(paged_window.nodes), 0
        loose, added = paged_window.loose, paged_window.loose.num_rows // page * page
        above = paged_window.loose
        while above.num_rows:
            before = self._before(paged_window.paged, level)
            if level:
                above = pa.concat_tables([nodes.get(level, self.nodes.empty_table()), above])
            full = above.num_rows // page
            for number in range(full):
                place = WindowPage(paged_window.number, level, before + number)
                page_cache.lay(place, above.slice(number * page, page))
            rest = above.slice(full * page).combine_chunks()
            if level:
                nodes[level] = rest
            else:
                loose = rest
            above, level = self._folded(above.slice(0, full * page), level), level + 1
        return replace(paged_window, paged=paged_window.paged + added, loose=loose, nodes=nodes)

    def outline(self, paged_window: PagedWindow, page_cache: PageCache) -> list[Segment]:
        """The window as few rows and nodes: from its oldest row up the levels, and down again."""
        segments: list[Segment] = []
        level, first = 0, paged_window.evicted
        while first < self._before(paged_window.paged, level) * self._page:
            segments.append(self._read(paged_window, level, first, page_cache))
            level, first = level + 1, first // self._page + 1
        skipped = first - self._before(paged_window.paged, level) * self._page
        while level >= 0:
            loose = paged_window.nodes.get(level) if level else paged_window.loose
            if loose is not None and loose.num_rows > skipped:
                start = self._before(paged_window.paged, level) * self._page + skipped
                segments.append(Segment(level, start, loose.slice(skipped)))
            level, skipped = level - 1, 0
        return segments

    def opened(
        self, paged_window: PagedWindow, segment: Segment, offset: int, page_cache: PageCache
    ) -> list[Segment]:
        """A segment with one of its nodes replaced by what it was folded from."""
        node = segment.first + offset
        inner = self._read(paged_window, segment.level - 1, node * self._page, page_cache)
        after = Segment(segment.level, node + 1, segment.table.slice(offset + 1))
        before = replace(segment, table=segment.table.slice(0, offset))
        return [part for part in (before, inner, after) if part.table.num_rows]

    def positions(self, segment: Segment) -> NDArray[np.int64]:
        """The number of the newest row of each row or node."""
        ends = np.arange(segment.first + 1, segment.first + segment.table.num_rows + 1)
        last: NDArray[np.int64] = ends * self._page**segment.level - 1
        return last

    def swept(self, paged_window: PagedWindow, most: int, page_cache: PageCache) -> PagedWindow:
        """Delete pages that no window will read again, about `most` at a time."""
        page = self._page
        upto = min(paged_window.evicted // page, paged_window.swept // page + most) * page
        for level in range(64):
            first, end = self._before(paged_window.swept, level), self._before(upto, level)
            if first == end:
                break
            page_cache.finish(
                [WindowPage(paged_window.number, level, number) for number in range(first, end)]
            )
        return replace(paged_window, swept=upto)

    def rows(self, paged_window: PagedWindow, page_cache: PageCache) -> pa.Table:
        """All rows in the window."""
        segments, first = [], paged_window.evicted
        while first < paged_window.paged:
            segments.append(self._read(paged_window, 0, first, page_cache).table)
            first = (first // self._page + 1) * self._page
        return pa.concat_tables([*segments, paged_window.loose])

    def _before(self, rows: int, level: int) -> int:
        """How many full pages a level has after this many rows."""
        return rows // int(self._page ** (level + 1))

    def _read(
        self, paged_window: PagedWindow, level: int, first: int, page_cache: PageCache
    ) -> Segment:
        """A page from one of its rows or nodes on."""
        place = WindowPage(paged_window.number, level, first // self._page)
        table = page_cache.read(place, self.nodes if level else self._rows)
        if table.num_rows != self._page:
            raise SnapshotError(
                f"page {place.number} of level {level} of large window {paged_window.number} has "
                f"{table.num_rows} rows in place of {self._page}: the checkpoint's state is "
                "damaged; use a copy of it, or a new checkpoint"
            )
        return Segment(level, first, table.slice(first % self._page))

    def _folded(self, table: pa.Table, level: int) -> pa.Table:
        """A node for each page of rows or nodes."""
        borders = np.arange(0, table.num_rows + 1, self._page)
        columns = [pa.array(numbers(table[TICK])[borders[1:] - 1])]
        for summary in self._summaries:
            if level:
                states = [table[field.name].combine_chunks() for field in summary.fields]
                columns += summary.merge(states, borders)
            else:
                columns += summary.fold(table, borders)
        return pa.table(columns, schema=self.nodes)
