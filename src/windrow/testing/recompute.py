"""The oracle of one window: recompute it from scratch."""

from collections.abc import Iterable
from functools import reduce
from typing import Any

from windrow.algebra.aggregate import Aggregation, as_monoid
from windrow.testing.given import items

__all__ = ["fold"]


def fold(aggregate: Aggregation, values: Iterable[Any]) -> Any:
    """The result of a window of these values: lift each, combine from left to right, lower.

    If the aggregate cannot take a value, Python's own error comes through.

    >>> from windrow import agg
    >>> fold(agg.max(), [3, None, 5])
    5
    """
    monoid = as_monoid(aggregate, "aggregate")
    lifted = map(monoid.lift_row, items(values, "values"))
    return monoid.lower(reduce(monoid.combine, lifted, monoid.identity))
