"""Two orders of times, group by group, merged into one in a single pass."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windrow.aggregators.kernels.compile import kernel

__all__ = ["Merged", "merge_by_time"]


class Merged(NamedTuple):
    """Known and asked times in one line, each asked one behind the known ones up to it."""

    ticks: NDArray[np.int64]
    known: NDArray[np.int64]  # which of the known stands at a place; -1 if an asked one does
    asked: NDArray[np.int64]  # the place of each asked one
    borders: NDArray[np.int64]  # group g has the places [borders[g], borders[g + 1])


def merge_by_time(
    known: NDArray[np.int64],
    known_borders: NDArray[np.int64],
    asked: NDArray[np.int64],
    asked_borders: NDArray[np.int64],
) -> Merged:
    """Merge times that ascend within each group."""
    total = len(known) + len(asked)
    merged = Merged(
        np.empty(total, np.int64),
        np.empty(total, np.int64),
        np.empty(len(asked), np.int64),
        known_borders + asked_borders,
    )
    _merge()(known, known_borders, asked, asked_borders, *merged[:3])
    return merged


@cache
def _merge() -> Any:
    def merge(
        known: Any,
        known_borders: Any,
        asked: Any,
        asked_borders: Any,
        ticks: Any,
        own: Any,
        places: Any,
    ) -> None:
        place = 0
        for group in range(len(known_borders) - 1):
            left, end = known_borders[group], known_borders[group + 1]
            for question in range(asked_borders[group], asked_borders[group + 1]):
                while left < end and known[left] <= asked[question]:
                    ticks[place] = known[left]
                    own[place] = left
                    left += 1
                    place += 1
                ticks[place] = asked[question]
                own[place] = -1
                places[question] = place
                place += 1
            while left < end:
                ticks[place] = known[left]
                own[place] = left
                left += 1
                place += 1

    return kernel(merge)
