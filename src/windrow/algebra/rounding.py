"""Rounding half up, ties away from zero: as Spark divides durations and rounds decimals."""

from math import floor

import numpy as np
from numpy.typing import NDArray

__all__ = ["all_between", "between", "divided", "half_up", "rounds_up"]


def rounds_up(below: int, rest: int, divisor: int) -> bool:
    """Whether `below + rest / divisor`, with 0 ≤ rest < divisor, is rounded to `below + 1`."""
    return 2 * rest > divisor or (2 * rest == divisor and below >= 0)


def divided(number: int, divisor: int) -> int:
    """A quotient of whole numbers as the nearest whole number.

    >>> divided(5, 2), divided(-5, 2), divided(7, 3)
    (3, -3, 2)
    """
    below, rest = divmod(number, divisor)
    return below + rounds_up(below, rest, divisor)


def between(low: int, high: int, far: float) -> int:
    """What lies `far` of the way from one whole number to another, as the nearest whole number.

    >>> between(2**60 + 1, 2**60 + 1, 0.5) == 2**60 + 1, between(1, 2, 0.5), between(-2, -1, 0.5)
    (True, 2, -2)
    """
    part, whole = far.as_integer_ratio()
    return divided(low * whole + (high - low) * part, whole)


def all_between(
    lows: NDArray[np.int64], highs: NDArray[np.int64], fars: NDArray[np.float64]
) -> NDArray[np.int64]:
    """What lies `far` of the way from each whole number to another, as `between` has it.

    >>> all_between(np.array([1, -2, 0]), np.array([2, -1, 8]), np.array([0.5, 0.5, 0.25]))
    array([ 2, -2,  2])
    """
    # Half of a sum that might not fit 64 bits: the bits that both have, and half of the others.
    middle = (lows & highs) + ((lows ^ highs) >> 1)
    results = np.where(fars == 0.5, middle + ((lows ^ highs) & (middle >= 0)), lows)
    for row in np.flatnonzero((lows != highs) & (fars != 0.5) & (fars != 0)).tolist():
        results[row] = between(int(lows[row]), int(highs[row]), float(fars[row]))
    return results


def half_up(number: float) -> int:
    """A number as the nearest whole number.

    >>> half_up(2.5), half_up(-2.5), half_up(2.4)
    (3, -3, 2)
    """
    below = floor(number)
    away = number - below
    return below + (away > 0.5 or (away == 0.5 and below >= 0))
