"""From the answers to the stages that run."""

from collections.abc import Sequence

from windrow.parallel.methods import Method
from windrow.parallel.owners import Owners
from windrow.plan.answers import Assembly, Slicing
from windrow.plan.description import Description
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
from windrow.windows import Window

__all__ = ["in_order_first", "sorting", "stages"]

_JOINED = "partial sessions put together where they touch"


def stages(
    query: Description,
    slicing: Slicing,
    assembly: Assembly,
    method: Method,
    owners: Owners | None,
) -> tuple[Stage, ...]:
    """What computes windows, in order; `owners` say where single windows are, if they do."""
    if owners is not None:
        return (*_sampling(query, method), *_spread(query, slicing, owners))
    names = ", ".join(part.text for part in query.aggregates)
    if assembly is Assembly.SPARK and slicing is Slicing.NOBODY:
        of = "time" if query.session else "window"  # Spark merges sessions after the shuffle
        return (
            AggregateWindows(
                f"rows into windows{_times(query)}: {names}",
                f"one partial result for {_each(query)}, {of} and input partition",
                copies=tuple(_overlaps(window) for _, window in query.windows),
            ),
        )
    if slicing is Slicing.SPARK:
        return (_slices(query, names), *_from_slices(query, assembly))
    if slicing is Slicing.TREE:
        frames = "states out of the frames of a tree, as packs by key group"
        return (ReadTree(frames), *_engine(query, slicing))
    if method is Method.TIME and query.session and slicing is Slicing.NOBODY:
        return (*_sampling(query, method), *_blocks(query, method))
    packing = _folding if slicing is Slicing.WORKERS else _packing
    return (*_sampling(query, method), packing(query, method), *_engine(query, slicing))


def _times(query: Description) -> str:
    """Spark aggregates several windows one by one."""
    return f", once for each of {len(query.windows)} windows" if len(query.windows) > 1 else ""


def _overlaps(window: Window) -> bool:
    grid = window.grid
    return grid is not None and grid.size_us > grid.every_us


def sorting(query: Description) -> tuple[Stage, ...]:
    """What puts results in order, if that is asked for."""
    if not query.ordered:
        return ()
    by = "time and key" if query.window.per_row else "end, start, name and key"
    if query.streaming:
        return (SortMicroBatch(f"results of a micro-batch by {by}", "all results, to one task"),)
    if query.in_slots:
        return (SortResults(f"results by {by}, each slot of time by its task", in_slots=True),)
    return (SortResults(f"results by {by}", "all results"),)


def _each(query: Description) -> str:
    return f"each {' and '.join(query.keys)}" if query.keys else "the whole input"


def _slices(query: Description, names: str) -> SliceRows:
    return SliceRows(
        f"rows into slices: {names}",
        f"one partial result for {_each(query)}, slice and input partition",
    )


def _from_slices(query: Description, assembly: Assembly) -> tuple[Stage, ...]:
    if assembly is Assembly.SPARK:
        return (
            ExpandSlices(
                "each slice copied into its windows, and aggregated again",
                f"one partial result for {_each(query)} and window",
            ),
        )
    exchange = Exchange("packs by key group, in the order of time", f"slices of {_each(query)}")
    if all(part.states for part in query.aggregates):
        return (
            PackSlices("the states of slices into packs"),
            exchange,
            RunEngine("slices into windows, in compiled kernels; it sees no raw row"),
        )
    return (
        PackValues("the values of slices folded and packed"),
        exchange,
        RunEngine("slices into windows, by merging their values; it sees no raw row"),
        LowerWindows("merged values into results"),
    )


def _sampling(query: Description, method: Method) -> tuple[Stage, ...]:
    if query.streaming or (method is not Method.TIME and query.facts is None):
        return ()
    if query.parallel is Method.TIME:
        return (SampleRows("rows are sampled to cut time into blocks"),)
    if query.in_slots:
        return (SampleRows("one row in 64 is sampled to cut time into slots, a task for each"),)
    if method is Method.TIME:
        return (SampleRows("one row in 64 is sampled to find hot keys, which are split by time"),)
    return (SampleRows("one row in 64 is sampled to find hot keys, and to compare methods"),)


