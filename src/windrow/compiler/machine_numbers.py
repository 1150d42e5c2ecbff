"""Python's numbers that compute as compiled ones: what functions of a user's are handed in kernels.

Compiled integers have 64 bits and wrap around.  numpy's do so too, but what comparing them gives
are no numbers (True + True is True there), and dividing by zero is no error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from windrow.compiler.marks import native

__all__ = ["as_python"]

_HALF, _ALL = 1 << 63, (1 << 64) - 1


class Int64(int):
    """An integer of 64 bits.

    >>> Int64((1 << 63) - 1) + 1
    -9223372036854775808
    """


def _wrapped(compute: Callable[..., Any]) -> Callable[..., Any]:
    def wrapping(*numbers: Any) -> Any:
        found = compute(*numbers)
        if isinstance(found, int):
            return Int64(((found + _HALF) & _ALL) - _HALF)
        return found  # of another type, or NotImplemented

    return wrapping


for _name in ("add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift"):
    for _method in (f"__{_name}__", f"__r{_name}__"):
        setattr(Int64, _method, _wrapped(getattr(int, _method)))
for _method in ("__neg__", "__abs__", "__invert__", "__pos__"):
    setattr(Int64, _method, _wrapped(getattr(int, _method)))


def _same(number: Any) -> Any:
    return number


@native(lambda: _same)
def as_python(number: Any) -> Any:
    """A number of a state or column as a function of a user's has it; compiled, the number itself.

    >>> as_python(np.int64(5)) / 2, as_python(np.bool_(True)) + 1
    (2.5, 2)
    """
    if isinstance(number, bool | np.bool_):
        return bool(number)
    if isinstance(number, int | np.integer):
        return Int64(number)
    return float(number)
