"""Hop buckets: updates that will leave together share one (A²MTA, method 3)."""

from dataclasses import dataclass

from windrow.algebra.within import require_confidence
from windrow.approximate.prediction import (
    LEAST,
    Sample,
    mean_of,
    radius,
    require_student,
    spread_of,
)

__all__ = ["Hop", "stretch_of"]


@dataclass(frozen=True)
class Hop:
    """Updates share a bucket if no eviction is expected to end among them.

    The sizes of past evictions, at least 30, predict where the next ones will end.  Updates near
    such a position keep buckets of their own: more of them at a higher `confidence`, and more the
    further ahead the position is.  A result is exact if the eviction ended at one of them.

    >>> Hop(confidence=0.99)
    Hop(confidence=0.99)
    """

    confidence: float = 0.9999

    def __post_init__(self) -> None:
        require_confidence(self.confidence)
        require_student("Hop()")


def stretch_of(place: float, sizes: Sample, student: float) -> int:
    """Which stretch between two ends a place is in, from the window's start on; -1: in none."""
    if sizes[0] < LEAST:
        return -1
    mean = mean_of(sizes)
    ahead = round(place / mean)
    reach = radius(sizes[0], spread_of(sizes), 1.0 * max(ahead, 1), student) + 1.0
    return -1 if abs(place - ahead * mean) <= reach else int(place // mean)
