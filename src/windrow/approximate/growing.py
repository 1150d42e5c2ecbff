"""Aggregates that more updates can only move one way, or not at all: extrema and their kin.

The first update of a bucket is known to have left when any has: what the others come to is the
bucket's trace.  Where it makes no difference to the rest of the window, nothing of it does.
"""

from enum import Enum
from typing import Any

import numpy as np

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import VALUE, Numeric
from windrow.approximate.bounds import BoundCode, Remainder, trace_of
from windrow.approximate.interval import EXACT, HAS_ENDS, HAS_VALUE, Interval, interval_from
from windrow.compiler.marks import hot
from windrow.kernels.operator import Part, guarded

__all__ = ["Growing", "Moves", "extremum_code"]


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
        known = certain is not None, possible is not None
        mostly_gone, grows = 2 * left.most < left.size, self._moves is Moves.UP
        value, low, high, status = _between(certain, possible, *known, mostly_gone, grows)
        ordered = self._moves in (Moves.UP, Moves.DOWN)
        return interval_from(value, low, high, status) if ordered else Interval.unknown(value)

    def _is_same(self, rest: Any, most: Any, certain: Any, possible: Any) -> bool:
        """Whether nothing of the bucket matters."""
        if self._moves is Moves.ASIDE_BY_TIES:
            return rest is most  # the older of two that are equal would have been taken
        if self._moves is Moves.ASIDE:
            return bool(rest == most)
        return certain is not None and bool(certain == possible)


@hot
def _between(
    certain: Any, possible: Any, is_certain: Any, is_possible: Any, mostly_gone: Any, grows: Any
) -> Any:
    """The result is one of two that differ, or lies between them."""
    value = certain if is_certain and mostly_gone else possible
    # NaN has no place between others.
    if not (is_certain and is_possible) or certain != certain or possible != possible:
        return value, value, value, HAS_VALUE if is_possible else 0
    low, high = (certain, possible) if grows else (possible, certain)
    return value, low, high, HAS_VALUE | HAS_ENDS


def extremum_code(monoid: Monoid[Any, Any], numeric: Numeric) -> BoundCode:
    """`max` or `min`: of all updates, and of all but the first."""
    inner = guarded(Part(numeric, (0,), 0)).numeric
    identity, combine_inner = inner.identity, inner.combine
    lift_inner, lower = inner.lift, inner.lower
    grows = monoid.name == "max"
    sign = 1.0 if grows else -1.0

    def lift(number: Any, known: Any) -> Any:
        whole = lift_inner(number) if known else identity
        return (whole[0], whole[1], identity[0], identity[1])

    def combine(older: Any, newer: Any, older_size: Any, newer_size: Any) -> Any:
        fresh = (newer[0], newer[1])
        whole = combine_inner((older[0], older[1]), fresh)
        others = combine_inner((older[2], older[3]), fresh)
        return (whole[0], whole[1], others[0], others[1])

    def answer(state: Any) -> Any:
        value, status = lower((state[0], state[1]))
        return value, EXACT | (HAS_VALUE | HAS_ENDS if status == VALUE else 0)

    def interval(bucket: Any, rest: Any, size: Any, least: Any, most: Any) -> Any:
        left = (bucket[0], bucket[1]) if most == size else (bucket[2], bucket[3])
        behind = (rest[0], rest[1])
        certain, has_certain = lower(behind)
        possible, has_possible = lower(combine_inner(left, behind))
        is_certain, is_possible = has_certain == VALUE, has_possible == VALUE
        if is_certain and certain == possible:
            return possible, possible, possible, HAS_VALUE | HAS_ENDS | EXACT
        return _between(certain, possible, is_certain, is_possible, 2 * most < size, grows)

    def adopted(value: Any) -> Any:
        return identity if value is None else (value, True)

    def deciding(state: Any) -> Any:
        return state[1], sign * state[0]

    return BoundCode(
        result=np.dtype(inner.result[0].dtype),
        state=(*inner.state, *inner.state),
        identity=(*identity, *identity),
        lift=lift,
        combine=combine,
        answer=answer,
        adopt=lambda state, trace: (*adopted(trace[0]), *adopted(trace[1])),
        interval=interval,
        deciding=deciding,
    )
