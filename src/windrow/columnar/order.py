"""Orders of rows: key by key and by time, and where rows of one time begin and end."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import Keyed, by_key
from windrow.kernels.grouping import sort_by_time

__all__ = [
    "by_time",
    "first_tied",
    "last_tied",
    "places_by_key_and_time",
    "sorted_by_key_and_time",
]


def sorted_by_key_and_time(
    table: pa.Table, times: NDArray[np.int64], by: Sequence[str] | None = None
) -> tuple[Keyed, NDArray[np.int64]]:
    """The rows of each key together and by time, ties as they came; and the times in that order."""
    borders, rows, ticks = places_by_key_and_time(table, times, by)
    if rows is None:
        return Keyed(table, borders, np.arange(len(ticks))), ticks
    return Keyed(table.take(pa.array(rows)), borders, rows), ticks


def places_by_key_and_time(
    table: pa.Table, times: NDArray[np.int64], by: Sequence[str] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None, NDArray[np.int64]]:
    """Where each key's rows begin, which row stands at each place, and the times in that order.

    None instead of the rows if they stand so already.
    """
    borders, rows = by_key(table, by)
    ticks = times if rows is None else times[rows]
    rises = np.append(True, ticks[1:] >= ticks[:-1])
    rises[borders[:-1]] = True
    if rises.all():
        return borders, rows, ticks
    ticks, places = ticks.copy(), np.arange(len(ticks))
    sort_by_time(ticks, places, borders)
    return borders, places if rows is None else rows[places], ticks


def by_time(times: NDArray[np.int64], arrivals: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The rows by time, ties by arrival; None where they stand so already."""
    later = (times[1:] > times[:-1]) | ((times[1:] == times[:-1]) & (arrivals[1:] >= arrivals[:-1]))
    return None if later.all() else np.lexsort((arrivals, times))


def first_tied(ticks: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each place the first of its group with the same tick; ticks ascend within a group.

    >>> first_tied(np.array([1, 5, 5, 5, 6]), np.array([0, 3, 5]))
    array([0, 1, 1, 3, 4])
    """
    starts = _starts(ticks, borders)
    return np.repeat(starts, np.diff(starts, append=len(ticks)))


def last_tied(ticks: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each place the last of its group with the same tick; ticks ascend within a group.

    >>> last_tied(np.array([1, 5, 5, 5, 6]), np.array([0, 3, 5]))
    array([0, 2, 2, 3, 4])
    """
    starts = _starts(ticks, borders)
    lengths = np.diff(starts, append=len(ticks))
    return np.repeat(starts + lengths - 1, lengths)


def _starts(ticks: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places where another time or another group begins."""
    starts = np.empty(len(ticks), np.bool_)
    np.not_equal(ticks[1:], ticks[:-1], out=starts[1:])
    starts[borders[:-1][borders[:-1] < len(ticks)]] = True
    return np.flatnonzero(starts)
