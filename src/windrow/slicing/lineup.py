"""The rows and nodes of several windows, put in line for one run over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.slicing.desk import Desk
from windrow.slicing.keyed import numbers, spread
from windrow.slicing.summary import Summary
from windrow.slicing.tower import TICK, Pager, Segment, Tower

__all__ = ["Lineup", "line_up"]


@dataclass(frozen=True)
class _Window:
    """One window: what is in it already, then new rows."""

    tower: Tower
    new: Segment
    segments: Sequence[Segment]


class Lineup:
    """Windows one after another, each oldest first; the last rows of each are new.

    Nodes stand for their rows as long as they are in a window or out of it as a whole.
    """

    def __init__(self, windows: Sequence[_Window], pager: Pager, desk: Desk) -> None:
        self._windows = windows
        self._pager = pager
        self._desk = desk
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

    def opened(self, places: NDArray[np.int64]) -> "Lineup":
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
                segments += self._without(window.tower, segment, inside.get(number, []))
            first += len(window.segments) + 1
            windows.append(_Window(window.tower, window.new, segments))
        return Lineup(windows, self._pager, self._desk)

    def _without(self, tower: Tower, segment: Segment, offsets: Sequence[int]) -> list[Segment]:
        """A segment with some of its nodes opened."""
        done: list[Segment] = [segment]
        for offset in sorted(offsets, reverse=True):  # those before keep their places
            head, *rest = done
            done = [*self._pager.opened(tower, head, offset, self._desk), *rest]
        return done

    @cached_property
    def _lengths(self) -> list[int]:
        return [part.table.num_rows for part in self._parts]


def line_up(towers: Sequence[Tower], new: Sequence[pa.Table], pager: Pager, desk: Desk) -> Lineup:
    """Windows and their new rows."""
    windows = []
    for tower, rows in zip(towers, new, strict=True):
        fresh = Segment(0, tower.paged + tower.loose.num_rows, rows)
        windows.append(_Window(tower, fresh, pager.outline(tower, desk)))
    return Lineup(windows, pager, desk)
