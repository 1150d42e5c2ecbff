"""Runs a query: resolve it, plan it, build the plan's stages, and name the result's columns."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windrow.algebra.aggregate import Aggregate
from windrow.parallel import Method
from windrow.plan import Plan, choose
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
    # What builds stages is imported here, so that planning does not load the compiler.
    from windrow.spark.stages import build

    built = build(plan, request)
    unsplit = plan.ownership is Method.TIME and not request.streaming and not built.hot.keys
    done = replace(plan, stages=built.stages, sampled=plan.sampled or built.hot.notes)
    return finish(built.df, request, replace(done, ownership=Method.KEYS) if unsplit else done)
