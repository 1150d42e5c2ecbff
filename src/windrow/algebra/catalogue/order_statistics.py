"""Order statistics: the exact median and quantiles, from every value of the window."""

from functools import cache
from math import ceil, floor
from numbers import Real
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.multiset import PickQuantile
from windrow.algebra.ordering import ascending
from windrow.algebra.registry import Takes, register
from windrow.algebra.rope import Rope
from windrow.errors import AggregateError

__all__ = ["checked_fraction", "median", "quantile"]


@register(Takes.NUMBERS, bulky=True)
def median(column: Reads = None) -> Aggregate[Monoid[Rope[Any], float | None]]:
    """The exact median, a float.

    Nulls are skipped; NaN is larger than every number; the median of nothing is null: as in Spark.

    >>> from windrow.testing import fold
    >>> fold(median(), [4, 1, 3, 2])
    2.5
    """
    return Aggregate(_quantile("median", 0.5), (column,))


@register(Takes.NUMBERS, 0.25, bulky=True)
def quantile(q: float, column: Reads = None) -> Aggregate[Monoid[Rope[Any], float | None]]:
    """The exact quantile, 0 ≤ q ≤ 1, a float: between two values, linearly interpolated.

    Nulls are skipped; NaN is larger than every number; the quantile of nothing is null: all as
    Spark's `percentile`.

    >>> from windrow.testing import fold
    >>> fold(quantile(0.9), range(101))
    90.0
    """
    return Aggregate(_quantile("quantile", checked_fraction(q)), (column,))


def checked_fraction(q: float) -> float:
    """The `q` of a quantile, if it is one."""
    if not isinstance(q, Real) or not 0 <= q <= 1:
        raise AggregateError(f"q={q!r} is not between 0 and 1; use q=0.5 for the median")
    return float(q) + 0.0  # -0.0 becomes 0.0, which is written otherwise


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


def _interpolated(ordered: list[Any], q: float) -> float:
    position = (len(ordered) - 1) * q
    below, beyond = floor(position), ceil(position)
    low, high = ordered[below], ordered[beyond]
    # No arithmetic between equal neighbours: two infinities would make NaN, two equal floats drift.
    if below == beyond or low == high:
        return float(low)
    return (beyond - position) * float(low) + (position - below) * float(high)
