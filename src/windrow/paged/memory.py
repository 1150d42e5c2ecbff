"""The memory of a paged window: the nodes near its ends, and a directory of them."""

import numpy as np

from windrow.algebra.numeric import BOOL
from windrow.kernels.forest import (
    CAPACITY,
    DEEPEST,
    DEPTH,
    EVICTED,
    INSERTED,
    POSITIONS,
    SPLIT,
    Cells,
)
from windrow.kernels.operator import Operator
from windrow.kernels.pages import PageLayout, Paging
from windrow.paged.checks import require, require_shape

__all__ = ["PageMemory", "require_fixed"]


class PageMemory:
    """Cells that compiled code works on, read and written by name."""

    def __init__(self, operator: Operator, paging: Paging, levels: int) -> None:
        self._operator = operator
        self.layout = PageLayout.of(operator, paging, levels)
        self.cells = self.layout.empty()

    def grown(self, levels: int) -> "PageMemory":
        """The same nodes with room for more levels."""
        old, larger = self.layout, PageMemory(self._operator, self.layout.paging, levels)
        new, cells = larger.layout, larger.cells
        cells[: new.first_node] = self.cells[: new.first_node]
        cells[CAPACITY] = new.levels
        for field in range(new.fields):
            source = self.cells[old.first_node + field * old.step :][: old.step]
            cells[new.first_node + field * new.step :][: old.step] = source
        return larger

    def directory(self, what: int) -> int:
        """An entry of the directory."""
        return self.cells.item(self.layout.first + what)

    def set_directory(self, what: int, value: int) -> None:
        """Change an entry of the directory."""
        self.cells[self.layout.first + what] = value

    def of_level(self, level: int, what: int) -> int:
        """An entry of the directory about a level."""
        return self.cells.item(self.layout.cell_of(level) + what)

    def set_of_level(self, level: int, what: int, value: int) -> None:
        """Change an entry of the directory about a level."""
        self.cells[self.layout.cell_of(level) + what] = value

    def contents(self, cell: int, count: int) -> bytes:
        """Nodes as raw columns, one for each field of a state."""
        parts = []
        for field, dtype in enumerate(self._operator.state):
            at = cell + field * self.layout.step
            column = self.cells[at : at + count]
            parts.append((column.astype(np.uint8) if dtype == BOOL else column).tobytes())
        return b"".join(parts)

    def put_contents(self, cell: int, contents: bytes) -> None:
        """Nodes from raw columns."""
        count, at = len(contents) // self.size_of(1), 0
        for field, dtype in enumerate(self._operator.state):
            stored = np.dtype(np.uint8) if dtype == BOOL else np.dtype(np.int64)
            column = np.frombuffer(contents, stored, count, at)
            at += count * stored.itemsize
            start = cell + field * self.layout.step
            self.cells[start : start + count] = column

    def copy(self, source: int, target: int) -> None:
        """A page from one place to another."""
        page = self.layout.paging.page
        for field in range(self.layout.fields):
            step = field * self.layout.step
            self.cells[target + step : target + step + page] = self.cells[
                source + step : source + step + page
            ]

    def size_of(self, count: int) -> int:
        """The size in bytes of this many nodes as raw columns."""
        return count * sum(1 if dtype == BOOL else 8 for dtype in self._operator.state)


def require_fixed(fixed: Cells, levels: int, page: int, begun: int) -> None:
    """Refuse counters and a stack that compiled code would follow out of its memory."""
    evicted, split, inserted = (fixed.item(at) for at in (EVICTED, SPLIT, INSERTED))
    depth, capacity = fixed.item(DEPTH), fixed.item(CAPACITY)
    require(0 <= depth <= DEEPEST and capacity == levels, f"its stack is {depth} deep")
    require_shape(evicted, split, inserted, fixed[POSITIONS : POSITIONS + depth].tolist())
    require(begun == inserted % page, f"{begun} of {inserted} updates fill no page")
    require(inserted - evicted < 1 << levels - 1, f"{levels} levels hold {inserted - evicted}")
