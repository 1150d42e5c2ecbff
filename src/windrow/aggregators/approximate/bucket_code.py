"""The compiled code of windows of buckets: one for all of the same aggregates, methods, policy."""

import dis
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from windrow.aggregators.kernels.buckets.method_cells import Kinds
from windrow.aggregators.kernels.buckets.operator import (
    BucketOperator,
    BucketPart,
    make_bucket_operator,
)
from windrow.aggregators.kernels.buckets.steps import BucketSteps, make_bucket_steps
from windrow.aggregators.kernels.buckets.watched import (
    WatchCode,
    nothing_watched,
    policy_watched,
    time_watched,
)
from windrow.aggregators.kernels.buckets.window import DURATION
from windrow.aggregators.kernels.judge import Watched, judge_code
from windrow.aggregators.kernels.operator import Part, make_operator

__all__ = ["bucket_code"]


@lru_cache(maxsize=256)
def bucket_code(
    parts: tuple[BucketPart, ...],
    kinds: Kinds,
    watched: tuple[Any, ...],
    keep: Callable[..., bool] | None,
    drop: Callable[..., bool] | None,
    time_column: int | None,
    mark: str | None,  # what the predicates are now: what they refer to may change
) -> tuple[BucketOperator, BucketSteps]:
    """What windows of the same aggregates, methods and policy share."""
    operator = make_bucket_operator(parts, _watch(watched, keep, drop, time_column))
    return operator, make_bucket_steps(operator, kinds)


def _watch(
    watched: tuple[Any, ...],
    keep: Callable[..., bool] | None,
    drop: Callable[..., bool] | None,
    time_column: int | None,
) -> WatchCode:
    if time_column is not None:
        return time_watched(time_column, DURATION)
    if not watched:
        return nothing_watched()
    places = sorted({place for _, _, own, _ in watched for place in own})
    parts = tuple(
        Part(
            numeric,
            tuple(places.index(place) for place in own),
            places.index(own[0]) if own else None,
        )
        for _, numeric, own, _ in watched
    )
    operator = make_operator(parts)
    seen = [Watched(name, k, neutral) for k, (name, _, _, neutral) in enumerate(watched)]
    judge = judge_code(operator, seen, keep, drop)
    return policy_watched(operator, judge, places, looks_before=_looks_before(drop))


def _looks_before(drop: Callable[..., bool] | None) -> bool:
    """Whether a predicate may look at its third argument."""
    code = getattr(drop, "__code__", None)
    if drop is None or code is None:
        return drop is not None
    name = code.co_varnames[2] if code.co_argcount > 2 else None
    return name is None or any(
        instruction.argval == name
        or (isinstance(instruction.argval, tuple) and name in instruction.argval)
        for instruction in dis.get_instructions(code)
    )
