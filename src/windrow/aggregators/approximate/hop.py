"""Hop buckets: updates that will leave together share one (A²MTA, method 3)."""

from dataclasses import dataclass
from typing import Any

from windrow.aggregators.approximate.layout import Bucket, Layout
from windrow.aggregators.approximate.method import Window
from windrow.aggregators.approximate.prediction import LEAST, Sample, require_student
from windrow.algebra.within import require_confidence

__all__ = ["Hop"]


@dataclass(frozen=True)
class Hop:
    """Updates share a bucket where no eviction is expected to end.

    Sizes of past evictions, at least 30 of them, tell where the next ones will end.  The updates
    around such a place keep buckets of their own, as many as the confidence asks for: the further
    ahead, the more.  A result is exact whenever an eviction ended among them.
    """

    confidence: float = 0.9999

    def __post_init__(self) -> None:
        require_confidence(self.confidence)
        require_student("Hop()")

    def grouper(self, layout: Layout) -> "_Hops":
        """What works in a window of such buckets."""
        return _Hops(self.confidence)


class _Hops:
    """Hop buckets at work."""

    def __init__(self, confidence: float) -> None:
        self._confidence = confidence
        self._sizes = Sample()
        self._last: int | None = None  # the stretch between two ends that the newest update is in

    def joins(self, fresh: Bucket, joined: Bucket, held: int) -> bool:
        """If it is in the same stretch as the one before it."""
        before, self._last = self._last, self._stretch(held)
        return self._last is not None and self._last == before

    def _stretch(self, place: int) -> int | None:
        """The number of the stretch that a place is in, counted from the window's start, if any."""
        if self._sizes.number < LEAST:
            return None
        ahead = round(place / self._sizes.mean)
        radius = self._sizes.radius(self._confidence, max(ahead, 1)) + 1
        if abs(place - ahead * self._sizes.mean) <= radius:
            return None
        return int(place // self._sizes.mean)

    def inserted(self, fresh: Bucket, held: int, window: Window, *, began: bool) -> None:
        """Where an update goes is decided before it comes."""

    def evicted(self, count: int, held: int) -> None:
        """Learn from its size."""
        self._sizes.add(count)
        self._last = None  # stretches are counted anew

    def dump(self) -> Any:
        """The sizes of evictions, and where the newest update is."""
        return self._sizes.dump(), self._last

    def load(self, data: Any) -> None:
        """Take over what `dump` gave."""
        sizes, self._last = data
        self._sizes.load(sizes)
