"""When two results count as equal: exactly, save for the rounding of floats."""

from collections.abc import Iterable, Mapping, Sized
from collections.abc import Set as AbstractSet
from math import isclose, isfinite
from numbers import Number, Real
from typing import Any

__all__ = ["close", "magnitude"]


def close(one: Any, other: Any, *, tolerance: float = 1e-9, scale: float = 1.0) -> bool:
    """Whether two results or states are equal, their floats up to rounding.

    Floats may differ by `tolerance` of their own size, or of `scale`, the size of the values they
    were computed from; NaN equals NaN; containers are compared item by item.

    >>> close((1, [float("nan"), 0.1 + 0.2]), (1, [float("nan"), 0.3]))
    True
    """
    if isinstance(one, float) or isinstance(other, float):
        return _close_numbers(one, other, tolerance, scale)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            close(one[key], other[key], tolerance=tolerance, scale=scale) for key in one
        )
    if _holds_items(one) and _holds_items(other):
        return len(one) == len(other) and all(
            close(a, b, tolerance=tolerance, scale=scale) for a, b in zip(one, other, strict=True)
        )
    return bool(one == other) or (one != one and other != other)


def magnitude(values: Iterable[Any]) -> float:
    """The size of the largest finite number among the values, however deep they are nested."""
    return max(map(_size, values), default=0.0)


def _close_numbers(one: Any, other: Any, tolerance: float, scale: float) -> bool:
    if not isinstance(one, Number) or not isinstance(other, Number):
        return False
    if one != one or other != other:
        return one != one and other != other
    left, right = float(one), float(other)  # type: ignore[arg-type]
    return isclose(left, right, rel_tol=tolerance, abs_tol=tolerance * scale)


def _holds_items(thing: Any) -> bool:
    exact = (str, bytes, AbstractSet, Mapping)
    return isinstance(thing, Iterable) and isinstance(thing, Sized) and not isinstance(thing, exact)


def _size(value: Any) -> float:
    if isinstance(value, Real):
        return abs(float(value)) if isfinite(value) else 0.0
    if isinstance(value, Mapping):
        return magnitude(value.values())
    return magnitude(value) if _holds_items(value) else 0.0
