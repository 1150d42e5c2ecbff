"""Where the next result will be: the prediction interval of a sample of results."""

from functools import lru_cache
from math import inf, sqrt

from windrow.errors import InputError

__all__ = ["LEAST", "RecentResults", "Sample", "require_confidence"]

LEAST = 30  # numbers that a sample must have before it says anything


class Sample:
    """The mean and the spread of some numbers, running (Welford, 1962)."""

    def __init__(self) -> None:
        self.number = 0
        self.mean = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        """One number more."""
        self.number += 1
        away = value - self.mean
        self.mean += away / self.number
        self._squares += away * (value - self.mean)

    def joined(self, other: "Sample") -> "Sample":
        """The sample of both."""
        both = Sample()
        both.number = self.number + other.number
        if both.number:
            away = other.mean - self.mean
            weight = other.number / both.number
            both.mean = self.mean + away * weight
            both._squares = self._squares + other._squares + away * away * self.number * weight
        return both

    def radius(self, confidence: float, ahead: int = 1) -> float:
        """How far the sum of the next `ahead` numbers may be from as many means."""
        if self.number < LEAST:
            return inf
        deviation = sqrt(max(self._squares, 0.0) / (self.number - 1))
        reach = sqrt(ahead + ahead * ahead / self.number)
        return _student(confidence, self.number.bit_length() - 1) * deviation * reach


class RecentResults:
    """The results of as many updates as the window holds, at least, and of twice as many at most.

    An epoch ends when it has as many results as the window had updates when it began; the one
    before is kept.  A window that grows forgets what it was when it was a quarter as long.
    """

    def __init__(self) -> None:
        self._before, self._now = Sample(), Sample()
        self._length = LEAST  # of the epoch

    def add(self, result: float, held: int) -> None:
        """The result of an update, after which the window holds so many."""
        self._now.add(result)
        if self._now.number >= self._length:
            self._before, self._now = self._now, Sample()
            self._length = max(held, LEAST)

    def nearest_to_zero(self, confidence: float) -> float:
        """The least magnitude that the next result is predicted to have; 0 if it may be 0."""
        sample = self._before.joined(self._now)
        if sample.number < LEAST:
            return 0.0
        return max(abs(sample.mean) - sample.radius(confidence), 0.0)


def require_confidence(confidence: object) -> None:
    """Refuse what is no level of confidence."""
    if not isinstance(confidence, float) or not 0 < 1 - confidence < 1:
        raise InputError(f"confidence={confidence!r}: give a number between 0 and 1, such as 0.95")


@lru_cache(maxsize=1024)
def _student(confidence: float, doublings: int) -> float:
    """Student's t for a sample of at least 2^doublings numbers: the fewer, the larger it is."""
    try:
        from scipy.special import stdtrit
    except ImportError:
        raise InputError(
            "relative bounds and hops need scipy; pip install 'windrow[approximate]'"
        ) from None
    return float(stdtrit((1 << doublings) - 1, (1 + confidence) / 2))
