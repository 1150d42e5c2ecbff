"""Hop buckets: updates that will leave together share one (A²MTA, method 3)."""

from dataclasses import dataclass
from typing import Any

from windrow.algebra.within import require_confidence
from windrow.approximate.layout import Bucket, Layout
from windrow.approximate.method import Window
from windrow.approximate.prediction import (
    LEAST,
    NO_NUMBERS,
    Sample,
    added,
    mean_of,
    place_in_table,
    radius,
    require_student,
    spread_of,
    student_table,
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

    def grouper(self, layout: Layout) -> "_Hops":
        """What decides in a window of such buckets."""
        return _Hops(self.confidence)


def stretch_of(place: float, sizes: Sample, student: float) -> int:
    """Which stretch between two ends a place is in, from the window's start on; -1: in none."""
    if sizes[0] < LEAST:
        return -1
    mean = mean_of(sizes)
    ahead = round(place / mean)
    reach = radius(sizes[0], spread_of(sizes), 1.0 * max(ahead, 1), student) + 1.0
    return -1 if abs(place - ahead * mean) <= reach else int(place // mean)


class _Hops:
    """Hop buckets at work."""

    def __init__(self, confidence: float) -> None:
        self._table = student_table(confidence)
        self._sizes = NO_NUMBERS
        self._last = -1  # the stretch that the newest update is in

    def joins(self, fresh: Bucket, joined: Bucket, held: int) -> bool:
        """If it is in the same stretch as the one before it."""
        student = self._table[place_in_table(self._sizes[0])]
        before, self._last = self._last, stretch_of(held, self._sizes, student)
        return 0 <= self._last == before

    def inserted(self, fresh: Bucket, held: int, window: Window, *, began: bool) -> None:
        """Where an update goes is decided before it comes."""

    def evicted(self, count: int, held: int) -> None:
        """Learn from its size."""
        self._sizes = added(self._sizes, count)
        self._last = -1  # stretches are counted anew

    def dump(self) -> Any:
        """The sizes of evictions, and where the newest update is."""
        return self._sizes, self._last

    def load(self, data: Any) -> None:
        """Take over what `dump` gave."""
        sizes, self._last = data
        self._sizes = tuple(sizes)
