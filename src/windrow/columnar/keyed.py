"""Rows of many keys, put together key by key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.grouping import group_rows

__all__ = ["Keyed", "by_key", "key_columns", "last_rows", "numbers", "spread", "together"]


@dataclass(frozen=True)
class Keyed:
    """A table whose rows stand key by key, and where each key's rows begin."""

    table: pa.Table
    borders: NDArray[np.int64]  # group g has the rows [borders[g], borders[g + 1])
    origins: NDArray[np.int64]  # which row of the input each row was

    @property
    def groups(self) -> NDArray[np.int64]:
        """The number of each row's group."""
        return np.repeat(np.arange(len(self.borders) - 1), np.diff(self.borders))


def key_columns(schema: pa.Schema) -> list[str]:
    """The columns that make up the key."""
    return [name for name in schema.names if name[0] == "k" and name[1:].isdigit()]


def together(table: pa.Table, by: Sequence[str] | None = None) -> Keyed:
    """The rows of each key together, in the order they had; keys without rows are left out.

    What makes up the key are its own columns, unless `by` names others.
    """
    borders, rows = by_key(table, by)
    if rows is None:
        return Keyed(table, borders, np.arange(table.num_rows))
    return Keyed(table.take(pa.array(rows)), borders, rows)


def by_key(
    table: pa.Table, by: Sequence[str] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Where each key's rows begin once they stand together, and which row stands at each place.

    None instead of the rows if they stand so already.
    """
    keys = key_columns(table.schema) if by is None else list(by)
    if not keys or not table.num_rows:
        return np.array([0, table.num_rows] if table.num_rows else [0]), None
    groups = group_rows(table.select(keys), table.num_rows)
    borders = groups.borders[np.append(True, np.diff(groups.borders) > 0)]
    return borders, None if len(borders) == 2 else groups.rows()


def last_rows(borders: NDArray[np.int64], held: Any) -> NDArray[np.bool_]:
    """Which rows are among the last `held` of their group; a number for all, or one for each."""
    sizes = np.diff(borders)
    from_end = np.repeat(borders[1:], sizes) - np.arange(int(borders[-1]))
    limit = np.repeat(held, sizes) if isinstance(held, np.ndarray) else held
    among: NDArray[np.bool_] = from_end <= limit
    return among


def spread(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers start, start + 1, … of each range, `counts` of them, one range after another.

    >>> spread(np.array([5, 0]), np.array([3, 2]))
    array([5, 6, 7, 0, 1])
    """
    total = int(counts.sum())
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(starts, counts) + np.arange(total) - before


def numbers(column: Any) -> NDArray[Any]:
    """A column without nulls as an array."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    array: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    return array
