"""What a bucket remembers beside its aggregate, so that a result can say how wrong it may be.

A family is made for one aggregate.  Its `trace` is a monoid of its own over the same rows; from the
aggregate and the trace of the oldest bucket, of which only some updates are left, and from the
aggregate of all the rest, `interval` tells where the exact result lies.  A code is the same for
compiled numbers.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cache, partial
from typing import Any, Protocol

import numpy as np

from windrow.algebra import catalogue
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.sketches import QuantileBounds, distinct_bounds
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Monoid, numeric_of
from windrow.algebra.numeric import FLOAT, INT
from windrow.approximate.additive import Additive
from windrow.approximate.bounds import NO_TRACE, BoundCode, Remainder
from windrow.approximate.growing import Growing, Moves, extremum_code
from windrow.approximate.interval import Interval
from windrow.approximate.sketched import SketchedCount, SketchedQuantile
from windrow.approximate.spread import Spread, spread_code
from windrow.approximate.sum_code import count_code, sum_code

__all__ = ["Family", "Unbounded", "bound_code", "catalogued", "family_of"]


class Family(Protocol):
    """How results of one kind of aggregate are bounded."""

    @property
    def trace(self) -> Monoid[Any, Any]:
        """What a bucket keeps beside the aggregate's own state; rows are lifted as they come."""

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """The result over what is left of a bucket, and over the rest of the window."""


class Unbounded:
    """Any other aggregate: what is left of a bucket may change it in any way."""

    trace = NO_TRACE

    def __init__(self, aggregate: Aggregate[Any]) -> None:
        self._monoid = aggregate.bound()

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """The bucket counts if half of it is left."""
        whole = self._monoid.combine(bucket, rest) if 2 * left.middle >= left.size else rest
        return Interval.unknown(self._monoid.lower(whole))


def family_of(aggregate: Aggregate[Any]) -> Family:
    """The family of an aggregate of the catalogue; of any other nothing is known."""
    bounds = aggregate.monoid.bounds
    # Sketches have parameters, and a monoid for each: their bounds tell what they are.
    if isinstance(bounds, QuantileBounds):
        return SketchedQuantile(aggregate, bounds)
    if bounds is distinct_bounds:
        return SketchedCount(aggregate)
    return _families().get(aggregate.monoid, Unbounded)(aggregate)


# Families and codes go by the monoids themselves: a user's may have any name.
@cache
def _families() -> dict[Monoid[Any, Any], Callable[[Aggregate[Any]], Family]]:
    c = catalogue
    spreads = [make(ddof=ddof) for make in (c.variance, c.stddev) for ddof in (0, 1)]
    sums = [c.count(), c.count("column"), c.sum(), c.mean(), c.geometric_mean()]
    moving = {
        Moves.UP: [c.max(), c.range(), c.any(), c.distinct()],
        Moves.DOWN: [c.min(), c.all()],
        Moves.ASIDE: [c.max_count(), c.min_count(), c.last()],
        Moves.ASIDE_BY_RESULT: [c.longest_increasing_run()],
        Moves.ASIDE_BY_TIES: [c.argmax(), c.argmin()],
    }
    return {
        **{aggregate.monoid: Additive for aggregate in sums},
        **{aggregate.monoid: Spread for aggregate in spreads},
        **{
            aggregate.monoid: partial(Growing, moves=moves)
            for moves, aggregates in moving.items()
            for aggregate in aggregates
        },
    }


def bound_code(aggregate: Aggregate[Any], dtype: np.dtype[Any] | None) -> BoundCode | None:
    """The code for an aggregate of a column of floats or integers; None: of no column."""
    monoid = aggregate.monoid
    if monoid not in _families() or dtype not in (FLOAT, INT, None):
        return None
    return _code(monoid, FLOAT if dtype is None else dtype)


@cache  # the same code for the same monoid, so that windows share what is compiled
def _code(monoid: Monoid[Any, Any], dtype: np.dtype[Any]) -> BoundCode | None:
    if monoid.name == "count":
        return count_code()
    if monoid.name in ("sum", "mean", "geometric_mean"):
        return sum_code(monoid.name, dtype)
    make = _OF_NUMERIC.get(monoid.name)
    if make is None:
        return None
    numeric = numeric_of(monoid, (dtype,))
    assert numeric is not None  # of the catalogue
    return make(monoid, numeric)


_OF_NUMERIC = {
    "max": extremum_code,
    "min": extremum_code,
    "variance": spread_code,
    "stddev": spread_code,
}


def catalogued(aggregate: Aggregate[Any]) -> Aggregate[Any]:
    """The same aggregate, with the catalogue's own monoid where it has a pickled copy of one.

    >>> from copy import deepcopy
    >>> from windrow import agg
    >>> copy = deepcopy(agg.count("temp"))
    >>> copy.monoid is agg.count("temp").monoid, catalogued(copy) == agg.count("temp")
    (False, True)
    """
    own = _monoids().get(_mark(aggregate.monoid))
    return aggregate if own is None else replace(aggregate, monoid=own)


@cache
def _monoids() -> dict[Hashable, Monoid[Any, Any]]:
    c = catalogue
    # Sketches are known by their bounds, and may lack their package.
    entries = [entry for entry in registered().values() if not entry.name.endswith("_sketch")]
    examples = [entry.example for entry in entries]
    others = [c.count("column"), *(make(ddof=ddof) for make in _SPREADS for ddof in (0, 1))]
    return {_mark(one.monoid): one.monoid for one in (*examples, *others)}


_SPREADS: tuple[Callable[..., Aggregate[Any]], ...] = (catalogue.variance, catalogue.stddev)


def _mark(monoid: Monoid[Any, Any]) -> Hashable:
    """What a copy has in common with its original, and with no monoid of a user's."""
    functions = (monoid.lift, monoid.combine, monoid.lower)
    places = ((getattr(f, "__module__", ""), getattr(f, "__qualname__", "")) for f in functions)
    return monoid.name, monoid.parameters, monoid.inputs, *places
