"""Why a strategy was taken."""

from windrow.planning.description import Description
from windrow.planning.feasible import BY_TIME, LATE_ALONE
from windrow.planning.strategy import Assembly, Strategy
from windrow.windows import Emit, Order, TrailingRows, TrailingTime

__all__ = ["reason_for"]


def reason_for(
    query: Description, strategy: Strategy, assembly: Assembly | None
) -> tuple[str, ...]:
    """The reasons in the order of their weight."""
    forced = (f"you asked for it: strategy={query.forced.value!r}",) if query.forced else ()
    match strategy:
        case Strategy.NATIVE:
            return (*forced, *_native(query))
        case Strategy.PANES:
            return (*forced, *_panes(query, assembly))
        case Strategy.KERNEL | Strategy.STATEFUL:
            return (*forced, *_kernel(query))


def _native(query: Description) -> tuple[str, ...]:
    if query.session:
        return ("Spark has sessions of its own, and all aggregates are built into it",)
    if query.overlap == 1:
        return ("each row is in one window at most, and all aggregates are built into Spark",)
    if query.streaming and query.emit is Emit.ON_CHANGE and not query.forced:
        return (f"each row changes {query.overlap} windows, few enough to let Spark update them",)
    return (f"each row is copied into up to {query.overlap} windows",)


def _panes(query: Description, assembly: Assembly | None) -> tuple[str, ...]:
    if query.overlap > 1:
        first = f"each row is in up to {query.overlap} windows: it is aggregated once, into a slice"
    else:
        first = "each row is aggregated once, into a slice"
    match assembly:
        case Assembly.EXPAND:
            second = "each slice is in few windows, so Spark copies slices, not rows, into them"
        case Assembly.MERGE:
            foreign = ", ".join(part.text for part in query.aggregates if not part.states)
            second = f"kernels keep other states of {foreign} than Spark: slices go over as values"
        case Assembly.ROLL:
            second = "a compiled pass over the slices gives all windows, however many overlap"
        case _ if query.streaming:
            second = (
                "Spark drops a late row with its slice though windows with that slice are open: "
                "Python folds rows before the shuffle"
            )
        case _:
            foreign = ", ".join(part.text for part in query.aggregates if not part.states)
            second = (
                f"Spark cannot hand over slices of {foreign}: Python folds rows before the shuffle"
            )
    return (first, second)


def _kernel(query: Description) -> tuple[str, ...]:
    if query.in_buckets:
        return ("Spark has no windows of buckets",)
    if isinstance(query.window, TrailingTime | TrailingRows) and not query.streaming:
        return ("Spark computes frames like this row by row; a compiled pass gives all results",)
    if not query.aligned and not query.session:
        return (f"Spark has no windows like {query.window!r}",)
    reasons = []
    ordered = [part.text for part in query.aggregates if not part.commutative]
    foreign = [part.text for part in query.aggregates if not part.builtin]
    if ordered:
        reasons.append(f"{', '.join(ordered)} must see rows in {_order(query)}")
    elif foreign:
        reasons.append(f"Spark has no aggregate like {', '.join(foreign)}")
    if query.streaming and query.emit is Emit.ON_CHANGE:
        reasons.append("results are told as rows arrive, which Spark's own way does not do here")
    if query.session and query.order is Order.ARRIVAL:
        reasons.append(BY_TIME)
    elif query.streaming and query.session:
        reasons.append(LATE_ALONE)
    if query.streaming and query.gaps:
        reasons.append("Spark's windows of a stream cannot leave gaps")
    return tuple(reasons) or ("it runs every kind of window",)


def _order(query: Description) -> str:
    return "the order of time" if query.order is Order.TIME else "the order of arrival"
