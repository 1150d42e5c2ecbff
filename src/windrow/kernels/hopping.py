"""Which slices are in windows that hop over them, and which rows in those of the time before each.

Both are found in one pass: neither where windows begin nor where they end goes back.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.compiler.kernel import Kernel

__all__ = ["Hops", "hops_over", "preceding"]


class Hops(NamedTuple):
    """Windows key by key, each with the slices [since, until)."""

    starts: NDArray[np.int64]
    since: NDArray[np.int64]
    until: NDArray[np.int64]


def hops_over(
    slices: NDArray[np.int64],
    borders: NDArray[np.int64],
    firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
    asking: NDArray[np.int64],
    every_us: int,
    size_us: int,
) -> Hops:
    """Windows from `firsts` on, `counts` of each, that ascend within each group.

    Group g has the slices [borders[g], borders[g + 1]), which ascend too, and the windows of
    [asking[g], asking[g + 1]).
    """
    total = int(counts[asking[0] : asking[-1]].sum())
    hops = Hops(*(np.empty(total, np.int64) for _ in Hops._fields))
    _hopping()(slices, borders, firsts, counts, asking, every_us, size_us, *hops)
    return hops


@cache
def _hopping() -> Any:
    def hopping(
        slices: Any,
        borders: Any,
        firsts: Any,
        counts: Any,
        asking: Any,
        every: Any,
        size: Any,
        starts: Any,
        since: Any,
        until: Any,
    ) -> None:
        hop = 0
        for group in range(len(borders) - 1):
            if asking[group] == asking[group + 1]:
                continue
            begin, end = borders[group], borders[group + 1]
            oldest = begin + np.searchsorted(slices[begin:end], firsts[asking[group]])
            newest = oldest
            for asks in range(asking[group], asking[group + 1]):
                start = firsts[asks]
                for _ in range(counts[asks]):
                    while oldest < end and slices[oldest] < start:
                        oldest += 1
                    while newest < end and slices[newest] < start + size:
                        newest += 1
                    starts[hop] = start
                    since[hop] = oldest
                    until[hop] = newest
                    start += every
                    hop += 1

    return Kernel(hopping)


def preceding(
    ticks: NDArray[np.int64], borders: NDArray[np.int64], reach_us: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each place the places [since, until) of its group that are older, but not by `reach_us`.

    Neither begins nor ends go back from one place to the next.
    """
    since, until = np.empty(len(ticks), np.int64), np.empty(len(ticks), np.int64)
    _preceding()(ticks, borders, reach_us, since, until)
    return since, until


@cache
def _preceding() -> Any:
    def preceding(ticks: Any, borders: Any, reach: Any, since: Any, until: Any) -> None:
        for group in range(len(borders) - 1):
            evicted = entered = borders[group]
            for place in range(borders[group], borders[group + 1]):
                now = ticks[place]
                while ticks[entered] < now:
                    entered += 1
                # Ages are unsigned: between the ends of time they exceed 63 bits.
                while np.uint64(now - ticks[evicted]) >= np.uint64(reach):
                    evicted += 1
                since[place] = evicted
                until[place] = entered

    return Kernel(preceding)
