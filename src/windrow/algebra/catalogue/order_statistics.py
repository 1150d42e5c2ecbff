"""Order statistics: the exact median and quantiles, from every value of the window."""

from datetime import timedelta
from functools import cache
from math import ceil, floor
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.catalogue.parameters import swapped
from windrow.algebra.monoid import Kind, Monoid, PickQuantile
from windrow.algebra.ordering import ascending
from windrow.algebra.registry import Takes, register
from windrow.algebra.rope import Rope
from windrow.algebra.rounding import between
from windrow.arguments import finite, shown
from windrow.errors import AggregateError

__all__ = ["checked_fraction", "median", "quantile", "units_quantile"]


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
