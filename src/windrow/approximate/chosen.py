"""Which methods a window gets: what an aggregate's bound means, and what makes no sense."""

from collections.abc import Sequence
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Kind
from windrow.approximate.footprint import Footprint
from windrow.approximate.max_like import EXTREMA, MaxLike
from windrow.approximate.method import Method
from windrow.approximate.sum_like import SumLike
from windrow.arguments import shown
from windrow.errors import InputError, WindowError
from windrow.paged.settings import require_codec, require_store
from windrow.paged.write_behind import Outage
from windrow.structures.contents import require_policy
from windrow.windows.options import Check
from windrow.windows.policy import Policy

__all__ = ["method_for", "methods_for", "require_methods", "require_place"]

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
                f"{aggregate!r}: an extremum is one of the values, and its distance to the next "
                "one is unknown; use .within(confidence=...) alone, and only rows that may become "
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


def require_methods(methods: Sequence[object], policy: Policy | None) -> None:
    """Refuse methods that are none, and policies that ask about every update."""
    require_policy(policy)
    if not methods:
        raise InputError(
            "methods: ApproximateAmta without a method keeps every update; give one, such as "
            "SumLike(relative=0.001), or use Amta"
        )
    for method in methods:
        if not isinstance(method, Method):
            raise InputError(
                f"methods: {shown(method)} is no method; give one such as SumLike(relative=0.001), "
                "MaxLike(), Hop() or Footprint(1000)"
            )
    if sum(isinstance(method, Footprint) for method in methods) > 1:
        raise InputError(f"several of {methods} limit the footprint; give one of them")
    if policy is not None and policy.check is Check.VERIFY:
        raise WindowError(
            "check=Check.VERIFY looks at every update, which a window of buckets does not "
            "hold; use Amta to verify"
        )


def require_place(
    store: object,
    name: object,
    codec: object,
    outage: Outage,
    methods: Sequence[object],
) -> None:
    """Refuse half of a place to keep buckets in, and outages that nothing can be done about."""
    if store is None:
        for argument, value, unused in (
            ("name", name, name is None),
            ("codec", codec, codec is None),
            ("outage", outage, outage is Outage.RAISE),
        ):
            if not unused:
                raise InputError(
                    f"{argument}={shown(value)} is for a window in a store; give store=... and "
                    "name=... too, or leave it out"
                )
        return
    require_store(store)
    require_codec(codec)
    if name is None:
        raise InputError(f"store={shown(store)} keeps windows by name; give name='...' too")
    if outage is Outage.SHRINK and not any(isinstance(one, Footprint) for one in methods):
        raise InputError(
            f"outage={outage} makes buckets fewer, and only a footprint allows that; give "
            "Footprint(...) among the methods, or Outage.BUFFER"
        )
