"""The choice of a strategy."""

from windrow.errors import InputError
from windrow.planning.description import Description
from windrow.planning.exactness import exactness
from windrow.planning.feasible import feasible, obstacle
from windrow.planning.plan import Plan
from windrow.planning.reasons import reason_for
from windrow.planning.strategy import Assembly, Strategy
from windrow.planning.words import cheaper, in_python, in_spark, in_state, shuffled, title
from windrow.windows import Emit, Order

__all__ = ["choose"]

# In how many windows a slice may be before rolling over slices in Python costs less than Spark's
# copying every slice into its windows.
EXPANDED_AT_MOST = 8
# The same where Python would have to merge slices object by object.
EXPANDED_RATHER_THAN_MERGED = 64


def choose(query: Description) -> Plan:
    """The strategy for a query; a forced one is refused where it cannot run it."""
    _require_order(query)
    strategy = _best(query) if query.forced is None else _forced(query, query.forced)
    assembly = _assembly(query) if strategy is Strategy.PANES else None
    return Plan(
        query=title(query),
        strategy=strategy,
        assembly=assembly,
        reasons=reason_for(query, strategy, assembly),
        in_spark=in_spark(query, strategy, assembly),
        in_python=in_python(query, strategy, assembly),
        state=in_state(query, strategy),
        shuffled=shuffled(query, strategy, assembly),
        cheaper=cheaper(query, strategy, assembly),
        exactness=exactness(query),
    )


def _require_order(query: Description) -> None:
    """Refuse an order of arrival across slices, which are put together by their times."""
    ordered = [part.text for part in query.aggregates if not part.commutative]
    shared = query.overlap > 1 or len(query.aligned) > 1
    if ordered and shared and query.order is Order.ARRIVAL:
        raise InputError(
            f"order='arrival': {', '.join(ordered)} would see rows of overlapping windows in the "
            "order of their times, slice by slice; leave order out, or ask for one tumbling window"
        )


def _forced(query: Description, strategy: Strategy) -> Strategy:
    why_not = obstacle(query, strategy)
    if why_not is None:
        return strategy
    ways = " or ".join(f"Strategy.{other.name}" for other in feasible(query))
    raise InputError(
        f"strategy={strategy.value!r} cannot run this query: {why_not}; "
        f"use {ways}, or leave strategy out"
    )


def _best(query: Description) -> Strategy:
    possible = feasible(query)
    for strategy in _preferences(query):
        if strategy in possible:
            return strategy
    return Strategy.STATEFUL if query.streaming else Strategy.KERNEL


def _preferences(query: Description) -> list[Strategy]:
    """What to try first; the strategy that can run everything comes after all of these."""
    if query.session:
        return [] if query.streaming else [Strategy.NATIVE]
    if len(query.windows) == 1 and query.overlap == 1:
        return [Strategy.NATIVE, Strategy.PANES]
    if not query.aligned:
        return []
    few = query.overlap <= EXPANDED_AT_MOST
    if query.streaming and query.emit is Emit.ON_CHANGE and few:
        return [Strategy.NATIVE, Strategy.PANES]
    return [Strategy.PANES]


def _assembly(query: Description) -> Assembly:
    merges = all(part.merges for part in query.aggregates)
    states = all(part.states for part in query.aggregates)
    if query.streaming:
        # Slices that Spark made would lose rows: it drops a row once the watermark has passed its
        # slice, though windows that hold the slice may be open.
        return Assembly.FOLD
    if merges and query.overlap <= EXPANDED_AT_MOST:
        return Assembly.EXPAND
    if states:
        return Assembly.ROLL
    if merges:
        few = query.overlap <= EXPANDED_RATHER_THAN_MERGED
        return Assembly.EXPAND if few else Assembly.MERGE
    return Assembly.FOLD
