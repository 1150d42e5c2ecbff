"""Runs a query: resolve it, plan it, build the plan's stages, and name the result's columns."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from windrow.algebra.aggregate import Aggregate
from windrow.parallel import Method
from windrow.plan import Assembly, Description, Plan, choose
from windrow.plan.calibrated import constants
from windrow.plan.stages import SampleRows
from windrow.plan.staging import in_order_first
from windrow.spark.analysis.resolve import Request, read
from windrow.spark.batch.cutting import NONE
from windrow.spark.batch.hot_keys import hot_keys
from windrow.spark.describe import description
from windrow.spark.progress import Progress
from windrow.spark.result import Windowed, finish
from windrow.spark.transport.transit import tasks_of

if TYPE_CHECKING:
    from windrow.spark.query import Query

__all__ = ["planned", "run"]


def planned(query: "Query", aggregates: tuple[tuple[str, Aggregate[Any]], ...]) -> Plan:
    """How a query would run."""
    return choose(description(read(query, aggregates), aggregates, query.options.strategy))


def run(query: "Query", aggregates: tuple[tuple[str, Aggregate[Any]], ...]) -> Windowed:
    """The result of a query.

    If the plan samples rows, it is made again with what they say: of one sample come both the
    choice of a method and the cuts of hot keys.
    """
    request = read(query, aggregates)
    asked = description(request, aggregates, query.options.strategy)
    plan, hot = choose(asked), NONE
    if any(isinstance(stage, SampleRows) for stage in plan.stages):
        hot = hot_keys(request, tasks_of(request.source.sparkSession))
        if hot.facts is not None:
            plan = choose(replace(asked, facts=hot.facts, in_slots=hot.in_slots), constants())
        if plan.ownership is Method.TIME and not hot.keys:
            plan = replace(plan, ownership=Method.KEYS)
        if plan.ownership is Method.TIME and hot.in_order:
            plan = replace(plan, stages=in_order_first(plan.stages))
        plan = replace(plan, sampled=plan.sampled or hot.notes)
    # What builds stages is imported here, so that planning does not load the compiler.
    from windrow.spark.stages import build

    return finish(build(plan, request, hot).df, request, plan, _progress(asked, request, plan))


def _progress(asked: Description, request: Request, plan: Plan) -> Progress | None:
    """Of a stream that an engine runs; of Spark's own operators there are no predictions."""
    if not request.streaming or plan.assembly is not Assembly.ENGINE:
        return None
    from windrow.spark.state.signature import signature_of

    spread = f"parallel {plan.ownership.value!r}, units {asked.unit_count}"
    return Progress(f"{signature_of(request)}; {spread}", asked)
