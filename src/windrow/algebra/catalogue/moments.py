"""Moments: variance and standard deviation from pairwise-combined central moments.

Two neighbours combine by the formula of Chan, Golub and LeVeque (1979): no difference of large
squares is ever taken, so values far from zero lose no digits.
"""

from functools import cache
from math import sqrt
from typing import Any

from windrow.algebra.aggregate import Aggregate, Reads
from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import FLOAT, NULL, VALUE, Dtypes, Field, Numeric, State
from windrow.algebra.registry import Takes, register
from windrow.arguments import shown, whole
from windrow.errors import AggregateError

__all__ = ["stddev", "variance"]


@register(Takes.NUMBERS)
def variance(column: Reads = None, *, ddof: int = 1) -> Aggregate[Monoid[Any, Any]]:
    """The variance: of a sample (`ddof=1`, Spark's `var_samp`) or a population (`ddof=0`).

    Nulls are skipped; a NaN or infinity makes it NaN; null where fewer than `ddof + 1` values are
    left: as in Spark.

    >>> from windrow.testing import fold
    >>> fold(variance(), [1.0, 3.0]), fold(variance(ddof=0), [1.0, 3.0])
    (2.0, 1.0)
    """
    return Aggregate(_moments("variance", _checked(ddof)), (column,))


@register(Takes.NUMBERS)
def stddev(column: Reads = None, *, ddof: int = 1) -> Aggregate[Monoid[Any, Any]]:
    """The standard deviation: of a sample (`ddof=1`, `stddev_samp`) or a population (`ddof=0`).

    Nulls are skipped; a NaN or infinity makes it NaN; null where fewer than `ddof + 1` values are
    left: as in Spark.

    >>> from windrow.testing import fold
    >>> fold(stddev(), [1.0, 2.0, 3.0]), fold(stddev(ddof=0), [1.0, 3.0])
    (1.0, 1.0)
    """
    return Aggregate(_moments("stddev", _checked(ddof)), (column,))


def _checked(ddof: int) -> int:
    checked = whole(ddof)
    if checked not in (0, 1):
        raise AggregateError(f"ddof={shown(ddof)}; use 1 for a sample or 0 for a population")
    return checked


@cache
def _moments(name: str, ddof: int) -> Monoid[Any, Any]:
    square = name == "variance"

    def lower_number(state: State) -> State:
        count, _, squares = state
        if count <= ddof:
            return (0.0, NULL)
        spread = squares / (count - ddof)
        return (spread if square else sqrt(spread), VALUE)

    def lower(state: State) -> float | None:
        spread, status = lower_number(state)
        return spread if status == VALUE else None

    def numeric(dtypes: Dtypes) -> Numeric:
        return Numeric(
            state=(FLOAT, FLOAT, FLOAT),
            identity=(0.0, 0.0, 0.0),
            lift=_lift_number,
            combine=_combine,
            lower=lower_number,
            result=(Field(FLOAT),),
        )

    return Monoid(
        name=name,
        parameters="" if ddof == 1 else f"ddof={ddof}",
        lift=_lift,
        combine=_combine,
        lower=lower,
        identity=(0.0, 0.0, 0.0),
        commutative=True,
        numeric=numeric,
    )


def _lift(value: Any) -> State:
    return _lift_number(float(value))


def _lift_number(value: Any) -> State:
    number = 1.0 * value  # not float(): booleans have none when compiled
    zero = number - number  # NaN where the value is not finite: from there on every result is NaN
    return (1.0, number + zero, zero)


def _combine(older: State, newer: State) -> State:
    """States are count, mean, and the sum of squared distances from the mean."""
    # An empty side is the identity by hand: an infinite step times its weight of zero were NaN.
    if older[0] == 0.0:
        return newer
    if newer[0] == 0.0:
        return older
    count = older[0] + newer[0]
    step = newer[1] - older[1]
    share = newer[0] / count
    return (count, older[1] + step * share, older[2] + newer[2] + step * step * older[0] * share)
