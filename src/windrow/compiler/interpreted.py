"""Kernels as plain Python that computes what compiled code does, to the last bit.

Compiled integers wrap around, and so do numpy's; compiled floats and booleans behave as Python's
own: a division by zero raises, and True + True is 2.  So arrays of integers are read as they are,
and all others through views whose elements are Python's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["as_plain", "elements", "like_compiled"]


def as_plain(argument: Any) -> Any:
    """An argument of a compiled kernel as plain code should have it."""
    if isinstance(argument, np.ndarray):
        return argument.data if argument.dtype.kind in "fb" else argument
    if isinstance(argument, tuple):
        parts = map(as_plain, argument)
        return argument._make(parts) if hasattr(argument, "_make") else tuple(parts)
    return argument


def elements(argument: Any) -> int:
    """How many elements all arrays of an argument have together."""
    if isinstance(argument, np.ndarray):
        return argument.size
    if isinstance(argument, tuple):
        return sum(map(elements, argument))
    return 0


@contextmanager
def like_compiled() -> Iterator[None]:
    """Numpy's numbers without warnings, and division by zero as an error."""
    with np.errstate(all="ignore", divide="call", call=_refuse):
        yield


def _refuse(kind: str, flag: int) -> None:
    raise ZeroDivisionError("division by zero")
