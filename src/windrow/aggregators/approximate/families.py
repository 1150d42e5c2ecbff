"""What a bucket remembers beside its aggregate, so that a result can say how wrong it may be.

A family is made for one aggregate.  Its `trace` is a monoid of its own over the same rows; from the
aggregate and the trace of the oldest bucket, of which only some updates are left, and from the
aggregate of all the rest, `interval` tells where the exact result lies.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Protocol

from windrow.aggregators.approximate.additive import Additive
from windrow.aggregators.approximate.growing import Growing, Moves
from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.approximate.sketched import SketchedCount, SketchedQuantile
from windrow.aggregators.approximate.spread import Spread
from windrow.aggregators.approximate.unbounded import Unbounded
from windrow.algebra import catalogue
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.sketches import QuantileBounds, distinct_bounds
from windrow.algebra.monoid import Monoid

__all__ = ["Family", "family_of"]


class Family(Protocol):
    """How results of one kind of aggregate are bounded."""

    @property
    def trace(self) -> Monoid[Any, Any]:
        """What a bucket keeps beside the aggregate's own state; rows are lifted as they come."""

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """The result over what is left of a bucket, and over the rest of the window."""


def family_of(aggregate: Aggregate[Any]) -> Family:
    """The family of an aggregate of the catalogue; of any other nothing is known."""
    bounds = aggregate.monoid.bounds
    # Sketches have parameters, and a monoid for each: their bounds tell what they are.
    if isinstance(bounds, QuantileBounds):
        return SketchedQuantile(aggregate, bounds)
    if bounds is distinct_bounds:
        return SketchedCount(aggregate)
    return _families().get(aggregate.monoid, Unbounded)(aggregate)


@cache
def _families() -> dict[Monoid[Any, Any], Callable[[Aggregate[Any]], Family]]:
    """By the monoids themselves: a user's may have any name."""
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
