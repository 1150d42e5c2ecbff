"""Reading the parameters of aggregates: whole numbers of any library, but no booleans."""

from operator import index
from typing import Any

__all__ = ["whole"]


def whole(number: Any) -> int | None:
    """A whole number of any library as Python's own; None for what is none.

    >>> whole(3), whole(3.0), whole(True)
    (3, None, None)
    """
    if isinstance(number, bool):
        return None
    try:
        return index(number)
    except TypeError:
        return None
