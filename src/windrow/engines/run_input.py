"""The rows and nodes of several windows, concatenated for one run over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers, spread
from windrow.columnar.states import Summary
from windrow.engines.page_cache import PageCache
from windrow.engines.paged_window import TICK, PagedWindow, Pager, Segment

__all__ = ["RunInput", "run_input_of"]


@dataclass(frozen=True)
class _Window:
    """One window: what is in it already, then new rows."""

    paged_window: PagedWindow
    new: Segment
    segments: Sequence[Segment]


class RunInput:
    """Windows one after another, each oldest first; the last rows of each are new.

    A node represents its rows as long as all or none of them are in a window.
    """

    def __init__(self, windows: Sequence[_Window], pager: Pager, page_cache: PageCache) -> None:
        self._windows = windows
        self._pager = pager
        self._page_cache = page_cache
        parts = [[*window.segments, window.new] for window in windows]
        sizes = [sum(part.table.num_rows for part in own) for own in parts]
        self._parts = [part for own in parts for part in own]
        #: Window w has the places [borders[w], borders[w + 1]).
        self.borders = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        #: How many places of each window are not new.
        self.settled = np.array(sizes, np.int64) - [w.new.table.num_rows for w in windows]

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """The level of each place."""
        return np.repeat([part.level for part in self._parts], self._lengths)

    @cached_property
    def positions(self) -> NDArray[np.int64]:
        """The number that each place's newest row has in its window."""
        return np.concatenate([self._pager.positions(part) for part in self._parts])

    @cached_property
    def ticks(self) -> NDArray[np.int64]:
        """The time of each place's newest row."""
        return np.concatenate([numbers(part.table[TICK]) for part in self._parts])

    @property
    def new(self) -> NDArray[np.int64]:
        """The places of new rows."""
        return spread(self.borders[:-1] + self.settled, np.diff(self.borders) - self.settled)

    def states(self, summary: Summary) -> list[pa.Array]:
        """The states of an aggregate, rows being folded one by one."""
        rows = pa.concat_tables([part.table for part in self._parts if not part.level])
        nodes = [part.table for part in self._parts if part.level]
        folded = summary.fold(rows, np.arange(rows.num_rows + 1))
        if not nodes:
            return folded
        known = pa.concat_tables(nodes)
        both = [
            pa.concat_arrays([column, known[field.name].combine_chunks()])
            for column, field in zip(folded, summary.fields, strict=True)
        ]
        is_node = self.levels > 0
        order = np.empty(len(is_node), np.int64)
        order[~is_node] = np.arange(rows.num_rows)
        order[is_node] = np.arange(rows.num_rows, len(order))
        return [column.take(pa.array(order)) for column in both]

    def opened(self, places: NDArray[np.int64]) -> "RunInput":
        """The same windows with these nodes replaced by what they were folded from."""
        starts = np.concatenate([[0], np.cumsum(self._lengths)])
        inside: dict[int, list[int]] = {}
        for place in places.tolist():
            part = int(np.searchsorted(starts, place, side="right")) - 1
            inside.setdefault(part, []).append(place - int(starts[part]))
        windows, first = [], 0
        for window in self._windows:
            segments: list[Segment] = []
            for number, segment in enumerate(window.segments, first):
                segments += self._without(window.paged_window, segment, inside.get(number, []))
            first += len(window.segments) + 1
            windows.append(_Window(window.paged_window, window.new, segments))
        return RunInput(windows, self._pager, self._page_cache)

    def _without(
        self, paged_window: PagedWindow, segment: Segment, offsets: Sequence[int]
    ) -> list[Segment]:
        """A segment with some of its nodes opened."""
        done: list[Segment] = [segment]
        for offset in sorted(offsets, reverse=True):  # those before keep their places
            head, *rest = done
            done = [*self._pager.opened(paged_window, head, offset, self._page_cache), *rest]
        return done

    @cached_property
    def _lengths(self) -> list[int]:
        return [part.table.num_rows for part in self._parts]


def run_input_of(
    paged_windows: Sequence[PagedWindow],
    new: Sequence[pa.Table],
    pager: Pager,
    page_cache: PageCache,
) -> RunInput:
    """Windows and their new rows."""
    windows = []
    for paged_window, rows in zip(paged_windows, new, strict=True):
        fresh = Segment(0, paged_window.paged + paged_window.loose.num_rows, rows)
        windows.append(_Window(paged_window, fresh, pager.outline(paged_window, page_cache)))
    return RunInput(windows, pager, page_cache)
