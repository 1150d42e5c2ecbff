"""The catalogue's own monoids again: families know aggregates by these, and copies travel."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cache
from typing import Any

from windrow.algebra import catalogue
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Monoid
from windrow.algebra.registry import registered

__all__ = ["catalogued"]


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
