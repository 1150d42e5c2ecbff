"""Running samples in cells, compiled: `approximate.prediction` on numbers.

A sample is four cells: how many numbers, the first of them, the sum of how far the others are from
it, and that of squares.  A table of Student's t has a cell for each power of two.
"""

from math import sqrt
from typing import Any

from windrow.aggregators.kernels.memory import read_float, write_float
from windrow.algebra.hot import hot

__all__ = ["SAMPLE", "TABLE", "add", "clear", "mean_of", "nearest_to_zero", "number_of", "radius"]

SAMPLE, TABLE = 4, 63

_LEAST = 30


def clear(window: Any, sample: Any) -> None:
    """No number at all."""
    for k in range(SAMPLE):
        write_float(window, sample + k, 0.0)


@hot
def add(window: Any, sample: Any, value: Any) -> None:
    """One number more."""
    number = read_float(window, sample)
    if number == 0.0:
        write_float(window, sample + 1, value)
    away = value - read_float(window, sample + 1)
    write_float(window, sample, number + 1.0)
    write_float(window, sample + 2, read_float(window, sample + 2) + away)
    write_float(window, sample + 3, read_float(window, sample + 3) + away * away)


def number_of(window: Any, sample: Any) -> Any:
    """How many numbers."""
    return read_float(window, sample)


def mean_of(window: Any, sample: Any) -> Any:
    """Their mean."""
    number = read_float(window, sample)
    if number == 0.0:
        return 0.0
    return read_float(window, sample + 1) + read_float(window, sample + 2) / number


def spread_of(window: Any, sample: Any) -> Any:
    """The squares of how far they are from the mean, added up."""
    number, total = read_float(window, sample), read_float(window, sample + 2)
    if number == 0.0:
        return 0.0
    return max(read_float(window, sample + 3) - total * total / number, 0.0)


def radius(window: Any, table: Any, number: Any, spread: Any, ahead: Any) -> Any:
    """How far the sum of the next `ahead` numbers may be from as many means; enough are known."""
    doublings, left = 0, int(number)
    while left > 1:
        left >>= 1
        doublings += 1
    deviation = sqrt(spread / (number - 1.0))
    reach = sqrt(ahead + ahead * ahead / number)
    return read_float(window, table + doublings) * deviation * reach


def nearest_to_zero(window: Any, table: Any, one: Any, other: Any) -> Any:
    """The least magnitude that one more number of two samples may have; 0 if it may be 0."""
    here, there = read_float(window, one), read_float(window, other)
    number = here + there
    if number < _LEAST:
        return 0.0
    away = mean_of(window, other) - mean_of(window, one)
    weight = there / number
    mean = mean_of(window, one) + away * weight
    spread = spread_of(window, one) + spread_of(window, other) + away * away * here * weight
    return max(abs(mean) - radius(window, table, number, spread, 1.0), 0.0)
