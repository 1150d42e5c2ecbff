"""Maxima and minima, compiled: `approximate.growing` on numbers."""

from typing import Any

import numpy as np

from windrow.aggregators.kernels.buckets.bounds import EXACT, HAS_ENDS, HAS_VALUE, BoundCode
from windrow.aggregators.kernels.operator import Part, guarded
from windrow.algebra.numeric import VALUE, Numeric

__all__ = ["extremum_code"]


def extremum_code(name: str, numeric: Numeric) -> BoundCode:
    """`max` or `min`: of all updates, and of all but the first."""
    inner = guarded(Part(numeric, (0,), 0)).numeric
    identity, combine_inner, lift_inner, lower = (
        inner.identity,
        inner.combine,
        inner.lift,
        inner.lower,
    )
    grows = name == "max"
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
        if has_certain == VALUE and certain == possible:
            return possible, possible, possible, HAS_VALUE | HAS_ENDS | EXACT
        mostly_gone = 2 * most < size
        value = certain if has_certain == VALUE and mostly_gone else possible
        if has_certain != VALUE or certain != certain or possible != possible:
            return value, value, value, HAS_VALUE if has_possible == VALUE else 0
        if grows:
            return value, certain, possible, HAS_VALUE | HAS_ENDS
        return value, possible, certain, HAS_VALUE | HAS_ENDS

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
