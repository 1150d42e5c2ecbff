"""Orders of rows: key by key and by time."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.aggregators.kernels.grouping import sort_by_time
from windrow.slicing.keyed import Keyed, together

__all__ = ["by_time", "sorted_by_key_and_time"]


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
