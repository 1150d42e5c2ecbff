"""The choice of a strategy."""

from math import gcd

from windrow.errors import InputError
from windrow.planning.description import Description
from windrow.planning.feasible import feasible, obstacle
from windrow.planning.plan import Plan
from windrow.planning.reasons import reason_for
from windrow.planning.strategy import Assembly, Strategy
from windrow.planning.words import cheaper, in_python, in_spark, in_state, shuffled, title
from windrow.windows import Emit

__all__ = ["choose"]

# In how many windows a slice may be before rolling over slices in Python costs less than Spark's
# copying every slice into its windows.
EXPANDED_AT_MOST = 8
# The same where Python would have to fold the rows themselves, object by object.
EXPANDED_RATHER_THAN_FOLDED = 64
# How many slices a hop of a stream may have: beyond that, slices are hardly fewer than rows.
SLICES_PER_HOP = 16


def choose(query: Description) -> Plan:
    """The strategy for a query; a forced one is refused where it cannot run it."""
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
        cheaper=cheaper(query, strategy),
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
    if query.session or (len(query.windows) == 1 and query.overlap == 1):
        return [Strategy.NATIVE, Strategy.PANES]
    if not query.aligned:
        return []
    if not query.streaming:
        return [Strategy.PANES]
    few = query.overlap <= EXPANDED_AT_MOST
    if query.emit is Emit.ON_CHANGE:
        return [Strategy.NATIVE] if few else []
    if _slices_per_hop(query) > SLICES_PER_HOP:
        return []
    return [Strategy.PANES]


def _slices_per_hop(query: Description) -> int:
    """How many slices of one length the shortest hop has, if they must fit every edge."""
    origin = query.aligned[0].offset_us
    edges = (us for w in query.aligned for us in (w.size_us, w.every_us, w.offset_us - origin))
    return min(window.every_us for window in query.aligned) // gcd(*edges)


def _assembly(query: Description) -> Assembly:
    merges = all(part.merges for part in query.aggregates)
    states = all(part.states for part in query.aggregates)
    if query.streaming:
        return Assembly.ROLL
    if merges and query.overlap <= EXPANDED_AT_MOST:
        return Assembly.EXPAND
    if states:
        return Assembly.ROLL
    if merges and query.overlap <= EXPANDED_RATHER_THAN_FOLDED:
        return Assembly.EXPAND
    return Assembly.FOLD
