"""Where the next result will be: the prediction interval of a sample of results."""

from functools import lru_cache
from math import inf, sqrt
from typing import Any

from windrow.errors import InputError

__all__ = ["LEAST", "RecentResults", "Sample", "require_student", "student_table"]

LEAST = 30  # numbers that a sample must have before it says anything
_FEWEST = LEAST.bit_length() - 1


class Sample:
    """The mean and the spread of some numbers, running: sums of how far they are from the first."""

    def __init__(self) -> None:
        self.number = 0
        self._origin = self._sum = self._squares = 0.0

    def add(self, value: float) -> None:
        """One number more."""
        if not self.number:
            self._origin = value
        away = value - self._origin
        self.number += 1
        self._sum += away
        self._squares += away * away

    @property
    def mean(self) -> float:
        """Their mean."""
        return self._origin + self._sum / self.number if self.number else 0.0

    @property
    def _spread(self) -> float:
        """The squares of how far they are from the mean, added up."""
        if not self.number:
            return 0.0
        return max(self._squares - self._sum * self._sum / self.number, 0.0)

    def radius(self, confidence: float, ahead: int = 1) -> float:
        """How far the sum of the next `ahead` numbers may be from as many means."""
        return _radius(self.number, self._spread, confidence, ahead)

    def nearest_to_zero(self, other: "Sample", confidence: float) -> float:
        """The least magnitude that one more number of both samples may have; 0 if it may be 0."""
        number = self.number + other.number
        if number < LEAST:
            return 0.0
        away = other.mean - self.mean
        weight = other.number / number
        mean = self.mean + away * weight
        spread = self._spread + other._spread + away * away * self.number * weight
        return max(abs(mean) - _radius(number, spread, confidence), 0.0)

    def dump(self) -> tuple[float, ...]:
        """The sample as plain values."""
        return self.number, self._origin, self._sum, self._squares

    def load(self, data: tuple[float, ...]) -> None:
        """Take over what `dump` gave."""
        number, self._origin, self._sum, self._squares = data
        self.number = int(number)


class RecentResults:
    """The results of as many updates as the window holds, at least, and of twice as many at most.

    An epoch ends when it has as many results as the window had updates when it began; the one
    before is kept.  A window that grows forgets what it was when it was a quarter as long.
    """

    def __init__(self) -> None:
        self._before, self._now = Sample(), Sample()
        self._length = LEAST  # of the epoch

    def add(self, result: float, held: int) -> bool:
        """The result of an update, after which the window holds so many; whether an epoch ended."""
        self._now.add(result)
        if self._now.number < self._length:
            return False
        self._before, self._now = self._now, Sample()
        self._length = max(held, LEAST)
        return True

    def nearest_to_zero(self, confidence: float) -> float:
        """The least magnitude that the next result is predicted to have; 0 if it may be 0."""
        return self._before.nearest_to_zero(self._now, confidence)

    def dump(self) -> tuple[Any, ...]:
        """The results as plain values."""
        return self._before.dump(), self._now.dump(), self._length

    def load(self, data: tuple[Any, ...]) -> None:
        """Take over what `dump` gave."""
        before, now, self._length = data
        self._before.load(before)
        self._now.load(now)


def student_table(confidence: float) -> list[float]:
    """Student's t for samples of at least 2^k numbers; the first ones are of no use."""
    return [inf] * _FEWEST + [_student(confidence, k) for k in range(_FEWEST, 63)]


def _radius(number: int, spread: float, confidence: float, ahead: int = 1) -> float:
    if number < LEAST:
        return inf
    deviation = sqrt(spread / (number - 1))
    reach = sqrt(ahead + ahead * ahead / number)
    return _student(confidence, number.bit_length() - 1) * deviation * reach


def require_student(what: str) -> None:
    """Refuse a method that predicts where scipy is missing, before any update comes."""
    _stdtrit(what)


@lru_cache(maxsize=1024)
def _student(confidence: float, doublings: int) -> float:
    """Student's t for a sample of at least 2^doublings numbers: the fewer, the larger it is."""
    return float(_stdtrit("a prediction")((1 << doublings) - 1, (1 + confidence) / 2))


def _stdtrit(what: str) -> Any:
    try:
        from scipy.special import stdtrit
    except ImportError:
        raise InputError(
            f"{what} needs the package 'scipy'; pip install 'windrow[approximate]'"
        ) from None
    return stdtrit
