"""Columns as Hypothesis draws them: numbers of every kind, many ties, and nulls."""

from math import inf, nan
from typing import Any

from hypothesis import strategies as st

AWKWARD = (0.0, -0.0, inf, -inf, nan, 1.7e308, -1.7e308, 5e-324)

integers = st.integers(-(1 << 63), (1 << 63) - 1)
floats = st.floats() | st.sampled_from(AWKWARD)
few = st.sampled_from((-1.0, 0.0, 0.5, 2.0, nan))
moderate = st.floats(-1e6, 1e6)


def column(values: st.SearchStrategy[Any], max_size: int = 40) -> st.SearchStrategy[list[Any]]:
    """Values of one type among nulls."""
    return st.lists(st.none() | values, max_size=max_size)


numbers = column(integers) | column(floats) | column(few)


def there(values: list[Any]) -> list[Any]:
    """The values that are not null."""
    return [value for value in values if value is not None]


def same(one: Any, other: Any) -> bool:
    """Equality with NaN equal to itself, in lists too."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)


def rank(value: Any) -> tuple[bool, Any]:
    """A sort key by which NaN is the largest number."""
    return (True, 0) if value != value else (False, value)
