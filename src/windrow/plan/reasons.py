"""A plan in words: the query, why it runs this way, its state, and what would be cheaper."""

from windrow.parallel.methods import Method
from windrow.plan.answers import Assembly, Slicing, State, Strategy
from windrow.plan.description import Description
from windrow.plan.feasible import BY_TIME, LATE_ALONE, SPLIT, obstacle
from windrow.plan.ownership import SPREAD, why_one_task
from windrow.windows import Emit, Order, describe

__all__ = ["cheaper", "kept", "reasons", "title"]


def title(query: Description) -> str:
    """The query in one sentence."""
    windows = ", ".join(f"{name}={w!r}" if name else repr(w) for name, w in query.windows)
    aggregates = ", ".join(part.text for part in query.aggregates)
    keys = f" by {', '.join(query.keys)}" if query.keys else " over all rows"
    kind = "Stream" if query.streaming else "Batch"
    return f"{kind}: {aggregates}{keys} in {windows}."


def reasons(
    query: Description, slicing: Slicing, assembly: Assembly, method: Method = Method.KEYS
) -> tuple[str, ...]:
    """Why it runs this way, the most important reason first."""
    return (*_why(query, slicing, assembly), *_for_owners(query, assembly, method))


def _for_owners(query: Description, assembly: Assembly, method: Method) -> tuple[str, ...]:
    """Why windows are where they are, if an engine makes them."""
    if assembly is not Assembly.ENGINE:
        return ()
    named = f" ({method.acronym} in the literature)" if method.acronym else ""
    if query.parallel is not Method.AUTO:
        return (f"you asked for it: parallel={method.value!r}{named}",)
    if method in SPREAD:
        return (f"single windows are dealt out by {method.value!r}{named}: predicted to be faster",)
    why = why_one_task(query)
    return () if why is None else (f"all windows of a key are on one task: {why}",)


def _why(query: Description, slicing: Slicing, assembly: Assembly) -> tuple[str, ...]:
    forced = (f"you asked for it: strategy={query.forced.value!r}",) if query.forced else ()
    if slicing is Slicing.TREE:
        return (*forced, f"nodes of a tree have folded the rows: {query.from_tree}")
    if query.from_tree is not None:
        forced = (*forced, f"nodes of a tree have sent the rows themselves: {query.from_tree}")
    if slicing is not Slicing.NOBODY:
        return (*forced, *_for_slices(query, slicing, assembly))
    if assembly is Assembly.SPARK:
        return (*forced, _for_spark(query))
    return (*forced, *_for_rows(query))


def _for_spark(query: Description) -> str:
    if query.session:
        return "Spark has sessions of its own, and all aggregates are built into it"
    if query.overlap == 1:
        return "each row is in one window at most, and all aggregates are built into Spark"
    if query.streaming and query.emit is Emit.ON_CHANGE and not query.forced:
        return f"each row changes {query.overlap} windows, few enough to let Spark update them"
    return f"each row is copied into up to {query.overlap} windows"


def _for_slices(query: Description, slicing: Slicing, assembly: Assembly) -> tuple[str, ...]:
    if query.session:
        return (
            "partial sessions may be put together in any order, so Python folds rows before the "
            "shuffle; Spark's own sessions shuffle and sort all rows",
        )
    if query.overlap > 1:
        first = f"each row is in up to {query.overlap} windows: it is aggregated once, into a slice"
    else:
        first = "each row is aggregated once, into a slice"
    foreign = ", ".join(part.text for part in query.aggregates if not part.states)
    if slicing is Slicing.WORKERS:
        return (first, _for_workers(query, foreign))
    if assembly is Assembly.SPARK:
        second = "each slice is in few windows, so Spark copies slices, not rows, into them"
    elif foreign:
        second = f"the engine's states of {foreign} differ from Spark's: slices are sent as values"
    else:
        second = "a compiled pass over the slices gives all windows, however many overlap"
    return (first, second)


def _for_workers(query: Description, foreign: str) -> str:
    if query.streaming and query.overlap == 1 and query.splits_milliseconds:
        return f"{SPLIT}: Python folds rows before the shuffle"
    if query.streaming:
        return (
            "Spark drops a late row with its slice though windows with that slice are open: "
            "Python folds rows before the shuffle"
        )
    if query.forced in (Strategy.KERNEL, Strategy.STATEFUL) or not foreign:
        return "states may be combined in any order, so Python folds rows before the shuffle"
    return f"Spark cannot hand over slices of {foreign}: Python folds rows before the shuffle"


