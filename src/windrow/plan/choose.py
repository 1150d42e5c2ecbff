"""The choice: which strategy runs a query, and what that answers."""

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.parallel.methods import Method
from windrow.plan.answers import Assembly, Slicing, State, Strategy
from windrow.plan.constants import Constants
from windrow.plan.costs import compared
from windrow.plan.description import Description
from windrow.plan.exactness import exactness
from windrow.plan.feasible import feasible, obstacle
from windrow.plan.ownership import SPREAD, method_of, owners_of, worth_splitting
from windrow.plan.plan import Plan
from windrow.plan.reasons import cheaper, kept, reasons, title
from windrow.plan.shipped import SHIPPED
from windrow.plan.staging import sorting, stages
from windrow.windows import Emit, Order

__all__ = ["choose"]

# In how many windows a slice may be before rolling over slices in Python costs less than Spark's
# copying every slice into its windows.
EXPANDED_AT_MOST = 8
# The same where Python would have to merge slices object by object.
EXPANDED_RATHER_THAN_MERGED = 64


def choose(query: Description, constants: Constants = SHIPPED) -> Plan:
    """The plan for a query; a forced strategy is refused where it cannot run it.

    Where facts about its rows are known, methods are compared by what they are predicted to cost.
    """
    if not isinstance(query, Description):
        raise InputError(
            f"query={shown(query)} is a {type(query).__name__}, not a Description; make one, or "
            "ask windrow.over(...).window(...).plan(...)"
        )
    _require_order(query)
    usual = method_of(query)
    comparison = compared(query, constants)
    method = usual if comparison is None else comparison.chosen
    strategy = _best(query, method) if query.forced is None else _forced(query, query.forced)
    slicing = _slicing(query, strategy, method)
    assembly = _assembly(query, strategy, slicing)
    state = _state(query, slicing, assembly)
    return Plan(
        query=title(query),
        strategy=strategy,
        slicing=slicing,
        ownership=method,
        assembly=assembly,
        state=state,
        stages=(
            *stages(query, slicing, assembly, method, owners_of(query, method)),
            *sorting(query),
        ),
        reasons=reasons(query, slicing, assembly, method),
        compared=comparison,
        uncompared=_uncompared(query, assembly),
        kept=kept(query, state),
        cheaper=cheaper(query, slicing, assembly),
        exactness=exactness(query),
        sampled=_unsampled(query, assembly),
    )


def _uncompared(query: Description, assembly: Assembly) -> str | None:
    """Why methods are not compared, where there were several for an engine to choose from."""
    if query.facts is not None or assembly is not Assembly.ENGINE:
        return None
    if query.parallel is not Method.AUTO or not query.cuttable:
        return None  # there is no choice
    if query.streaming:
        return "nothing was measured: rows of a stream are not known before they come"
    if query.sampled and worth_splitting(query):
        return "nothing was measured yet: rows are sampled once aggregate(...) builds the query"
    if query.unsampled and worth_splitting(query):
        return "nothing was measured, as no row was looked at"
    return "nothing was measured: where windows are assembled makes little difference here"


def _unsampled(query: Description, assembly: Assembly) -> tuple[str, ...]:
    """Why no row is sampled, if keys could have been split."""
    wanted = assembly is Assembly.ENGINE and worth_splitting(query)
    return (query.unsampled,) if wanted and query.unsampled else ()


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


def _best(query: Description, method: Method) -> Strategy:
    possible = feasible(query)
    # Only an engine can have any windows anywhere.
    if query.parallel is not Method.AUTO or method in SPREAD:
        return Strategy.STATEFUL if query.streaming else Strategy.KERNEL
    for strategy in _preferences(query):
        if strategy in possible:
            return strategy
    return Strategy.STATEFUL if query.streaming else Strategy.KERNEL


def _preferences(query: Description) -> list[Strategy]:
    """What to try first; the strategy that can run everything comes after all of these."""
    if len(query.windows) == 1 and query.overlap == 1:
        return [Strategy.NATIVE, Strategy.PANES]
    if not query.aligned:
        return []
    few = query.overlap <= EXPANDED_AT_MOST
    if query.streaming and query.emit is Emit.ON_CHANGE and few:
        return [Strategy.NATIVE, Strategy.PANES]
    return [Strategy.PANES]


def _slicing(query: Description, strategy: Strategy, method: Method) -> Slicing:
    if query.folded:
        return Slicing.TREE
    if strategy is Strategy.NATIVE or not query.folds:
        return Slicing.NOBODY
    if method in SPREAD and method is not Method.PANES and not query.streaming:
        return Slicing.NOBODY  # these methods send rows; the engine of a stream takes slices
    if method is Method.TIME and query.session:
        return Slicing.NOBODY  # partial sessions have no place in time to be cut at
    # Slices of a stream that Spark made would lose rows: it drops a row once the watermark has
    # passed its slice, though windows that hold the slice may be open.
    if strategy is not Strategy.PANES or query.streaming:
        return Slicing.WORKERS
    merges = all(part.merges for part in query.aggregates)
    states = all(part.states for part in query.aggregates)
    return Slicing.SPARK if merges or states else Slicing.WORKERS


def _assembly(query: Description, strategy: Strategy, slicing: Slicing) -> Assembly:
    if strategy is Strategy.NATIVE:
        return Assembly.SPARK
    if slicing is not Slicing.SPARK or not all(part.merges for part in query.aggregates):
        return Assembly.ENGINE
    states = all(part.states for part in query.aggregates)
    most = EXPANDED_AT_MOST if states else EXPANDED_RATHER_THAN_MERGED
    return Assembly.SPARK if query.overlap <= most else Assembly.ENGINE


def _state(query: Description, slicing: Slicing, assembly: Assembly) -> State:
    if not query.streaming:
        return State.NONE
    if assembly is Assembly.SPARK or query.session:
        return State.WINDOWS
    if slicing in (Slicing.WORKERS, Slicing.TREE):
        return State.SLICES
    if query.in_buckets:
        return State.BUCKETS
    engine = query.window.engine  # of a kind that is not ours
    paged = query.window.per_row if engine is None else engine.pages
    return State.PAGES if paged else State.ROWS
