"""From the answers to the stages that run."""

from windrow.plan.answers import Assembly, Slicing
from windrow.plan.description import Description
from windrow.plan.stages import (
    AggregateWindows,
    Exchange,
    ExpandSlices,
    FoldRows,
    LowerWindows,
    PackRows,
    PackSlices,
    PackValues,
    RunEngine,
    RunStatefulEngine,
    SampleRows,
    SliceRows,
    Stage,
)

__all__ = ["stages"]


def stages(query: Description, slicing: Slicing, assembly: Assembly) -> tuple[Stage, ...]:
    """All that runs, in order."""
    names = ", ".join(part.text for part in query.aggregates)
    if assembly is Assembly.SPARK and slicing is Slicing.NOBODY:
        of = "session" if query.session else "window"
        return (
            AggregateWindows(
                f"rows into windows: {names}",
                f"one partial result for {_each(query)}, {of} and input partition",
                times=len(query.windows),  # it takes them one by one
            ),
        )
    if slicing is Slicing.SPARK:
        return (_slices(query, names), *_from_slices(query, assembly))
    packing = _folding(query) if slicing is Slicing.WORKERS else _packing(query)
    return (*_sampling(query), packing, *_engine(query, slicing))


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
        RunEngine("slices into windows, their values merged anew; it sees no raw row"),
        LowerWindows("merged values into results"),
    )


def _sampling(query: Description) -> tuple[Stage, ...]:
    if not query.sampled:
        return ()
    return (SampleRows("one row in 64 is looked at to find hot keys, which are split by time"),)


def _folding(query: Description) -> FoldRows:
    return FoldRows(f"rows into slices where they are read, {_how(query)}")


def _packing(query: Description) -> PackRows:
    split = "; those of hot keys, if any, by blocks of time" if query.sampled else ""
    return PackRows(f"rows into packs by key group{split}")


def _engine(query: Description, slicing: Slicing) -> tuple[Stage, ...]:
    folded = slicing is Slicing.WORKERS
    moved = "all rows, packed as Arrow"
    if folded:
        moved = f"packed states, one for {_each(query)}, slice and batch of rows"
    elif query.in_buckets:
        # Which rows share a bucket depends on all that came before.
        moved += "; those of a key to one task"
    what = "slices into windows" if folded else "rows into windows"
    if query.streaming:
        return (RunStatefulEngine(f"{what}, {_how(query)}", f"{moved}, by key group"),)
    return (
        Exchange("packs by key group, in the order of time", moved),
        RunEngine(f"{what}, {_how(query)}"),
    )


def _how(query: Description) -> str:
    """Which aggregates are compiled."""
    if query.in_buckets:
        return "into buckets, one row after the other; compiled where many come at once"
    compiled = [part.text for part in query.aggregates if part.compiled]
    interpreted = [part.text for part in query.aggregates if not part.compiled]
    said = []
    if compiled:
        said.append(f"in compiled kernels: {', '.join(compiled)}")
    if interpreted:
        said.append(f"interpreted, value by value: {', '.join(interpreted)}")
    return "; ".join(said)
