"""Which methods keep an aggregate within the bound that it was given."""

from typing import Any

from windrow.aggregators.approximate.footprint import Footprint
from windrow.aggregators.approximate.max_like import EXTREMA, MaxLike
from windrow.aggregators.approximate.method import Method
from windrow.aggregators.approximate.sum_like import SumLike
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Kind
from windrow.errors import InputError

__all__ = ["method_for", "methods_for"]

# What the bounds of sketches hold with.
_OF_SKETCHES = 0.99


def methods_for(aggregate: Aggregate[Any], max_buckets: int | None = None) -> tuple[Method, ...]:
    """The method that an aggregate's bound means, and a limit on buckets if there is one.

    >>> from windrow import agg
    >>> methods_for(agg.max("load").within(), max_buckets=100)
    (MaxLike(block='auto', confidence=0.95), Footprint(buckets=100))
    """
    method = method_for(aggregate)
    limit = None if max_buckets is None else Footprint(max_buckets)
    return tuple(one for one in (method, limit) if one is not None)


def method_for(aggregate: Aggregate[Any]) -> Method | None:
    """The method that an aggregate's bound means.

    None if it has no bound, or is a sketch and to give the bounds it has of itself: then nothing
    decides which of its rows share a bucket.
    """
    bound, monoid = aggregate.tolerance, aggregate.monoid
    if bound is None:
        return None
    if monoid.name in EXTREMA and not monoid.changing:
        if bound.bounds:
            raise InputError(
                f"{aggregate!r}: an extremum is one of the values, whose distance to the next one "
                "nobody knows; say .within(confidence=...) alone, and only rows that may become "
                "it open buckets"
            )
        return MaxLike(confidence=bound.confidence)
    if bound.bounds:
        return SumLike(
            absolute=bound.absolute, relative=bound.relative, confidence=bound.confidence
        )
    if monoid.kind is not Kind.SKETCH:
        raise InputError(
            f"{aggregate!r} bounds nothing; give relative= or absolute= too, as in "
            ".within(relative=0.001)"
        )
    if bound.confidence > _OF_SKETCHES:
        raise InputError(
            f"{aggregate!r}: the bounds of a sketch hold with a confidence of {_OF_SKETCHES}, not "
            "more; ask for less, or for an aggregate that is exact"
        )
    return None
