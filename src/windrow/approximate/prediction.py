"""Where the next result will be: the prediction interval of a sample of results.

A sample is a tuple, running: how many numbers, the first of them, and the sums of how far all are
from it, and of the squares of that.  The functions are plain, so that kernels can compile them.
"""

from functools import lru_cache
from math import frexp, inf, sqrt
from typing import Any, TypeAlias

from windrow.compiler.marks import hot
from windrow.errors import InputError

__all__ = [
    "LEAST",
    "NO_NUMBERS",
    "Sample",
    "added",
    "mean_of",
    "nearest_to_zero",
    "place_in_table",
    "radius",
    "require_student",
    "spread_of",
    "student_table",
]

LEAST = 30  # numbers that a sample must have before it says anything
_FEWEST = LEAST.bit_length() - 1

Sample: TypeAlias = tuple[float, float, float, float]
NO_NUMBERS: Sample = (0.0, 0.0, 0.0, 0.0)


@hot
def added(sample: Sample, value: float) -> Sample:
    """One number more."""
    number, origin, total, squares = sample
    if number == 0.0:
        origin = value
    away = value - origin
    return (number + 1.0, origin, total + away, squares + away * away)


def mean_of(sample: Sample) -> float:
    """Their mean."""
    return sample[1] + sample[2] / sample[0] if sample[0] > 0.0 else 0.0


def spread_of(sample: Sample) -> float:
    """The squares of how far they are from the mean, added up."""
    number, _, total, squares = sample
    return max(squares - total * total / number, 0.0) if number > 0.0 else 0.0


def place_in_table(number: float) -> int:
    """Where a table of Student's t has the value for a sample of this many numbers."""
    _, doublings = frexp(max(number, 1.0))
    return doublings - 1


def radius(number: float, spread: float, ahead: float, student: float) -> float:
    """How far the sum of the next `ahead` numbers may be from as many means; enough are known."""
    deviation = sqrt(spread / (number - 1.0))
    return student * deviation * sqrt(ahead + ahead * ahead / number)


def nearest_to_zero(one: Sample, other: Sample, student: float) -> float:
    """The least magnitude that one more number of both samples may have; 0 if it may be 0."""
    number = one[0] + other[0]
    if number < LEAST:
        return 0.0
    away = mean_of(other) - mean_of(one)
    weight = other[0] / number
    mean = mean_of(one) + away * weight
    spread = spread_of(one) + spread_of(other) + away * away * one[0] * weight
    return max(abs(mean) - radius(number, spread, 1.0, student), 0.0)


@lru_cache(maxsize=64)
def student_table(confidence: float) -> tuple[float, ...]:
    """Student's t for samples of at least 2^k numbers: the fewer, the larger it is.

    The first ones are of no use.
    """
    student, level = _stdtrit("a prediction"), (1 + confidence) / 2
    known = (float(student((1 << k) - 1, level)) for k in range(_FEWEST, 63))
    return (*[inf] * _FEWEST, *known)


def require_student(what: str) -> None:
    """Refuse a method that predicts where scipy is missing, before any update comes."""
    _stdtrit(what)


def _stdtrit(what: str) -> Any:
    try:
        from scipy.special import stdtrit
    except ImportError:
        raise InputError(
            f"{what} needs the package 'scipy'; pip install 'windrow[approximate]'"
        ) from None
    return stdtrit
