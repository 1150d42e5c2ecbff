"""Trailing windows of time without the rows of their own time: which rows are in each."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.compiler.kernel import kernel

__all__ = ["preceding"]


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

    return kernel(preceding)
