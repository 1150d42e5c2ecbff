"""The way of a query: resolve it, plan it, build the plan's stages, and name the result."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windrow.algebra.aggregate import Aggregate
from windrow.plan import Ownership, Plan, choose
from windrow.spark.analysis.resolve import read
from windrow.spark.describe import description
from windrow.spark.result import Windowed, finish

if TYPE_CHECKING:
    from windrow.spark.query import Query

__all__ = ["planned", "run"]


def planned(query: "Query", aggregates: tuple[tuple[str, Aggregate[Any]], ...]) -> Plan:
    """How a query would run."""
    return choose(description(read(query, aggregates), aggregates, query.options.strategy))


def run(query: "Query", aggregates: tuple[tuple[str, Aggregate[Any]], ...]) -> Windowed:
    """The result of a query."""
    request = read(query, aggregates)
    plan = choose(description(request, aggregates, query.options.strategy))
    # Spark's own plans need no compiler: what builds stages is loaded here.
    from windrow.spark.stages import build

    built = build(plan, request)
    ownership = plan.ownership if built.hot.keys else Ownership.KEYS
    told = replace(plan, ownership=ownership, sampled=plan.sampled or built.hot.told)
    return finish(built.df, request, told)
