"""Which aggregates compiled buckets can hold, and how."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from windrow.aggregators.kernels.buckets.bounds import BoundCode
from windrow.aggregators.kernels.buckets.extrema import extremum_code
from windrow.aggregators.kernels.buckets.spreads import spread_code
from windrow.aggregators.kernels.buckets.sums import count_code, sum_code
from windrow.algebra import catalogue as c
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Monoid, numeric_of
from windrow.algebra.numeric import FLOAT, INT, Numeric

__all__ = ["bound_code"]

_Make = Callable[[Monoid[Any, Any], np.dtype[Any]], BoundCode]


def bound_code(aggregate: Aggregate[Any], dtype: np.dtype[Any] | None) -> BoundCode | None:
    """The code for an aggregate of a column of floats or integers; None: of no column."""
    make = _makes().get(aggregate.monoid)
    if make is None or dtype not in (FLOAT, INT, None):
        return None
    return make(aggregate.monoid, FLOAT if dtype is None else dtype)


@cache
def _makes() -> dict[Monoid[Any, Any], _Make]:
    """By the monoids themselves: a user's may have any name."""
    return {
        **{a.monoid: _count for a in (c.count(), c.count("column"))},
        **{a.monoid: _sum for a in (c.sum(), c.mean(), c.geometric_mean())},
        **{a.monoid: _extremum for a in (c.max(), c.min())},
        **{make(ddof=ddof).monoid: _spread for make in (c.variance, c.stddev) for ddof in (0, 1)},
    }


# The same code for the same monoid, so that windows share what is compiled.
@cache
def _count(monoid: Monoid[Any, Any], dtype: np.dtype[Any]) -> BoundCode:
    return count_code()


@cache
def _sum(monoid: Monoid[Any, Any], dtype: np.dtype[Any]) -> BoundCode:
    return sum_code(monoid.name, dtype)


@cache
def _extremum(monoid: Monoid[Any, Any], dtype: np.dtype[Any]) -> BoundCode:
    return extremum_code(monoid.name, _numeric(monoid, dtype))


@cache
def _spread(monoid: Monoid[Any, Any], dtype: np.dtype[Any]) -> BoundCode:
    ddof = 0 if "ddof=0" in monoid.parameters else 1
    return spread_code(_numeric(monoid, dtype), ddof, root=monoid.name == "stddev")


def _numeric(monoid: Monoid[Any, Any], dtype: np.dtype[Any]) -> Numeric:
    numeric = numeric_of(monoid, (dtype,))
    assert numeric is not None  # of the catalogue
    return numeric
