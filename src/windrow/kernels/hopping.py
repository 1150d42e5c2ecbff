"""Windows that hop over slices: where each begins, and which slices are in it."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.compiler.kernel import kernel

__all__ = ["Hops", "hops_over"]


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

    return kernel(hopping)
