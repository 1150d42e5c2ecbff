"""Where trailing windows are asked for, and how far back they reach."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Trail"]


@dataclass(frozen=True)
class Trail:
    """Places in time, cut into segments: at each, the states at or before it count."""

    ticks: NDArray[np.int64]  # they ascend within a segment
    borders: NDArray[np.int64]  # segment s is [borders[s], borders[s + 1])
    width_us: int
    wanted: NDArray[np.int64] | None = None  # the places to answer; None: all of them
