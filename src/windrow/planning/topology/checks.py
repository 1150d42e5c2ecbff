"""Numbers that a plan is given, checked."""

from math import isfinite
from numbers import Integral, Real

from windrow.errors import InputError

__all__ = ["require_count", "require_not_negative", "require_positive", "require_share"]


def require_count(value: object, argument: str, example: int) -> int:
    """A whole number above 0."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) > 0:
        return int(value)
    raise InputError(
        f"{argument}={value!r} is not a whole number above 0; give one, e.g. {argument}={example}"
    )


def require_positive(value: object, argument: str, example: float) -> float:
    """A finite number above 0."""
    number = _number(value)
    if number is not None and number > 0:
        return number
    raise InputError(
        f"{argument}={value!r} is not a number above 0; give one, e.g. {argument}={example:g}"
    )


def require_not_negative(value: object, argument: str, example: float) -> float:
    """A finite number, 0 or more."""
    number = _number(value)
    if number is not None and number >= 0:
        return number
    raise InputError(
        f"{argument}={value!r} is not a number of 0 or more; give one, e.g. {argument}={example:g}"
    )


def require_share(value: object, argument: str, example: float) -> float:
    """A number from 0 to below 1."""
    number = _number(value)
    if number is not None and 0 <= number < 1:
        return number
    raise InputError(
        f"{argument}={value!r} is not a share from 0 to below 1; give one, e.g. "
        f"{argument}={example:g}"
    )


def _number(value: object) -> float | None:
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None
