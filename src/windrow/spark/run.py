"""The way of a query: read it, choose a strategy, run that, and finish the result."""

from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from windrow.algebra.aggregate import Aggregate
from windrow.planning import Plan, Strategy, choose
from windrow.spark.describe import description
from windrow.spark.parallelism import tasks_of
from windrow.spark.query import Query
from windrow.spark.request import Request, read
from windrow.spark.result import Windowed, finish

__all__ = ["planned", "run"]


def planned(query: Query, aggregates: tuple[tuple[str, Aggregate[Any]], ...]) -> Plan:
    """How a query would run."""
    request = read(query, aggregates)
    plan = choose(description(request, aggregates, query.options.strategy))
    if plan.strategy is not Strategy.KERNEL:
        return plan
    from windrow.spark.hot import to_be_sampled

    return replace(plan, sampled=to_be_sampled(request, tasks_of(request.source.sparkSession)))


def run(query: Query, aggregates: tuple[tuple[str, Aggregate[Any]], ...]) -> Windowed:
    """The result of a query."""
    request = read(query, aggregates)
    plan = choose(description(request, aggregates, query.options.strategy))
    if plan.strategy is Strategy.KERNEL:
        return _by_kernel(plan, request)
    return finish(_by(plan, request), request, plan)


def _by_kernel(plan: Plan, request: Request) -> Windowed:
    from windrow.spark import kernel
    from windrow.spark.hot import hot_keys

    hot = hot_keys(request, tasks_of(request.source.sparkSession))
    return finish(kernel.run(request, hot), request, replace(plan, sampled=hot.told))


def _by(plan: Plan, request: Request) -> DataFrame:
    # Each strategy loads what it needs itself: a native query needs no compiler.
    match plan.strategy:
        case Strategy.NATIVE:
            from windrow.spark import native

            return native.run(request)
        case Strategy.PANES:
            from windrow.spark import panes

            assert plan.assembly is not None
            return panes.run(request, plan.assembly)
        case _:
            from windrow.spark import stateful

            return stateful.run(request)
