"""The stages of a physical plan, built on Spark: nothing else runs."""

from dataclasses import dataclass, replace
from functools import singledispatch

from pyspark.sql import DataFrame

from windrow.engines.definition import Definition
from windrow.parallel import Method
from windrow.plan import Plan
from windrow.plan.stages import (
    AggregateWindows,
    DealBlocks,
    Exchange,
    ExpandSlices,
    FoldBlocks,
    FoldRows,
    LowerWindows,
    MergeSlices,
    PackBlocks,
    PackRows,
    PackSlices,
    PackValues,
    ReadTree,
    RunEngine,
    RunStatefulEngine,
    SampleRows,
    SliceRows,
    SortMicroBatch,
    SortResults,
    SpreadRows,
    SpreadSlices,
    Stage,
)
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch import blocks, engine, native, row_blocks, slices, spread
from windrow.spark.batch.cutting import NONE, HotKeys
from windrow.spark.ordering import sort_micro_batch, sort_results
from windrow.spark.stream import stateful
from windrow.spark.transport.transit import arrived, tasks_of

__all__ = ["Built", "build"]


@dataclass(frozen=True)
class Built:
    """What the stages so far come to."""

    request: Request
    df: DataFrame  # the rows of the request, before the first stage
    slices_of: Definition | None = None  # of packs that hold slices
    folded: bool = False  # whether packs for units hold slices
    hot: HotKeys = NONE


def build(plan: Plan, request: Request, found: HotKeys = NONE) -> Built:
    """All stages of a plan, in order; hot keys that were found are split if the plan says so."""
    hot = found if plan.ownership is Method.TIME else NONE
    built = Built(request, request.rows, hot=hot)
    for stage in plan.stages:
        built = _after(stage, built)
    return built


@singledispatch
def _after(stage: Stage, built: Built) -> Built:
    raise NotImplementedError(f"Spark cannot run {stage}")


@_after.register
def _(stage: SampleRows, built: Built) -> Built:
    return built  # they were, before the plan was made


@_after.register
def _(stage: AggregateWindows, built: Built) -> Built:
    return replace(built, df=native.run(built.request))


@_after.register
def _(stage: SliceRows, built: Built) -> Built:
    return replace(built, df=slices.sliced(built.request))


@_after.register
def _(stage: ExpandSlices, built: Built) -> Built:
    return replace(built, df=slices.expanded(built.df, built.request))


@_after.register
def _(stage: PackRows, built: Built) -> Built:
    request = built.request
    if request.streaming:
        return replace(built, df=stateful.pack_rows(request))
    if built.hot.blocks:
        return replace(built, df=row_blocks.pack_row_blocks(request, built.hot))
    return replace(built, df=engine.pack_rows(request, built.hot))


@_after.register
def _(stage: ReadTree, built: Built) -> Built:
    request = built.request
    if request.streaming:
        return replace(built, df=stateful.pack_states(request))
    packs = engine.pack_states(request)
    return replace(built, df=packs, slices_of=request.definition)


@_after.register
def _(stage: FoldRows, built: Built) -> Built:
    request = built.request
    if request.streaming:
        return replace(built, df=stateful.pack_folded(request))
    packs = engine.pack_folded(built.df, request.definition, built.hot, request.key_units)
    return replace(built, df=packs, slices_of=request.definition)


@_after.register
def _(stage: PackBlocks, built: Built) -> Built:
    pack = row_blocks.gather_row_blocks if built.hot.blocks else blocks.pack_blocks
    return replace(built, df=pack(built.request, built.hot))


@_after.register
def _(stage: DealBlocks, built: Built) -> Built:
    return replace(built, df=row_blocks.deal_row_blocks(built.df, built.request, built.hot))


@_after.register
def _(stage: FoldBlocks, built: Built) -> Built:
    packs = blocks.fold_blocks(built.df, built.request)
    return replace(built, df=packs, slices_of=built.request.definition)


@_after.register
def _(stage: SpreadRows, built: Built) -> Built:
    assert stage.owners is not None
    request = built.request
    if request.streaming:
        return replace(built, df=stateful.pack_rows(request, stage.owners))
    return replace(built, df=spread.spread_rows(request, stage.owners))


@_after.register
def _(stage: SpreadSlices, built: Built) -> Built:
    assert stage.owners is not None
    request = built.request
    if request.streaming:
        return replace(built, df=stateful.pack_folded(request, stage.owners))
    return replace(built, df=spread.spread_slices(request, stage.owners), folded=True)


@_after.register
def _(stage: MergeSlices, built: Built) -> Built:
    assert stage.owners is not None
    packs = spread.merge_slices(built.df, built.request, stage.owners, folded=built.folded)
    return replace(built, df=packs, folded=True)


@_after.register
def _(stage: PackSlices, built: Built) -> Built:
    definition = built.request.definition
    packs = engine.pack_slices(slices.states(built.df, built.request), definition)
    return replace(built, df=packs, slices_of=definition)


@_after.register
def _(stage: PackValues, built: Built) -> Built:
    rows = slices.values(built.df, built.request)
    definition = slices.merging_definition(rows, built.request)
    return replace(built, df=engine.pack_folded(rows, definition), slices_of=definition)


@_after.register
def _(stage: Exchange, built: Built) -> Built:
    return replace(built, df=arrived(built.df, _tasks(built)))


@_after.register
def _(stage: RunEngine, built: Built) -> Built:
    if stage.owners is not None:
        results = spread.run_units(built.df, built.request, stage.owners, folded=built.folded)
        return replace(built, df=results)
    if built.slices_of is not None:
        results = engine.run_over_slices(built.df, built.slices_of, found=built.hot)
        return replace(built, df=results)
    if built.hot.blocks:
        return replace(built, df=row_blocks.run_row_blocks(built.df, built.request, built.hot))
    return replace(built, df=engine.run_over_rows(built.df, built.request, built.hot))


@_after.register
def _(stage: SortResults, built: Built) -> Built:
    return replace(built, df=sort_results(built.df, in_slots=stage.in_slots))


@_after.register
def _(stage: SortMicroBatch, built: Built) -> Built:
    return replace(built, df=sort_micro_batch(built.df))


@_after.register
def _(stage: LowerWindows, built: Built) -> Built:
    return replace(built, df=slices.lowered_values(built.df, built.request))


@_after.register
def _(stage: RunStatefulEngine, built: Built) -> Built:
    return replace(built, df=stateful.run(built.df, built.request, stage.owners))


def _tasks(built: Built) -> int:
    return tasks_of(built.request.source.sparkSession)
