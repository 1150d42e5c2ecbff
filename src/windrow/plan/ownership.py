"""Who owns which windows: the method that was asked for, or the one that suits, and its owners."""

from windrow.errors import InputError
from windrow.parallel.methods import Method
from windrow.parallel.owners import Owners
from windrow.plan.answers import Strategy
from windrow.plan.description import Description
from windrow.windows import Order

__all__ = [
    "SPREAD",
    "method_of",
    "obstacle_of",
    "owners_of",
    "why_one_task",
    "worth_splitting",
]

#: The methods of disjoint parallelisation, which deal out single windows.
SPREAD = (
    Method.HANDSHAKE,
    Method.ROUND_ROBIN,
    Method.HASH_ONCE,
    Method.ROUND_ROBIN_CYCLIC,
    Method.PANES,
)

# On a stream, where no sample says how rows lie in time: a block of four windows' length copies a
# slice to 1.25 units on average.
_LENGTHS_PER_BLOCK = 4


def method_of(query: Description) -> Method:
    """Who owns windows where nothing is known of rows; refuses what cannot run the query."""
    asked = query.parallel
    if asked is Method.AUTO:
        return Method.TIME if query.sampled and worth_splitting(query) else Method.KEYS
    why_not = obstacle_of(query, asked)
    if why_not is None:
        return asked
    others = [m for m in Method if m not in (Method.AUTO, asked) and obstacle_of(query, m) is None]
    ways = " or ".join(f"{method.value!r}" for method in others)
    raise InputError(
        f"parallel={asked.value!r} cannot run this query: {why_not}; "
        + (f"use {ways}, or leave parallel out" if others else "leave parallel out")
    )


def owners_of(query: Description, method: Method) -> Owners | None:
    """The owners of single windows, or of blocks of them on a grid; None if cuts or keys decide."""
    if method in SPREAD:
        return Owners(method, query.unit_count)
    if method is Method.TIME and query.streaming and query.parallel is Method.TIME:
        return Owners(method, query.unit_count, _LENGTHS_PER_BLOCK * query.overlap)
    return None


def why_one_task(query: Description) -> str | None:
    """Why all windows of a key stay on one task; None where they could be cut by time."""
    if query.cuttable:
        return None
    if query.folded:
        return "nodes of a tree have folded its rows already"
    if query.in_buckets:
        return "which rows share a bucket depends on all rows before"
    if query.order is not Order.TIME:
        return "rows are applied as they arrive, and only times can be cut"
    if query.window.span_rows is not None:
        return f"with emit={query.emit.value!r}, the last rows of a key say what is unfinished"
    return f"where {query.window!r} begins and ends depends on all rows before"


def worth_splitting(query: Description) -> bool:
    """Whether a key with many rows is much work even after they were folded where they are read."""
    compiled = all(part.compiled for part in query.aggregates)
    return not query.folds or (not compiled and not query.session)


def obstacle_of(query: Description, method: Method) -> str | None:
    """Why a method cannot run a query; None if it can."""
    if query.forced in (Strategy.NATIVE, Strategy.PANES):
        return f"with strategy={query.forced.value!r} Spark decides who owns windows"
    if query.folded and method is not Method.KEYS:
        return "nodes of a tree have folded the rows, and their states go by key"
    if method in SPREAD and not query.aligned:
        return f"{query.window!r} has no grid whose numbers could say who owns a window"
    if method is not Method.TIME:
        return None
    if query.streaming and not query.aligned:
        return f"on a stream, {query.window!r} cannot be cut before its rows have come"
    return None if query.streaming else why_one_task(query)
