"""What a plan says: where work is done, what is kept, what travels, and what would be cheaper."""

from windrow.planning.description import Description
from windrow.planning.feasible import obstacle
from windrow.planning.strategy import Assembly, Strategy
from windrow.windows import Aligned, Emit, Order, Policy, TrailingRows, TrailingTime, describe

__all__ = ["cheaper", "in_python", "in_spark", "in_state", "shuffled", "title"]


def title(query: Description) -> str:
    """The query in one sentence."""
    windows = ", ".join(f"{name}={w!r}" if name else repr(w) for name, w in query.windows)
    aggregates = ", ".join(part.text for part in query.aggregates)
    keys = f" by {', '.join(query.keys)}" if query.keys else " over all rows"
    kind = "Stream" if query.streaming else "Batch"
    return f"{kind}: {aggregates}{keys} in {windows}."


def in_spark(query: Description, strategy: Strategy, assembly: Assembly | None) -> tuple[str, ...]:
    """The work of the JVM."""
    aggregates = ", ".join(part.text for part in query.aggregates)
    if strategy is Strategy.NATIVE:
        return (f"everything: {aggregates}",)
    if assembly is Assembly.EXPAND:
        return ("everything: rows into slices, slices into windows",)
    if assembly in (Assembly.ROLL, Assembly.MERGE):
        return (f"rows into slices: {aggregates}",)
    return ("reading and selecting columns", "the shuffle")


def in_python(query: Description, strategy: Strategy, assembly: Assembly | None) -> tuple[str, ...]:
    """The work of Python, and whether it is compiled."""
    if strategy is Strategy.NATIVE or assembly is Assembly.EXPAND:
        return ()
    if assembly is Assembly.ROLL:
        return ("slices into windows, in compiled kernels; it sees no raw row",)
    if assembly is Assembly.MERGE:
        return ("slices into windows, their values merged anew; it sees no raw row",)
    if query.in_buckets:
        return ("rows into buckets, one after the other; compiled where many come at once",)
    compiled = [part.text for part in query.aggregates if part.compiled]
    interpreted = [part.text for part in query.aggregates if not part.compiled]
    told = []
    if compiled:
        told.append(f"in compiled kernels: {', '.join(compiled)}")
    if interpreted:
        told.append(f"interpreted, value by value: {', '.join(interpreted)}")
    return tuple(told)


def in_state(query: Description, strategy: Strategy) -> tuple[str, ...]:
    """What a stream keeps between micro-batches."""
    if not query.streaming:
        return ()
    if strategy is Strategy.NATIVE:
        return (f"one row for each key and open window, {_until(query)}",)
    if strategy is Strategy.PANES:
        return (f"in RocksDB, packed by bucket of keys: slices of open windows, {_until(query)}",)
    told = ["in RocksDB, packed by bucket of keys: what open windows still need"]
    if query.in_buckets:
        told = ["in RocksDB, for each key and aggregate: the buckets of its window, and no rows"]
    elif isinstance(query.window, TrailingRows | TrailingTime | Policy):
        told.append(
            "large windows in pages of their own, of which a micro-batch reads and writes a few, "
            "if states are a few values; else all their rows, read and written as a whole"
        )
    if query.waits:
        told.append(f"rows that wait for their turn in time, {_until(query)}")
    return tuple(told)


def _until(query: Description) -> str:
    if query.lateness_ms is None:
        return "for ever, as there is no watermark"
    return f"until the watermark, {describe(query.lateness_ms * 1000)} behind, passes"


def shuffled(query: Description, strategy: Strategy, assembly: Assembly | None) -> tuple[str, ...]:
    """What travels between tasks."""
    key = f"each {' and '.join(query.keys)}" if query.keys else "the whole input"
    match strategy, assembly:
        case Strategy.NATIVE, _ if query.session:
            return (f"one partial result for {key} and stretch of rows in a partition",)
        case Strategy.NATIVE, _:
            return (f"one partial result for {key}, window and input partition",)
        case Strategy.PANES, Assembly.EXPAND:
            return (
                f"one partial result for {key}, slice and input partition",
                f"then one for {key} and window",
            )
        case Strategy.PANES, Assembly.ROLL | Assembly.MERGE:
            return (
                f"one partial result for {key}, slice and input partition",
                f"then the slices of {key}, packed",
            )
        case Strategy.PANES, _:
            return (f"packed states, one for {key}, slice and batch of rows",)
    if query.folds:
        return (f"packed states, one for {key}, slice and batch of rows",)
    by = f", by the hash of {' and '.join(query.keys)}" if query.keys else ""
    if query.in_buckets:
        return (
            f"all rows, packed as Arrow{by}; those of a key to one task, as which rows share a "
            "bucket depends on all that came before",
        )
    parts = (
        "; those of a very large key in parts by time"
        if query.keys
        else ("; in parts by time if they are very many")
    )
    return (f"all rows, packed as Arrow{by}{parts if _splits(query) else ''}",)


def _splits(query: Description) -> bool:
    """Whether rows of one key can be worked on by several tasks."""
    trailing = isinstance(query.window, TrailingTime | TrailingRows)
    return trailing and not query.streaming and query.order is Order.TIME


def cheaper(query: Description, strategy: Strategy, assembly: Assembly | None) -> tuple[str, ...]:
    """Changes to the query that would save work."""
    told = []
    if query.measured and in_python(query, strategy, assembly):
        told.append(
            "windrow.suit(spark): Spark would no longer measure batches for Python anew with every "
            "row (spark.sql.execution.arrow.maxBytesPerBatch)"
        )
    interpreted = [part.text for part in query.aggregates if not part.compiled]
    strategies = (Strategy.KERNEL, Strategy.STATEFUL, Strategy.PANES)
    if strategy in strategies and interpreted and not query.in_buckets:
        foreign = [p.text for p in query.aggregates if not p.compiled and not p.builtin]
        if foreign:
            told.append(
                f"{', '.join(foreign)}: an aggregate whose states are numbers would be compiled"
            )
    forced = strategy is Strategy.NATIVE and query.overlap > 1 and query.forced
    if forced and obstacle(query, Strategy.PANES) is None:
        told.append("strategy=Strategy.PANES would aggregate each row once")
    longest = _finest(query)
    if longest is not None:
        told.append(longest)
    if strategy is Strategy.STATEFUL and query.waits:
        told.append("a shorter lateness: fewer rows would wait for their turn")
    if query.streaming and query.emit is Emit.ON_CHANGE and isinstance(query.window, Aligned):
        told.append("emit=Emit.ON_CLOSE: each window would be told once")
    if query.session and not query.streaming and strategy is not Strategy.NATIVE:
        told.append("aggregates built into Spark only: it would run sessions itself")
    return tuple(told)


def _finest(query: Description) -> str | None:
    """Windows whose hop does not divide their size have two edges for each hop."""
    uneven = [w for w in query.aligned if w.size_us % w.every_us and w.every_us < w.size_us]
    if not uneven:
        return None
    return (
        f"{uneven[0]!r}: a hop that divides the size would halve the slices, "
        "which are cut at starts and at ends"
    )
