"""Aggregates that depend on the order of rows, restated for rows in any order.

They keep the time and the arrival number of what they hold, so partial states may be put together
in any order: rows need not travel to be put in order first.
"""

from dataclasses import replace
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.engines.definition import Definition

__all__ = ["in_any_order", "timed"]


def in_any_order(definition: Definition) -> Definition:
    """The definition with as many aggregates restated as can be."""
    aggregates = tuple((name, timed(part) or part) for name, part in definition.aggregates)
    return replace(definition, aggregates=aggregates)


def timed(part: Aggregate[Any]) -> Aggregate[Any] | None:
    """The same aggregate for rows in any order, if it has such a form."""
    monoid = part.monoid.timed
    return monoid and replace(part, monoid=monoid, columns=("t", "n", *part.columns))
