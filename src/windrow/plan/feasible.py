"""Which strategies can run a query at all."""

from windrow.plan.answers import Strategy
from windrow.plan.description import Description
from windrow.windows import Emit, Order

__all__ = ["BY_TIME", "LATE_ALONE", "SPLIT", "feasible", "obstacle"]

# Why Spark's own sessions cannot be used.
BY_TIME = "Spark's own sessions ignore the order of arrival"
LATE_ALONE = "Spark's own sessions turn a late row into a second session that overlaps the first"
# Why Spark's windows of a stream cannot be used: a window that ends a microsecond after the
# watermark would come one micro-batch later, when joins and deduplication treat it as late.
SPLIT = "Spark's windows of a stream end in whole milliseconds, as its watermark does"

# Why neither can be used where rows come from a tree.
FOLDED = "nodes of a tree have folded the rows, and Spark cannot merge their states"
ONE_MORE = "Spark's windows would wait for one more frame of the tree than they need"


def feasible(query: Description) -> list[Strategy]:
    """The strategies that can run the query."""
    return [strategy for strategy in Strategy if obstacle(query, strategy) is None]


def obstacle(query: Description, strategy: Strategy) -> str | None:
    """Why a strategy cannot run the query; None if it can."""
    match strategy:
        case Strategy.NATIVE:
            return _native(query)
        case Strategy.PANES:
            return _panes(query)
        case Strategy.KERNEL:
            return "it runs batches, and this is a stream" if query.streaming else None
        case Strategy.STATEFUL:
            return None if query.streaming else "it runs streams, and this is a batch"


def _native(query: Description) -> str | None:
    if query.folded:
        return FOLDED
    if query.from_tree and query.streaming:
        return ONE_MORE
    if not query.aligned and not query.session:
        return f"Spark has no windows like {query.window!r}"
    foreign = [part.text for part in query.aggregates if not part.builtin]
    if foreign:
        return f"Spark has no aggregate like {', '.join(foreign)}"
    if query.session and query.order is Order.ARRIVAL:
        return BY_TIME
    if not query.streaming:
        return None
    if query.session:
        return LATE_ALONE
    if query.gaps:
        return "Spark's windows of a stream cannot leave gaps"
    if query.splits_milliseconds:
        return SPLIT
    if len(query.windows) > 1 and query.emit is Emit.ON_CHANGE:
        return "Spark updates one aggregation of a stream, and several windows are several"
    return None


def _panes(query: Description) -> str | None:
    if query.folded:
        return FOLDED
    if not query.aligned:
        return f"the edges of {query.window!r} are not known before its rows"
    ordered = [part.text for part in query.aggregates if not part.commutative]
    if ordered:
        return f"{', '.join(ordered)} must see rows in order"
    return None