def _split(query: Description, method: Method) -> str:
    """What goes by blocks of time, in words."""
    if method is not Method.TIME:
        return ""
    if query.in_slots:
        return "; by slots of time, each with the rows its windows begin with"
    cut = "; by blocks of time" if query.parallel is method else "; hot keys by blocks of time"
    if query.aligned or query.session:
        return cut
    return f"{cut}, each with the rows its windows begin with, and states or counts of others"


def _folding(query: Description, method: Method) -> FoldRows:
    split = _split(query, method)
    into = "partial sessions" if query.session else "slices"
    return FoldRows(f"rows into {into} where they are read, {_how(query)}{split}")


def _packing(query: Description, method: Method) -> PackRows:
    return PackRows(f"rows into packs by key group{_split(query, method)}")


def _engine(query: Description, slicing: Slicing) -> tuple[Stage, ...]:
    folded = slicing is not Slicing.NOBODY
    moved = "all rows, packed as Arrow"
    if folded:
        of = "partial session" if query.session else "slice"
        batch = "" if slicing is Slicing.TREE else " and batch of rows"
        moved = f"packed states, one for {_each(query)}{',' if batch else ' and'} {of}{batch}"
    elif query.in_buckets:
        # Which rows share a bucket depends on all that came before.
        moved += "; those of a key to one task"
    what = "rows into windows"
    if folded:
        what = _JOINED if query.session else "slices into windows"
    if query.streaming:
        return (RunStatefulEngine(f"{what}, {_how(query)}", f"{moved}, by key group"),)
    return (
        Exchange("packs by key group, in the order of time", moved),
        RunEngine(f"{what}, {_how(query)}"),
    )


def _blocks(query: Description, method: Method) -> tuple[Stage, ...]:
    """Sessions cut anywhere, and put together where they touch."""
    return (
        PackBlocks(f"rows into packs by key group{_split(query, method)}"),
        Exchange("packs by block or key group, in the order of time", "all rows, packed as Arrow"),
        FoldBlocks(f"rows into partial sessions, {_how(query)}"),
        Exchange("packs by key group, in the order of time", "partial sessions"),
        RunEngine(_JOINED),
    )


def in_order_first(stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The same stages, but rows are put in order before what they fold to is sent to others."""
    found: list[Stage] = []
    for stage in stages:
        if isinstance(stage, PackRows):
            found += [
                PackBlocks("rows into packs by key group; those of hot keys by their own block"),
                Exchange("packs by block or key group, in the order of time", "all rows, packed"),
                DealBlocks(
                    "each block in order: its rows, and to later blocks the rows that windows "
                    "begin with, and states of others"
                ),
            ]
        else:
            found.append(stage)
    return tuple(found)


def _spread(query: Description, slicing: Slicing, owners: Owners) -> tuple[Stage, ...]:
    """Windows dealt out to units, which see what is in them."""
    folded = slicing is Slicing.WORKERS
    what, run = "slices" if folded else "rows", f"owned windows from their rows, {_how(query)}"
    if folded:
        run = f"owned windows from their slices, {_how(query)}"
    moved = f"{what}, each to the units that own windows it is in"
    if owners.method in (Method.HANDSHAKE, Method.ROUND_ROBIN):
        moved = "all rows, each to every unit"
    spread = SpreadSlices if folded else SpreadRows
    first = spread(f"{what} copied to their units, of {owners.units}", owners=owners)
    if query.streaming:
        return (first, RunStatefulEngine(run, moved, owners=owners))
    if owners.method is not Method.PANES:
        return (first, Exchange("packs by unit", moved), RunEngine(run, owners=owners))
    return (
        spread(f"{what} to the units that own their slices", owners=owners),
        Exchange("packs by unit", f"{what}, each to the owner of its slice"),
        MergeSlices("whole slices, copied to the units that own their windows", owners=owners),
        Exchange("packs by unit", "slices, each to the units that own windows it is in"),
        RunEngine(f"owned windows from their slices, {_how(query)}", owners=owners),
    )


def _how(query: Description) -> str:
    """Which aggregates are compiled."""
    if query.in_buckets:
        return "into buckets, row by row; compiled if there are many at once"
    compiled = [part.text for part in query.aggregates if part.compiled]
    interpreted = [part.text for part in query.aggregates if not part.compiled]
    said = []
    if compiled:
        said.append(f"in compiled kernels: {', '.join(compiled)}")
    if interpreted:
        said.append(f"interpreted, value by value: {', '.join(interpreted)}")
    return "; ".join(said)
