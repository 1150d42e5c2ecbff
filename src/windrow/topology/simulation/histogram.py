"""Durations counted in bins that grow by 2 percent, from a millisecond to ten million seconds."""

from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINS", "bin_of", "percentiles_of"]

_LEAST = 1e-3  # what is shorter counts as nothing
_PER_E = 50.0  # bins from a duration to e times as much
BINS = 1154


def bin_of(duration: Any) -> Any:
    """The bin of a duration; compiled."""
    if duration < _LEAST:
        return 0
    return min(1 + int(log(duration / _LEAST) * _PER_E), BINS - 1)


def percentiles_of(
    counts: NDArray[np.int64], shares: tuple[float, ...], most: float
) -> tuple[float, ...]:
    """Durations that so large a share of all does not exceed, to a bin's width; at most `most`."""
    reached = np.cumsum(counts)
    places = [int(np.searchsorted(reached, share * reached[-1])) for share in shares]
    return tuple(min(_upper_end(place), most) for place in places)


def _upper_end(place: int) -> float:
    return 0.0 if place == 0 else float(_LEAST * np.exp(place / _PER_E))
