"""One total order for all values: NaN is larger than every number and equal to itself, as in Spark.

`above` and `level` use bitwise operators: they compile without branches, and still take any value.
"""

from collections.abc import Iterable
from typing import Any

__all__ = ["above", "ascending", "below", "descending", "level"]


def above(one: Any, other: Any) -> Any:
    """Whether one value is strictly larger than the other.

    >>> nan = float("nan")
    >>> above(2, 1), above(nan, 1), above(nan, nan), above(1, nan)
    (True, True, False, False)
    """
    return (one > other) | ((one != one) & (other == other))


def below(one: Any, other: Any) -> Any:
    """Whether one value is strictly smaller than the other."""
    return above(other, one)


def level(one: Any, other: Any) -> Any:
    """Whether two values are equal.

    >>> nan = float("nan")
    >>> level(1, 1.0), level(nan, nan), level(nan, 1)
    (True, True, False)
    """
    return (one == other) | ((one != one) & (other != other))


def ascending(values: Iterable[Any]) -> list[Any]:
    """The values sorted upwards, NaN last; equal ones keep their order."""
    numbers, nans = _apart(values)
    return sorted(numbers) + nans


def descending(values: Iterable[Any]) -> list[Any]:
    """The values sorted downwards, NaN first; equal ones keep their order."""
    numbers, nans = _apart(values)
    return nans + sorted(numbers, reverse=True)


def _apart(values: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    numbers: list[Any] = []
    nans: list[Any] = []
    for value in values:
        (numbers if value == value else nans).append(value)
    return numbers, nans
