"""Slices of event time: the stretches between neighbouring edges of all windows of a query.

Each row is folded into one slice, and every window consists of whole slices.  Time is cut at the
starts and at the ends of windows, so a hop need not divide the size.  All times are within the
window's `time_limits`: nothing here wraps around.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from windrow.engines.edges import on_grid
from windrow.kernels.hopping import Hops, hops_over
from windrow.windows import Aligned
from windrow.windows.durations import MIN_US

__all__ = ["first_starts", "last_starts", "next_ends", "windows_over"]

Times = NDArray[np.int64]

# Windows computed at a time, so that they need not all fit into memory: a single row of a key with
# few rows may be in thousands.
_AT_ONCE = 1 << 16


def last_starts(slices: Times, window: Aligned) -> Times:
    """The start of the last window at or before each slice; it need not reach the slice."""
    return on_grid(slices, window.offset_us, window.every_us)


def first_starts(slices: Times, window: Aligned) -> Times:
    """The start of the first window that still holds the slice, if any does."""
    return last_starts(slices - window.size_us, window) + window.every_us


def next_ends(slices: Times, window: Aligned, closed: int | None) -> Times:
    """The end of the first window of each slice that is not closed yet; beyond it if none is."""
    ends = first_starts(slices, window) + window.size_us
    if closed is None:
        return ends
    # Distances are unsigned: between the ends of time they exceed 63 bits.
    behind = (np.maximum(ends, closed + 1) - ends).view(np.uint64)
    steps, rest = np.divmod(behind, np.uint64(window.every_us))
    next_ones: Times = ends + (steps + (rest > 0)).view(np.int64) * window.every_us
    return next_ones


def windows_over(
    slices: Times,
    borders: Times,
    window: Aligned,
    closed: int | None,
    until: int | None,
    fresh: NDArray[np.bool_] | None = None,
) -> Iterator[Hops]:
    """Each window with a slice in it, or with a fresh one, key by key; some at a time.

    Only windows that end after `closed` and not after `until`.  The slices of each group are in
    order; a window that several of them are in is found once.
    """
    asking, asking_borders = slices, borders
    if fresh is not None:
        asking = slices[fresh]
        asking_borders = np.concatenate([[0], np.cumsum(fresh)])[borders]
    firsts, counts = _new_windows(asking, asking_borders, window, closed, until)
    before = np.concatenate([[0], np.cumsum(counts)])
    # Each round examines all slices of the first window, so it computes at least as many windows.
    widest = min(len(slices), 2 * window.size_us // window.every_us)
    at_once = max(_AT_ONCE, widest)
    done, end = 0, len(counts)
    while done < end:
        enough = np.searchsorted(before, before[done] + at_once, side="right") - 1
        taken = max(int(enough), done + 1)
        own = np.clip(asking_borders, done, taken)
        hops = hops_over(slices, borders, firsts, counts, own, window.every_us, window.size_us)
        if len(hops.starts):
            yield hops
        done = taken


def _new_windows(
    slices: Times, borders: Times, window: Aligned, closed: int | None, until: int | None
) -> tuple[Times, Times]:
    """The first window of each slice that the slice before it is not in, and how many there are."""
    first, last = first_starts(slices, window), last_starts(slices, window)
    if closed is not None:
        first = next_ends(slices, window, closed) - window.size_us
    if until is not None:
        # All windows begin after this.
        lowest = MIN_US + 2 * window.every_us
        last_end = np.asarray(max(until - window.size_us, lowest), np.int64)
        last = np.minimum(last, last_starts(last_end, window))
    known = np.empty_like(last)
    known[1:] = last[:-1]
    heads = borders[:-1][np.diff(borders) > 0]
    known[heads] = first[heads] - window.every_us
    first = np.maximum(first, known + window.every_us)
    return first, np.where(first <= last, (last - first) // window.every_us + 1, 0)
