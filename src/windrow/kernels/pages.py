"""A forest whose nodes are pages of a store: in memory is what lies near the ends of the window.

    directory   the limits below, what was missed, and for each level what is at hand
    nodes       for each level, one after the other: tail, head, and pages somewhere between

Inserting reads and writes the newest nodes of each level, evicting those around the oldest update:
both are found without asking, as long as no more than `limit` updates came and those before `safe`
are evicted.  Searching a window (`find`) may need any node: what is not at hand is noted as missed.
Whoever calls then brings the page, and asks again.
"""

from typing import Any, NamedTuple

import numpy as np

from windrow.kernels.cells import read_int, write_int
from windrow.kernels.forest import (
    CAPACITY,
    INSERTED,
    Cells,
    NodeCode,
    first_node_of,
)
from windrow.kernels.operator import Operator

__all__ = ["BETWEEN", "MOST_LEVELS", "TAIL", "PageLayout", "Paging", "paged_nodes"]

# Of the directory, and of each level in it.
LIMIT, SAFE, MISSED, MISSED_LEVEL, MISSED_PAGE = range(5)
TAIL_FROM, HEAD_FROM, HEAD_END, BETWEEN_PAGES = 0, 1, 2, 4
_WIDTH = 8  # cells of the directory's beginning, and of each level in it
MOST_LEVELS = 56

# Pages at hand of each level: a ring at the tail, one at the head (`Paging`), and a few between
# that are found by their numbers.
TAIL, BETWEEN = 16, 4


class Paging(NamedTuple):
    """How nodes are put into pages."""

    page: int  # nodes in a page, a power of two
    head: int  # pages at hand of each level where evictions look, a power of two

    @property
    def at_hand(self) -> int:
        """Pages of a level in memory."""
        return TAIL + self.head + BETWEEN


class PageLayout(NamedTuple):
    """Where everything lies in the memory of a forest."""

    first: int  # the cell where the directory begins
    fields: int  # of a state
    paging: Paging
    levels: int

    @classmethod
    def of(cls, operator: Operator, paging: Paging, levels: int) -> "PageLayout":
        """The layout of a forest with this many levels."""
        return cls(first_node_of(operator), len(operator.state), paging, levels)

    @property
    def first_node(self) -> int:
        """The cell where the nodes begin."""
        return self.first + _WIDTH * (1 + MOST_LEVELS)

    @property
    def step(self) -> int:
        """Cells from one field of a node to the next."""
        return self.levels * self.paging.at_hand * self.paging.page

    def empty(self) -> Cells:
        """The memory of a forest without any page."""
        cells = np.zeros(self.first_node + self.fields * self.step, np.int64)
        cells[CAPACITY] = self.levels
        between = self.first + _WIDTH + np.arange(MOST_LEVELS) * _WIDTH + BETWEEN_PAGES
        for k in range(BETWEEN):
            cells[between + k] = -1
        return cells

    def cell_of(self, level: int) -> int:
        """The directory's cells of a level."""
        return self.first + _WIDTH * (1 + level)

    def tail(self, level: int, page: int) -> int:
        """The first cell of a page that is at hand in the tail."""
        return self._page(level, page % TAIL)

    def head(self, level: int, page: int) -> int:
        """The first cell of a page that is at hand in the head."""
        return self._page(level, TAIL + page % self.paging.head)

    def between(self, level: int, place: int) -> int:
        """The first cell of a page at hand that is in neither."""
        return self._page(level, TAIL + self.paging.head + place)

    def _page(self, level: int, place: int) -> int:
        return self.first_node + (level * self.paging.at_hand + place) * self.paging.page


def paged_nodes(operator: Operator, paging: Paging) -> NodeCode:
    """Nodes near the ends in memory, others brought when they are missed."""
    load, store = operator.load_cells, operator.store_cells
    directory, level_cells = first_node_of(operator), first_node_of(operator) + _WIDTH
    first_node = PageLayout.of(operator, paging, 1).first_node
    page, head = paging
    tail_mask, head_mask, page_mask = TAIL * page - 1, head * page - 1, page - 1
    shift = page.bit_length() - 1
    room = paging.at_hand * page

    def step(forest: Any) -> Any:
        return read_int(forest, CAPACITY) * room

    def get(forest: Any, level: Any, index: Any) -> Any:
        cell = first_node + level * room
        if index >= read_int(forest, level_cells + level * _WIDTH + TAIL_FROM):
            return load(forest, cell + (index & tail_mask), step(forest))
        return load(forest, cell + TAIL * page + (index & head_mask), step(forest))

    def find(forest: Any, level: Any, index: Any) -> Any:
        at = level_cells + level * _WIDTH
        if index >= read_int(forest, at + TAIL_FROM):
            return get(forest, level, index)
        if read_int(forest, at + HEAD_FROM) <= index < read_int(forest, at + HEAD_END):
            return get(forest, level, index)
        place = BETWEEN - 1
        while place > 0 and read_int(forest, at + BETWEEN_PAGES + place) != index >> shift:
            place -= 1
        if read_int(forest, at + BETWEEN_PAGES + place) != index >> shift:
            write_int(forest, directory + MISSED, 1)
            write_int(forest, directory + MISSED_LEVEL, level)
            write_int(forest, directory + MISSED_PAGE, index >> shift)
        cell = first_node + level * room + (TAIL + head + place) * page
        return load(forest, cell + (index & page_mask), step(forest))

    def put(forest: Any, level: Any, index: Any, state: Any) -> None:
        store(forest, first_node + level * room + (index & tail_mask), step(forest), state)

    def has_room(forest: Any) -> Any:
        return read_int(forest, INSERTED) < read_int(forest, directory + LIMIT)

    def reaches(forest: Any, position: Any) -> Any:
        if position < read_int(forest, directory + SAFE):
            return True
        write_int(forest, directory + MISSED, 1)
        write_int(forest, directory + MISSED_LEVEL, -1)
        write_int(forest, directory + MISSED_PAGE, position)
        return False

    def missed(forest: Any) -> Any:
        return read_int(forest, directory + MISSED) != 0

    return NodeCode(get, find, put, has_room, reaches, missed)
