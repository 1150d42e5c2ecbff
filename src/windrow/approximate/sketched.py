"""Sketches: their own errors, and what is not known of the bucket that the window starts in."""

from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.sketches import (
    QuantileBounds,
    between_ranks,
    tells_ranks_exactly,
    values_in,
)
from windrow.approximate.bounds import NO_TRACE, Remainder, counted
from windrow.approximate.interval import Interval, interval_of

__all__ = ["SketchedCount", "SketchedQuantile"]


class SketchedCount:
    """A sketched number of different values."""

    trace = NO_TRACE

    def __init__(self, aggregate: Aggregate[Any]) -> None:
        self._aggregate = aggregate

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """Each update that is left adds at most one value to the rest, each that is gone takes one.

        So the exact number is no less than the rest's, nor than that of all less those gone; and no
        more than that of all, nor than the rest's and those left.  Four ends of two sketches, each
        missed by one in 700 at three standard deviations: with 99 % they hold together.
        """
        whole = self._aggregate.monoid.combine(bucket, rest)
        certain, possible = interval_of(self._aggregate, rest), interval_of(self._aggregate, whole)
        low = max(certain.low, possible.low - (left.size - left.least))
        high = max(low, min(possible.high, certain.high + left.most))
        nearer = possible if 2 * left.middle >= left.size else certain
        value = min(max(nearer.value, low), high)
        return Interval(value, low, high, possible.exact and low == high)


class SketchedQuantile:
    """A sketched quantile."""

    trace = NO_TRACE

    def __init__(self, aggregate: Aggregate[Any], bounds: QuantileBounds) -> None:
        self._monoid = aggregate.monoid
        self._bounds = bounds

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """Between the values of two ranks, in the sketch of the rest or in that of all."""
        fewest, most = counted(values_in(bucket), left.size, left.least, left.most)
        if not values_in(rest) + fewest:
            return Interval.unknown(self._monoid.lower(bucket))
        state, lowest, highest = self._ranked(bucket, rest, fewest, most)
        low, high = between_ranks(state, lowest, highest)
        exact = low == high and tells_ranks_exactly(state)
        return Interval(self._monoid.lower(state), low, high, exact)

    def _ranked(self, bucket: Any, rest: Any, fewest: int, most: int) -> tuple[Any, int, int]:
        """A state, and the ranks in it between which the quantile lies.

        Say that the window has l of the bucket's b values and that its quantile x has the rank r.
        Of the rest, less than r values are below x, and at least r - l are not above it: x lies
        between the ranks r - l and r of the rest.  Of all values, at least r are not above x, and
        less than r + (b - l) below it: x lies between the ranks r and r + b - l of all.  As r grows
        with l, by no more than l does, the first two are furthest out with the most values left,
        the other two with the fewest.

        Which state is taken depends on numbers of values alone, not on what the sketches' errors
        happen to be: the confidence is that of one sketch.
        """
        inside, behind = values_in(bucket), values_in(rest)
        rank = self._bounds.rank(behind + most)
        if most <= inside - fewest and most < rank <= behind:
            return rest, rank - most, rank
        rank = self._bounds.rank(behind + fewest)
        return self._monoid.combine(bucket, rest), rank, rank + inside - fewest
