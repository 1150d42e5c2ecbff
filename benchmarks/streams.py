"""The updates of one window: those that fill it, and those that come after."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import windrow as wr
from benchmarks.data import AGGREGATES, LONGEST_RUN, Floats
from windrow import window

__all__ = ["Stream"]

_BLOCK = 1 << 16  # rows that are Python objects at a time


class Stream:
    """Columns for an aggregate, the first `held` rows of which are in the window at first."""

    def __init__(self, name: str, values: Floats, held: int) -> None:
        self.name, self.aggregate, self.held = name, AGGREGATES[name], held
        self.columns: tuple[NDArray[Any], ...] = (values,)
        if name == LONGEST_RUN:
            self.columns = (values, np.arange(len(values)))

    @property
    def dtypes(self) -> tuple[np.dtype[Any], ...]:
        """The types of the columns."""
        return tuple(column.dtype for column in self.columns)

    def rows(self, first: int, end: int) -> tuple[NDArray[Any], ...]:
        """Some rows of the columns."""
        return tuple(column[first:end] for column in self.columns)

    def filling(self) -> Iterator[Any]:
        """The updates that fill the window, one by one."""
        return self._updates(0, self.held)

    def coming(self) -> Iterator[Any]:
        """The updates after those, one by one."""
        return self._updates(self.held, len(self.columns[0]))

    def _updates(self, first: int, end: int) -> Iterator[Any]:
        for start in range(first, end, _BLOCK):
            lists = [column.tolist() for column in self.rows(start, min(start + _BLOCK, end))]
            yield from lists[0] if len(lists) == 1 else zip(*lists, strict=True)

    def answer(self, steps: int) -> Any:
        """The result for the full window after some steps."""
        values, *times = self.rows(steps, steps + self.held)
        rolled = wr.roll(
            values,
            self.aggregate,
            window.trailing(rows=self.held),
            times=times[0] if times else None,
        )
        return rolled[-1].item()
