"""What a plan is given, checked."""

from decimal import Decimal
from enum import Enum
from math import isfinite
from numbers import Integral, Real
from typing import TypeVar

from windrow.errors import InputError

__all__ = [
    "require_amount",
    "require_count",
    "require_kind",
    "require_not_negative",
    "require_positive",
    "require_share",
    "require_text",
]

T = TypeVar("T")

# Beyond these nothing is measured, and sums of what is would leave the floats.
_SMALLEST, _LARGEST = 1e-18, 1e18


def require_kind(kind: type[T], given: object, argument: str) -> T:
    """An object of this class."""
    if isinstance(given, kind):
        return given
    wanted = f"a {kind.__name__}"
    if issubclass(kind, Enum):
        wanted = f"one of {', '.join(map(str, kind))}"
    raise InputError(f"{argument}={given!r} is no {kind.__name__}; give {wanted}")


def require_count(value: object, argument: str, example: int) -> int:
    """A whole number above 0."""
    if isinstance(value, Integral) and not isinstance(value, bool) and 0 < int(value) <= _LARGEST:
        return int(value)
    raise InputError(
        f"{argument}={_told(value)} is not a whole number above 0{_within(value, 1)}; give one, "
        f"e.g. {argument}={example}"
    )


def require_positive(value: object, argument: str, example: float) -> float:
    """A finite number above 0."""
    number = _number(value)
    if number is not None and _SMALLEST <= number <= _LARGEST:
        return number
    raise InputError(
        f"{argument}={_told(value)} is not a number above 0{_within(value)}; give one, e.g. "
        f"{argument}={example:g}"
    )


def require_not_negative(value: object, argument: str, example: float) -> float:
    """A finite number, 0 or more."""
    number = _number(value)
    if number is not None and (number == 0 or _SMALLEST <= number <= _LARGEST):
        return number
    raise InputError(
        f"{argument}={_told(value)} is not a number of 0 or more{_within(value)}; give one, e.g. "
        f"{argument}={example:g}"
    )


def require_amount(value: object, argument: str) -> float:
    """What was computed of numbers that were given, and may be larger than any of them."""
    number = _number(value)
    if number is not None and number >= 0:
        return number
    raise InputError(f"{argument}={value!r} is no amount; give a number of 0 or more")


def require_share(value: object, argument: str, example: float) -> float:
    """A number from 0 to below 1."""
    number = _number(value)
    if number is not None and 0 <= number < 1:
        return number
    raise InputError(
        f"{argument}={value!r} is not a share from 0 to below 1; give one, e.g. "
        f"{argument}={example:g}"
    )


def require_text(value: object, argument: str, example: str) -> str:
    """Something to be called by."""
    if isinstance(value, str):
        return value
    raise InputError(f"{argument}={value!r} is no text; give one, e.g. {argument}={example!r}")


def _told(value: object) -> str:
    """A value as errors show it: numbers of hundreds of digits are cut."""
    if isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) > _LARGEST:
        return f"{Decimal(int(value)):.3g}"
    return repr(value)


def _within(value: object, least: float = _SMALLEST) -> str:
    """For numbers that are refused for their size alone."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    is_extreme = is_number and (value > _LARGEST or 0 < value < _SMALLEST)  # type: ignore[operator]
    return f", from {least:g} to {_LARGEST:g}" if is_extreme else ""


def _number(value: object) -> float | None:
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None
