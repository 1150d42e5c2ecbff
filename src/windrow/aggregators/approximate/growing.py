"""Aggregates that more updates can only move one way, or not at all: extrema and their kin.

The first update of a bucket is known to have left when any has: what the others come to is the
bucket's trace.  Where it makes no difference to the rest of the window, nothing of it does.
"""

from enum import Enum
from typing import Any

from windrow.aggregators.approximate.interval import Interval
from windrow.aggregators.approximate.remainder import Remainder
from windrow.aggregators.approximate.trace import trace_of
from windrow.algebra.aggregate import Aggregate

__all__ = ["Growing", "Moves"]


class Moves(Enum):
    """What more updates do to a result, and how to tell that they do nothing."""

    UP = "up"  # it becomes larger, or stays
    DOWN = "down"  # it becomes smaller, or stays
    ASIDE = "aside"  # it becomes another one, or stays, as its state does
    ASIDE_BY_RESULT = "aside by result"  # the same, though its state may change
    ASIDE_BY_TIES = "aside by ties"  # the same, and of equal ones the oldest decides


class Growing:
    """max, min, range, any, all, distinct; argmax, max_count, longest_increasing_run and the like.

    Their results stay the same if a part that does not change them is made smaller.
    """

    def __init__(self, aggregate: Aggregate[Any], moves: Moves) -> None:
        self._monoid = aggregate.bound()
        self._moves = moves
        self.trace = trace_of(
            f"all, and all but the first, of {aggregate.monoid.name}",
            lambda row: (self._monoid.lift(row), self._monoid.identity),
            self._continued,
        )

    def _continued(self, older: Any, newer: Any) -> Any:
        combine = self._monoid.combine
        return combine(older[0], newer[0]), combine(older[1], newer[0])

    def interval(
        self, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Remainder
    ) -> Interval:
        """What is certain is the rest of the window; what is possible, all that may be left."""
        everything, but_first = trace
        most = self._monoid.combine(everything if left.most == left.size else but_first, rest)
        certain, possible = self._monoid.lower(rest), self._monoid.lower(most)
        if self._is_same(rest, most, certain, possible):
            return Interval.of_exact(possible)
        value = certain if certain is not None and 2 * left.most < left.size else possible
        ends = (certain, possible) if self._moves is Moves.UP else (possible, certain)
        ordered = self._moves in (Moves.UP, Moves.DOWN)
        # NaN has no place between others.
        if not ordered or None in ends or certain != certain or possible != possible:
            return Interval.unknown(value)
        return Interval(value, *ends, False)

    def _is_same(self, rest: Any, most: Any, certain: Any, possible: Any) -> bool:
        """Whether nothing of the bucket matters."""
        if self._moves is Moves.ASIDE_BY_TIES:
            return rest is most  # the older of two that are equal would have been taken
        if self._moves is Moves.ASIDE:
            return bool(rest == most)
        return certain is not None and bool(certain == possible)
