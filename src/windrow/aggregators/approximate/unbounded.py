"""Aggregates of which nothing is known where the window starts in a bucket."""

from typing import Any

from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.approximate.trace import trace_of
from windrow.algebra.aggregate import Aggregate

__all__ = ["NO_TRACE", "Unbounded"]

NO_TRACE = trace_of("nothing", lambda row: None, lambda older, newer: None)


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
