"""`plan(...)`: what is asked for, checked, and the smallest topology for it."""

from collections.abc import Sequence

from windrow.arguments import finite, shown
from windrow.errors import InputError
from windrow.topology.arrivals import POISSON, Arrivals
from windrow.topology.assignment import Assignment
from windrow.topology.checks import (
    require_count,
    require_kind,
    require_positive,
    require_share,
)
from windrow.topology.feasible import require_feasible
from windrow.topology.model import (
    Emission,
    Limit,
    Node,
    Reduction,
    Routing,
    Sources,
    sized,
)
from windrow.topology.plan import Plan

__all__ = ["classes_of", "plan", "replanned"]


def plan(
    sources: int | Sources | Sequence[Sources],
    *,
    rate: float | None = None,
    item_bytes: float = 0.0,
    nodes: float | Limit | Node | Sequence[Node],
    reduction: Reduction | None = None,
    arrivals: Arrivals = POISSON,
    routing: Routing = Routing.ITEM,
    margin: float | None = None,
    loss: float | None = None,
) -> Plan:
    """Plan the smallest topology that takes the load: on average, or with `loss` in every second.

    `sources` is the number of sources, with the `rate` and `item_bytes` of each, or the classes of
    sources.  `nodes` says what a node takes: items per second, a `Limit`, a `Node`, or a `Node` for
    each layer (the last one serves all further layers).

    `margin` leaves a share of every limit free.  `loss` chooses the margin such that the chance of
    losing anything in an hour is at most that, if sources send as `arrivals` says.  With neither,
    limits are used up completely, as in the published algorithm: that is enough on average, but
    some seconds bring more, and `simulate` shows what they lose.

    Without a `reduction`, nodes are the published ones, which send a period on when they see an
    item of another.  With `loss` they send it on by the clock (`Emission.AT_CLOSE`) instead: nodes
    without a clock combine hardly anything if each of them gets only a few items per second.

    >>> plan(500, rate=0.5, nodes=20).widths
    (13, 7, 4, 2, 1)
    """
    classes = _classes(sources, rate, item_bytes)
    routing = require_kind(Routing, routing, "routing")
    if reduction is None:
        reduction = Reduction(emission=Emission.ON_CHANGE if loss is None else Emission.AT_CLOSE)
    wanted = require_kind(Reduction, reduction, "reduction")
    asked = Assignment(
        classes,
        _kinds(nodes),
        sized(wanted, classes),
        require_kind(Arrivals, arrivals, "arrivals"),
        _first(routing),
        None if margin is None else require_share(margin, "margin", 0.1),
        _chance(loss, margin),
    )
    require_feasible(asked.sources, asked.nodes, asked.reduction, asked.loss, arrivals.skew_s)
    layers = asked.layers(count := 1)
    # The chance is shared by all nodes, of which there are more the smaller it is for each.
    while loss is not None and (total := sum(layer.width for layer in layers)) > count:
        count = total
        layers = asked.layers(count)
    return Plan(
        classes,
        wanted,
        arrivals,
        tuple(layers),
        margin,
        loss,
        kinds=asked.nodes,
        routing=routing,
    )


def replanned(old: Plan, sources: tuple[Sources, ...]) -> Plan:
    """The plan for other sources, with all else as it was."""
    return plan(
        sources,
        nodes=old.kinds or tuple(layer.node for layer in old.layers),
        reduction=old.reduction,
        arrivals=old.arrivals.for_others(old.sources, sources),
        routing=old.routing,
        margin=old.margin,
        loss=old.loss,
    )


def _classes(
    sources: int | Sources | Sequence[Sources], rate: float | None, item_bytes: float
) -> tuple[Sources, ...]:
    if (classes := classes_of(sources, "sources")) is not None:
        if rate is not None or finite(item_bytes) != 0:
            also = f"item_bytes={shown(item_bytes)}" if rate is None else f"rate={shown(rate)}"
            raise InputError(f"{also}: classes of sources tell their own; leave it out")
        return classes
    count = require_count(sources, "sources", 500)
    if rate is None:
        raise InputError(
            f"sources={sources} says how many they are, not how much they send; give the rate of "
            "each, e.g. rate=0.5 items a second"
        )
    return (Sources(count, require_positive(rate, "rate", 0.5), item_bytes),)


def classes_of(sources: object, argument: str) -> tuple[Sources, ...] | None:
    """One class, or all of them; None of what is neither, as a number of sources."""
    if isinstance(sources, Sources):
        return (sources,)
    if isinstance(sources, str) or not isinstance(sources, Sequence):
        return None
    if not sources:
        raise InputError(f"{argument} is empty; give at least one class, e.g. Sources(500, 0.5)")
    return tuple(require_kind(Sources, one, argument) for one in sources)


def _kinds(nodes: float | Limit | Node | Sequence[Node]) -> tuple[Node, ...]:
    if isinstance(nodes, Node):
        return (nodes,)
    if isinstance(nodes, Limit):
        return (Node(nodes),)
    if isinstance(nodes, Sequence) and not isinstance(nodes, str):
        if not nodes:
            raise InputError("nodes is empty; give at least one kind, e.g. Node(Limit(items=20))")
        return tuple(require_kind(Node, one, "nodes") for one in nodes)
    return (Node(Limit(items=require_positive(nodes, "nodes", 20))),)


def _first(routing: Routing) -> Routing:
    if routing is Routing.KEY:
        raise InputError(
            "routing=Routing.KEY is chosen by the plan, for the last layer of several keys; give "
            "Routing.ITEM or Routing.SOURCE, and the keys in the reduction"
        )
    return routing


def _chance(loss: float | None, margin: float | None) -> float | None:
    if loss is None:
        return None
    if margin is not None:
        raise InputError(
            f"margin={margin} and loss={loss}: the chance of a loss says which margin is needed; "
            "give one of them"
        )
    return require_share(require_positive(loss, "loss", 0.001), "loss", 0.001)
