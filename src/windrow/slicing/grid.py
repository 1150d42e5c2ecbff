"""Slices of event time: the stretches between neighbouring edges of all windows of a query.

Each row is folded into one slice, and every window is made of whole slices.  Cut at starts and at
ends, so that a hop need not divide the size.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from windrow.slicing.keyed import spread
from windrow.windows import Aligned

__all__ = ["first_starts", "last_starts", "next_ends", "slice_starts", "window_starts"]

Times = NDArray[np.int64]


def slice_starts(times: Times, windows: Sequence[Aligned]) -> Times:
    """The latest edge of any window at or before each time."""
    starts = None
    for window in windows:
        for edge in (window.offset_us, window.offset_us + window.size_us):
            own = times - np.mod(times - edge, window.every_us)
            starts = own if starts is None else np.maximum(starts, own)
    assert starts is not None
    return starts


def last_starts(slices: Times, window: Aligned) -> Times:
    """The start of the last window at or before each slice; it need not reach the slice."""
    return slices - np.mod(slices - window.offset_us, window.every_us)


def first_starts(slices: Times, window: Aligned) -> Times:
    """The start of the first window that still holds the slice, if any does."""
    return last_starts(slices - window.size_us, window) + window.every_us


def next_ends(slices: Times, window: Aligned, closed: int | None) -> Times:
    """The end of the first window of each slice that is not closed yet; beyond it if none is."""
    ends = first_starts(slices, window) + window.size_us
    if closed is None:
        return ends
    behind = np.maximum(closed + 1 - ends, 0)
    steps: Times = -(-behind // window.every_us)
    return ends + steps * window.every_us


def window_starts(
    slices: Times, borders: Times, window: Aligned, closed: int | None, until: int | None
) -> tuple[Times, Times]:
    """The start of each window with a slice in it, key by key, and its group.

    Only windows that end after `closed` and not after `until`.  The slices of each group are in
    order; a window that several of them are in is found once.
    """
    first, last = first_starts(slices, window), last_starts(slices, window)
    if closed is not None:
        first = next_ends(slices, window, closed) - window.size_us
    if until is not None:
        last = np.minimum(last, last_starts(np.asarray(until - window.size_us), window))
    # A window that the slice before is in too was found there.
    known = np.empty_like(last)
    known[1:] = last[:-1]
    heads = borders[:-1][np.diff(borders) > 0]
    known[heads] = first[heads] - window.every_us
    first = np.maximum(first, known + window.every_us)
    counts = np.maximum((last - first) // window.every_us + 1, 0)
    steps = spread(np.zeros(len(counts), np.int64), counts)
    groups = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
    return np.repeat(first, counts) + steps * window.every_us, np.repeat(groups, counts)
