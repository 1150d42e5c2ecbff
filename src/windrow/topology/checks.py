"""What a plan is given, checked."""

from decimal import Decimal
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import TypeVar, cast

from windrow.arguments import finite, member, shown, whole
from windrow.errors import InputError

__all__ = [
    "require_amount",
    "require_count",
    "require_kind",
    "require_not_negative",
    "require_path",
    "require_positive",
    "require_share",
    "require_text",
]

T = TypeVar("T")

# Beyond these nothing is measured, and sums of what is would leave the floats.
_SMALLEST, _LARGEST = 1e-18, 1e18


def require_kind(kind: type[T], given: object, argument: str) -> T:
    """An object of this class; the member of an enum may be given as text."""
    if isinstance(given, kind):
        return given
    if issubclass(kind, Enum):
        return cast(T, member(kind, given, argument))
    raise InputError(f"{argument}={shown(given)} is no {kind.__name__}; give a {kind.__name__}")


def require_count(value: object, argument: str, example: int) -> int:
    """A whole number above 0."""
    number = whole(value)
    if number is not None and 0 < number <= _LARGEST:
        return number
    raise _not_a("whole number above 0", value, argument, example, least=1)


def require_positive(value: object, argument: str, example: float) -> float:
    """A finite number above 0."""
    number = finite(value)
    if number is not None and _SMALLEST <= number <= _LARGEST:
        return number
    raise _not_a("number above 0", value, argument, example)


def require_not_negative(value: object, argument: str, example: float) -> float:
    """A finite number, 0 or more."""
    number = finite(value)
    if number is not None and (number == 0 or _SMALLEST <= number <= _LARGEST):
        return number
    raise _not_a("number of 0 or more", value, argument, example)


def require_amount(value: object, argument: str) -> float:
    """What was computed of numbers that were given, and may be larger than any of them."""
    number = finite(value)
    if number is not None and number >= 0:
        return number
    raise InputError(f"{argument}={shown(value)} is no amount; give a number of 0 or more")


def require_share(value: object, argument: str, example: float) -> float:
    """A number from 0 to below 1."""
    number = finite(value)
    if number is not None and 0 <= number < 1:
        return number
    raise InputError(
        f"{argument}={shown(value)} is not a share from 0 to below 1; give one, e.g. "
        f"{argument}={example:g}"
    )


def require_text(value: object, argument: str, example: str) -> str:
    """Something to be called by."""
    if isinstance(value, str):
        return value
    raise InputError(f"{argument}={shown(value)} is no text; give one, e.g. {argument}={example!r}")


def require_path(value: object, argument: str) -> Path:
    """Where a file is."""
    if isinstance(value, str | PathLike):
        return Path(value)
    raise InputError(f"{argument}={shown(value)} is no path of a file; give text or a Path")


def _not_a(
    wanted: str, value: object, argument: str, example: float, least: float = _SMALLEST
) -> InputError:
    """What to say of a number; which ones there may be, if it is refused for its size alone."""
    whole_one, number = whole(value), finite(value)
    is_huge = whole_one is not None and abs(whole_one) > _LARGEST
    # Numbers of hundreds of digits are cut.
    text = f"{Decimal(whole_one):.3g}" if whole_one is not None and is_huge else shown(value)
    beyond = (whole_one or 0) if number is None else number
    is_extreme = beyond > _LARGEST or 0 < beyond < _SMALLEST
    within = f", from {least:g} to {_LARGEST:g}" if is_extreme else ""
    return InputError(
        f"{argument}={text} is not a {wanted}{within}; give one, e.g. {argument}={example:g}"
    )
