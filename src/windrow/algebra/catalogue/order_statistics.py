"""Order statistics: the exact median and quantiles, and the k largest values."""

from datetime import timedelta
from functools import cache
from math import ceil, floor
from sys import maxsize
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Kind, Monoid, PickQuantile
from windrow.algebra.ordering import ascending, descending
from windrow.algebra.registry import Takes, register
from windrow.algebra.rope import Rope
from windrow.algebra.rounding import between
from windrow.arguments import finite, shown, whole
from windrow.errors import AggregateError

__all__ = ["checked_fraction", "median", "quantile", "swapped", "top_k", "units_quantile"]


@register(Takes.QUANTITIES, bulky=True)
def median(column: Reads = None) -> Aggregate[Monoid[Rope[Any], float | None]]:
    """The exact median: a float, or for durations a duration.

    Nulls are skipped; NaN is larger than every number; the median of nothing is null: as in Spark.

    >>> from windrow.testing import fold
    >>> fold(median(), [4, 1, 3, 2])
    2.5
    """
    return Aggregate(_quantile("median", 0.5), (column,))


@register(Takes.QUANTITIES, 0.25, bulky=True)
def quantile(q: float, column: Reads = None) -> Aggregate[Monoid[Rope[Any], float | None]]:
    """The exact quantile for 0 ≤ q ≤ 1, interpolated linearly between two values.

    It is a float, or for durations a duration.  Nulls are skipped; NaN is larger than every
    number; the quantile of nothing is null: all as Spark's `percentile`.

    >>> from windrow.testing import fold
    >>> fold(quantile(0.9), range(101))
    90.0
    """
    return Aggregate(_quantile("quantile", checked_fraction(q, column, "quantile")), (column,))


def checked_fraction(q: float, column: Reads, name: str) -> float:
    """The `q` of a quantile, if it is one."""
    number = finite(q)
    if number is None or not 0 <= q <= 1:
        way_out = swapped(name, q, column) or "use q=0.5 for the median"
        raise AggregateError(f"q={shown(q)} is not between 0 and 1; {way_out}")
    return number + 0.0  # -0.0 becomes 0.0, which is written otherwise


@cache
def _quantile(name: str, q: float) -> Monoid[Rope[Any], float | None]:
    def lower(state: Rope[Any]) -> float | None:
        return _interpolated(ascending(state), q) if state else None

    return Monoid(
        name=name,
        parameters="" if name == "median" else f"{q}",
        lift=lambda value: Rope((value,)),
        combine=lambda older, newer: older + newer,
        lower=lower,
        identity=Rope(),
        kind=Kind.HOLISTIC,
        commutative=True,
        multiset=PickQuantile(q),
    )


def units_quantile(state: Rope[Any], q: float) -> int | None:
    """The quantile of whole numbers of a unit, as the nearest whole number; none of nothing."""
    return between(*_neighbours(ascending(state), q)) if state else None


def _interpolated(ordered: list[Any], q: float) -> Any:
    low, high, far = _neighbours(ordered, q)
    if isinstance(low, timedelta):
        microsecond = timedelta(microseconds=1)
        return between(low // microsecond, high // microsecond, far) * microsecond
    low, high = float(low), float(high)
    # No arithmetic between equal neighbours: two infinities would make NaN, two equal floats drift.
    return low if low == high or not far else (1 - far) * low + far * high


def _neighbours(ordered: list[Any], q: float) -> tuple[Any, Any, float]:
    """The values on both sides of a quantile, and how far it is from the lower one."""
    position = (len(ordered) - 1) * q
    below = floor(position)
    return ordered[below], ordered[ceil(position)], position - below


def swapped(name: str, parameter: Any, column: Any) -> str | None:
    """What to write where a column was given for the parameter that goes before it.

    >>> swapped("top_k", "temp", 3)
    "did you mean agg.top_k(3, 'temp')?"
    """
    if not isinstance(parameter, str):
        return None
    if column is None or isinstance(column, str):
        return None
    return f"did you mean agg.{name}({shown(column)}, {shown(parameter)})?"


@register(Takes.ANYTHING, 3)
def top_k(k: int, column: Reads = None) -> Aggregate[Monoid[tuple[Any, ...], list[Any]]]:
    """The k largest values in a list, largest first, each as often as it occurs.

    Nulls are skipped; NaN is larger than every number; if there are fewer than k values, the list
    has them all, and that of nothing is empty.  (Spark has no such function.)

    >>> from windrow.testing import fold
    >>> fold(top_k(2), [1, 5, None, 5, 3])
    [5, 5]
    """
    size = whole(k)
    if size is None or not 1 <= size <= maxsize:
        way_out = swapped("top_k", k, column) or "use k=1 for the largest alone"
        raise AggregateError(f"k={shown(k)} is not a positive integer below 2^63; {way_out}")
    return Aggregate(_top(size), (column,))


@cache
def _top(k: int) -> Monoid[tuple[Any, ...], list[Any]]:
    def combine(older: tuple[Any, ...], newer: tuple[Any, ...]) -> tuple[Any, ...]:
        # Sorting finds the two descending runs and merges them; of equal values the oldest stay.
        return tuple(descending(older + newer)[:k])

    return Monoid(
        name="top_k",
        parameters=f"{k}",
        lift=lambda value: (value,),
        combine=combine,
        lower=list,
        identity=(),
        commutative=True,
    )
