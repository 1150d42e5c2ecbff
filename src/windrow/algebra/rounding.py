"""Rounding half up, ties away from zero: as Spark divides durations and rounds decimals."""

from math import floor

__all__ = ["divided", "half_up", "rounds_up"]


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


def half_up(number: float) -> int:
    """A number as the nearest whole number.

    >>> half_up(2.5), half_up(-2.5), half_up(2.4)
    (3, -3, 2)
    """
    below = floor(number)
    away = number - below
    return below + (away > 0.5 or (away == 0.5 and below >= 0))