def _for_rows(query: Description) -> tuple[str, ...]:
    if query.in_buckets:
        return ("Spark has no windows of buckets",)
    if query.window.bounded and not query.streaming:
        return ("Spark computes frames like this row by row; a compiled pass gives all results",)
    if not query.aligned and not query.session:
        return (f"Spark has no windows like {query.window!r}",)
    found = []
    ordered = [part.text for part in query.aggregates if not part.commutative]
    foreign = [part.text for part in query.aggregates if not part.builtin]
    if ordered:
        by = "time" if query.order is Order.TIME else "arrival"
        found.append(f"{', '.join(ordered)} must see rows in the order of {by}")
    elif foreign:
        found.append(f"Spark has no aggregate like {', '.join(foreign)}")
    if query.streaming and query.emit is Emit.ON_CHANGE:
        found.append(
            "results are emitted as rows arrive, which Spark's own aggregation cannot do here"
        )
    if query.session and query.order is Order.ARRIVAL:
        found.append(BY_TIME)
    elif query.streaming and query.session:
        found.append(LATE_ALONE)
    elif query.session:
        found.append("Spark's own sessions shuffle and sort all rows, once for each gap")
    if query.streaming and query.gaps:
        found.append("Spark's windows of a stream cannot leave gaps")
    return tuple(found) or ("it runs every kind of window",)


def kept(query: Description, state: State) -> tuple[str, ...]:
    """What a stream keeps between micro-batches."""
    waiting = (
        (f"rows that wait to be applied in the order of time, {_until(query)}",)
        if query.waits
        else ()
    )
    match state:
        case State.NONE:
            return ()
        case State.WINDOWS if query.waits or query.folded:
            return ("in RocksDB, by key group: the open session of each key", *waiting)
        case State.WINDOWS:
            return (f"one row for each key and open window, {_until(query)}",)
        case State.SLICES:
            return (f"in RocksDB, by key group: slices of open windows, {_until(query)}",)
        case State.BUCKETS:
            own = "in RocksDB, for each key and aggregate: the buckets of its window, and no rows"
            return (own, *waiting)
        case State.PAGES:
            pages = (
                "large windows in pages of their own, of which a micro-batch reads and writes a "
                "few, if states are a few values; else all their rows, read and written as a whole"
            )
            return ("in RocksDB, by key group: rows of open windows", pages, *waiting)
        case State.ROWS:
            return ("in RocksDB, by key group: what open windows still need", *waiting)


def _until(query: Description) -> str:
    if query.lateness_ms is None:
        return "forever, as there is no watermark"
    return f"until the watermark, {describe(query.lateness_ms * 1000)} behind, passes"


def cheaper(query: Description, slicing: Slicing, assembly: Assembly) -> tuple[str, ...]:
    """Changes to the query that would save work."""
    found = []
    in_python = assembly is Assembly.ENGINE
    if query.measured and in_python:
        found.append(
            "windrow.configure(spark): Spark would no longer measure each batch for Python again "
            "with every row (spark.sql.execution.arrow.maxBytesPerBatch)"
        )
    foreign = [p.text for p in query.aggregates if not p.compiled and not p.builtin]
    if in_python and foreign and not query.in_buckets:
        found.append(
            f"{', '.join(foreign)}: an aggregate whose states are numbers would be compiled"
        )
    copied = assembly is Assembly.SPARK and slicing is Slicing.NOBODY and query.overlap > 1
    if copied and query.forced and obstacle(query, Strategy.PANES) is None:
        found.append("strategy=Strategy.PANES would aggregate each row once")
    uneven = [w for w in query.aligned if w.size_us % w.every_us and w.every_us < w.size_us]
    if uneven:
        found.append(
            f"{uneven[0]!r}: a hop that divides the size would halve the slices, "
            "which are cut at starts and at ends"
        )
    if query.waits and in_python:
        found.append("a shorter lateness: fewer rows would have to wait")
    if query.streaming and query.emit is Emit.ON_CHANGE and query.aligned:
        found.append("emit=Emit.ON_CLOSE: each window would be emitted once")
    return tuple(found)
