"""What is proved of CSA: how many layers and nodes it may need, and how far it is from the best.

Two steps of the published proofs do not hold.  Layer 1 is bounded by 6/7 of the load, which it may
exceed; and a factor of 7/5 is lost on the way to the approximation ratio, which the published
example itself (27 nodes, where it allows 24) contradicts.  `layers`, `nodes` and `ratio_nodes` are
the published values; those called safe hold for every load, as layer 1 stands in them as it is.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from math import ceil, log
from typing import TYPE_CHECKING

from windrow.topology.csa import exact, load_of
from windrow.topology.model import Emission, Routing
from windrow.topology.optimum import optimum

if TYPE_CHECKING:
    from windrow.topology.plan import Plan

__all__ = ["Bounds", "bounds", "bounds_of"]

_SHRINKING = Fraction(7, 12)  # each layer below the second has at most so much of the one above
_ETA = Fraction(49, 72)
_SAFE_RATIO = 11 / 5  # the load, and 6/5 of it in all layers below the first


@dataclass(frozen=True)
class Bounds:
    """Bounds on layers and nodes: the published ones, safe ones that always hold, and the optimum.

    >>> bounds(500, rate=0.5, limit=20).optimum
    (13, 7, 4, 2, 1)
    """

    layers: int
    nodes: int
    ratio_nodes: float  # no more nodes than this, by the approximation ratio
    safe_layers: int
    safe_nodes: int
    safe_ratio_nodes: float
    fewest_nodes: int  # nothing smaller takes the load at all, in one layer
    optimum: tuple[int, ...]


def bounds(sources: int, rate: float, limit: float) -> Bounds:
    """The bounds for sources that send `rate` each into nodes that take `limit`.

    >>> found = bounds(500, 0.5, 20)
    >>> found.layers, found.nodes, found.fewest_nodes
    (6, 28, 13)
    """
    load = load_of(sources, rate, limit)
    layers = _layers(load)
    safe = max(layers, 2 if load > 1 else 1)
    return Bounds(
        layers=layers,
        nodes=sum(_widest(load, layer) for layer in range(1, layers + 1)),
        ratio_nodes=float(ceil(load) / _ETA) - log(load) / log(_SHRINKING) + 1,
        safe_layers=safe,
        safe_nodes=ceil(load) + sum(_widest(load, layer) for layer in range(2, safe + 1)),
        safe_ratio_nodes=_SAFE_RATIO * float(load) + safe,
        fewest_nodes=ceil(load),
        optimum=optimum(sources, rate, limit),
    )


def bounds_of(plan: "Plan") -> Bounds | None:
    """Those of a plan as published: one class of sources, one kind of node, one key, items only."""
    first = plan.layers[0]
    limit = first.node.limit
    as_published = (
        len(plan.sources) == 1
        and plan.loss is None
        and all(layer.node.limit == limit for layer in plan.layers)
        and limit.bytes is None
        and first.routing is Routing.ITEM
        and plan.reduction.keys == 1
        and plan.reduction.emission is Emission.ON_CHANGE
    )
    if not as_published or limit.items is None:
        return None
    [one] = plan.sources
    return bounds(one.count, one.rate, float(exact(limit.items) * (1 - exact(plan.margin or 0))))


def _layers(load: Fraction) -> int:
    return next(layer for layer in count(1) if _widest(load, layer) == 1)


def _widest(load: Fraction, layer: int) -> int:
    return max(1, ceil(load / _ETA * _SHRINKING**layer))
