"""Orders of rows: key by key and by time, and two such orders merged into one."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.aggregators.kernels.grouping import sort_by_time
from windrow.slicing.keyed import Keyed, together

__all__ = ["by_time", "merged_places", "sorted_by_key_and_time"]


def sorted_by_key_and_time(
    table: pa.Table, times: NDArray[np.int64]
) -> tuple[Keyed, NDArray[np.int64]]:
    """The rows of each key together and by time, ties as they came; and the times in that order."""
    keyed = together(table)
    ticks = times[keyed.origins]
    falls = np.flatnonzero(ticks[1:] < ticks[:-1]) + 1
    if np.isin(falls, keyed.borders).all():
        return keyed, ticks
    ticks, places = ticks.copy(), np.arange(len(ticks))
    sort_by_time(ticks, places, keyed.borders)
    ordered = Keyed(keyed.table.take(pa.array(places)), keyed.borders, keyed.origins[places])
    return ordered, ticks


def by_time(times: NDArray[np.int64], arrivals: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The rows by time, ties by arrival; None where they stand so already."""
    later = (times[1:] > times[:-1]) | ((times[1:] == times[:-1]) & (arrivals[1:] >= arrivals[:-1]))
    return None if later.all() else np.lexsort((arrivals, times))


def merged_places(
    slices: NDArray[np.int64],
    borders: NDArray[np.int64],
    asked: NDArray[np.int64],
    groups: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Where each time asked about stands once it is put behind the slices up to it.

    Both are in order, key by key; `groups` are those of the times asked about.
    """
    lowest = min(int(slices.min()), int(asked.min()))
    span = max(int(slices.max()), int(asked.max())) - lowest + 1
    if span * (len(borders) - 1) < 1 << 62:
        # One number for group and time: then one search serves all groups.
        of_slices = np.repeat(np.arange(len(borders) - 1) * span, np.diff(borders))
        before = np.searchsorted(
            of_slices + (slices - lowest), groups * span + (asked - lowest), side="right"
        )
    else:
        before = np.empty(len(asked), np.int64)
        cuts = np.searchsorted(groups, np.arange(len(borders)))
        for group in range(len(borders) - 1):
            own = slice(cuts[group], cuts[group + 1])
            start, end = borders[group], borders[group + 1]
            found = np.searchsorted(slices[start:end], asked[own], side="right")
            before[own] = start + found
    return before + np.arange(len(asked))
