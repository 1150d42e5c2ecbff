"""The memory of a window in pages: nodes near its ends, and the directory that tells which."""

import numpy as np

from windrow.aggregators.kernels.forest import CAPACITY
from windrow.aggregators.kernels.operator import Operator
from windrow.aggregators.kernels.pages import Layout, Paging
from windrow.algebra.numeric import BOOL
from windrow.errors import DamagedPageError

__all__ = ["PageMemory"]


class PageMemory:
    """Cells that compiled code works on, read and written by name."""

    def __init__(self, operator: Operator, paging: Paging, levels: int) -> None:
        self._operator = operator
        self.layout = Layout.of(operator, paging, levels)
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

    def put_contents(self, cell: int, contents: bytes, count: int) -> None:
        """Nodes from raw columns, which must be so many: others lie behind them."""
        if len(contents) != count * self._width:
            raise DamagedPageError(
                f"a page holds {len(contents)} bytes in place of {count * self._width}; restore "
                "the store from a copy"
            )
        at = 0
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

    @property
    def _width(self) -> int:
        """Bytes of a node in its page."""
        return sum(1 if dtype == BOOL else 8 for dtype in self._operator.state)
