"""Runs a plan on Spark: resolve the query, chain the layers, and let the sink compute results."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import TimestampNTZType, TimestampType

from windrow.algebra.aggregate import Aggregate
from windrow.arguments import shown
from windrow.errors import AggregateError, InputError
from windrow.plan import Plan as Explained
from windrow.plan import Strategy, choose
from windrow.plan.stages import Exchange, PackRows, RelayStates
from windrow.spark.analysis.resolve import Request, read
from windrow.spark.describe import description
from windrow.spark.query import Query
from windrow.spark.result import finish
from windrow.spark.topology.chain import Chain
from windrow.spark.topology.ordered import in_any_order, require_any_order
from windrow.spark.topology.result import Layered, with_rates
from windrow.spark.topology.tally import counting, untold
from windrow.topology.plan import Plan
from windrow.windows import Duration, Emit, Tumbling, microseconds

__all__ = ["run", "time_of"]

_UNNAMED = "value"


def run(
    plan: Plan,
    df: DataFrame,
    *aggregate: Any,
    time: Any = None,
    period: Duration | None = None,
    by: Any = None,
    lateness: Duration | None = None,
    emit: Emit | str | None = None,
    **aggregates: Any,
) -> Layered:
    """Aggregate a DataFrame, batch or streaming, over the layers of a plan.

    One `aggregate` without a name gives a column `value`; named ones, as in `peak=agg.max("temp")`,
    give one each.  `time` is the event time, which may be left out if there is one timestamp only;
    `period` is the plan's own unless given; `by`, `lateness` and `emit` are those of
    `windrow.over`.  The result is that of `windrow.over(df, time, by)` in tumbling windows of
    `period`, whatever the widths of the layers, and has `rates()`.

        plan.run(readings, agg.mean("temp"), period="1 minute")
    """
    window = _periods(timedelta(seconds=plan.reduction.period_s) if period is None else period)
    begun = Query.begin(df, time, by, lateness, None).with_options(emit=emit).window(window)
    if time is None:
        begun = replace(begun, time=time_of(df))
    query, asked = begun.asked((), _named(aggregate, aggregates))
    require_any_order(asked, window)
    request = read(query, asked)
    explained = _explained(plan, request, asked)
    request = replace(request, definition=in_any_order(request.definition))
    tally = counting(df.sparkSession)
    chain = Chain(plan, request, window.size_us, untold if tally is None else tally.add)
    found = chain.streamed() if request.streaming else chain.at_once()
    return with_rates(finish(found, request, explained), plan, window.size_us, tally)


def _periods(period: Duration) -> Tumbling:
    size_us = microseconds(period, "period")
    if size_us <= 0:
        raise InputError(
            f'period={shown(period)} is not positive; give one, e.g. period="1 minute"'
        )
    return Tumbling(size_us=size_us)


def _named(unnamed: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    if not unnamed:
        return named
    if len(unnamed) > 1 or named:
        raise AggregateError(
            f"run() got {unnamed[-1]!r} without a name among others; name each result, as in "
            "n=agg.count()"
        )
    return {_UNNAMED: unnamed[0]}


def _explained(
    plan: Plan, request: Request, aggregates: tuple[tuple[str, Aggregate[Any]], ...]
) -> Explained:
    """How it runs, in words."""
    strategy = Strategy.STATEFUL if request.streaming else Strategy.KERNEL
    chosen = choose(description(request, aggregates, strategy))
    *between, sink = plan.layers
    # The sink of a stream merges what a micro-batch brought before it touches what is kept.
    merging = plan.layers if request.streaming else between
    widths = " → ".join(f"{width:,}" for width in plan.widths)
    keys = "".join(f"{key}, " for key in request.names.keys)
    of = f"{keys}period, node and micro-batch" if request.streaming else f"{keys}period and node"
    states = f"packed states, one of each {of}"
    rows = "all rows, packed as Arrow"
    relays = [
        RelayStates(
            f"the {layer.width:,} nodes of a layer merge what reaches them",
            states if number else rows,
        )
        for number, layer in enumerate(merging)
    ]
    last = chosen.stages[-1]
    answer = replace(last, shuffled=states if merging else rows)
    return replace(
        chosen,
        reasons=(f"a plan was run: layers of {widths} nodes, each node a partition",),
        stages=(
            PackRows("rows into packs, distributed evenly over the nodes of the first layer"),
            *relays,
            *([] if request.streaming else [Exchange(f"packs to {sink.width:,} nodes")]),
            answer,
        ),
    )


def time_of(df: DataFrame) -> str:
    """The one timestamp there is."""
    stamps = [
        field.name
        for field in df.schema
        if isinstance(field.dataType, TimestampType | TimestampNTZType)
    ]
    if len(stamps) == 1:
        return stamps[0]
    there = ", ".join(map(repr, stamps or df.columns)) or "none at all"
    kind = "several timestamps" if stamps else "no timestamp among its columns"
    raise InputError(
        f"time=None, but the DataFrame has {kind}: {there}; name the event time, e.g. "
        f'time="{stamps[0] if stamps else "ts"}"'
    )
