"""Topologies of given widths, whether they are good or not."""

from collections.abc import Sequence

from windrow.topology import (
    POISSON,
    Arrivals,
    Layer,
    Node,
    Plan,
    Reduction,
    Routing,
    Sources,
)

__all__ = ["topology"]


def topology(
    widths: Sequence[int],
    sources: Sources,
    node: Node,
    period_s: float,
    arrivals: Arrivals = POISSON,
) -> Plan:
    """One kind of node in layers as wide as said; how much each is offered is left to be seen."""
    layers = tuple(
        Layer(width, node, Routing.ITEM, sources.items, 0.0, sources.items) for width in widths
    )
    return Plan((sources,), Reduction(period_s), arrivals, layers)
