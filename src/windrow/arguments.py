"""Reading what every layer is given: members of enums as text, numbers, names that do not exist."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from importlib import import_module
from math import isfinite
from numbers import Real
from operator import index
from reprlib import Repr
from typing import Any, TypeVar

import numpy as np

from windrow.errors import InputError, WindrowError

__all__ = ["finite", "loaded_later", "member", "real", "shown", "unknown_name", "whole"]

E = TypeVar("E", bound=Enum)


def member(
    kind: type[E], value: object, argument: str, error: type[WindrowError] = InputError
) -> E:
    """The member of an enum that was given: the member itself, or its value as text, in any case.

    >>> from windrow.windows import Order
    >>> member(Order, "time", "order")
    <Order.TIME: 'time'>
    """
    if isinstance(value, kind):
        return value
    members = {str(one.value): one for one in kind}
    if isinstance(value, str) and value.lower() in members:
        return members[value.lower()]
    choices = " or ".join(f"{one} ({text!r})" for text, one in members.items())
    raise error(f"{argument}={shown(value)} is not a valid value for {argument}; use {choices}")


def finite(value: object) -> float | None:
    """A finite number of any library as a float; None for what is none.

    >>> finite(2), finite(True), finite("2"), finite(float("nan"))
    (2.0, None, None, None)
    """
    number = real(value)
    return number if number is not None and isfinite(number) else None


def real(value: object) -> float | None:
    """A number of any library as a float, the infinite ones and NaN too; None for what is none.

    >>> real(2), real(float("inf")), real(10**400), real(np.timedelta64(1, "M"))
    (2.0, inf, None, None)
    """
    # numpy takes its durations for whole numbers
    if not isinstance(value, Real) or isinstance(value, bool | np.timedelta64):
        return None
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        return None


def whole(value: object) -> int | None:
    """A whole number of any library as Python's own; None for what is none.

    >>> whole(3), whole(3.0), whole(True)
    (3, None, None)
    """
    if isinstance(value, bool):
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


class _Shown(Repr):
    """Python refuses to write whole numbers of thousands of digits."""

    def repr_int(self, number: int, level: int) -> str:
        """A whole number, or how large it is."""
        bits = number.bit_length()
        return super().repr_int(number, level) if bits < 10_000 else f"<an int of {bits:,} bits>"


_shown = _Shown()
_shown.maxstring = _shown.maxother = 100


def shown(value: object) -> str:
    """A value of any kind in a few characters, for messages.

    >>> shown((1, 10**5000))
    '(1, <an int of 16,610 bits>)'
    """
    return _shown.repr(value)


def unknown_name(module: str, name: str, known: Iterable[str], hint: str | None) -> AttributeError:
    """The error of a module that has no such name: with a hint, or the name that is most alike."""
    if hint is None:
        alike = get_close_matches(name, [one for one in known if one[0].islower()], n=1)
        hint = f"did you mean {module.rpartition('.')[2]}.{alike[0]}?" if alike else None
    found = f"module {module!r} has no attribute {name!r}"
    return AttributeError(f"{found}; {hint}" if hint else found, name=name)


def loaded_later(
    module: str, names: Sequence[str], homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module that imports some names when they are first used.

    `names` are all that the module promises, `homes` the modules of those that come later.
    """

    def get(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        raise unknown_name(module, name, names, None)

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[module]), *names})

    return get, listed
