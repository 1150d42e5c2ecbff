"""Layer by layer the fewest nodes that lose nothing, for sources and nodes of any kind.

With one class of sources, one kind of node, one key and items alone it is CSA.  Beyond that each
layer has as many nodes as its scarcer limit asks for; the last layer is the first at which a node
can take all of the largest key, and there every key goes to one node.  One key alone is all there
is, so that the last layer is a single sink.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from windrow.errors import InputError
from windrow.topology.arrivals import Arrivals
from windrow.topology.csa import exact
from windrow.topology.feasible import refused_states
from windrow.topology.flow import Flow, Mixing, handed_on, sent
from windrow.topology.margin import SECONDS, Crowd, largest_share
from windrow.topology.model import Emission, Limit, Node, Reduction, Routing, Sources
from windrow.topology.plan import Layer

__all__ = ["Assignment"]

_MOST_LAYERS = 64
_SMALLEST_SHARE = Fraction(1, 10**15)


@dataclass(frozen=True)
class Assignment:
    """All that decides about layers."""

    sources: tuple[Sources, ...]
    nodes: tuple[Node, ...]
    reduction: Reduction
    arrivals: Arrivals
    routing: Routing
    margin: float | None
    loss: float | None

    def layers(self, count: int) -> list[Layer]:
        """All layers, if the chance of a loss is shared by this many nodes."""
        chance = None if self.loss is None else self.loss / (SECONDS * count)
        above: list[Layer] = []
        best: list[Layer] | None = None
        flow = sent(self.sources, self.reduction, self.arrivals)
        while len(above) < _MOST_LAYERS and (best is None or _nodes(above) < _nodes(best)):
            node = self.nodes[min(len(above), len(self.nodes) - 1)]
            if above and (refused := refused_states(self.reduction, node)) is not None:
                if best is None:
                    raise refused
                return best
            crowds = [self._states(flow)] if above else self._items()
            routing = Routing.ITEM if above else self.routing
            share = self._share(flow, crowds, node.limit, chance)
            if share == 1:  # whatever the keys are, they are together here
                routing = routing if self.reduction.keys == 1 else Routing.KEY
                return _smaller(best, [*above, _layer(flow, node, routing, share)])
            keyed = self._keyed_share(flow, node.limit, chance)
            if keyed:  # keys may come together here, or further down where fewer nodes do
                best = _smaller(best, [*above, _layer(flow, node, Routing.KEY, keyed)])
            if share < _SMALLEST_SHARE:
                if best is None:
                    raise InputError(_overrun(self.loss, routing))
                return best
            above.append(_layer(flow, node, routing, share))
            widths = [self._busy(one) for one in above]
            mixing = Mixing.BRIEF if chance is None else Mixing.LONG
            flow = handed_on(flow, widths, self.reduction, self.arrivals.skew_s, mixing)
        if best is not None:
            return best
        raise self._too_deep(flow)

    def _busy(self, layer: Layer) -> int:
        """How many of its nodes get anything, at most."""
        if layer.routing is Routing.SOURCE:
            return min(layer.width, sum(one.count for one in self.sources))
        return layer.width

    def _too_deep(self, flow: Flow) -> InputError:
        """The error for layers that would go on forever, and what would end them."""
        reduction = self.reduction
        if reduction.emission is Emission.ON_CHANGE:
            way_out = "hand states on when a period closes (Emission.AT_CLOSE)"
        elif reduction.spreading_s < reduction.pane_s:
            way_out = f"hand states on over more than spread_s={reduction.spreading_s:g}"
        else:
            way_out = f"give longer periods than period_s={reduction.period_s:g}"
        whole = "a period" if reduction.keys == 1 else f"the largest of keys={reduction.keys}"
        allow = "" if self.loss is None else f" allow for more than loss={self.loss:g},"
        return InputError(
            f"{whole} cannot be gathered in {_MOST_LAYERS} layers, as {float(flow.hottest):g} of "
            f"its items a second still reach the last one; let nodes take more,{allow} or {way_out}"
        )

    def _items(self) -> list[Crowd]:
        """Those of the sources, in a busy second."""
        classes = zip(self.sources, self.arrivals.of_classes(self.sources), strict=True)
        if self.routing is Routing.ITEM:
            return [
                Crowd(
                    one.count,
                    one.rate * busy.items,
                    one.item_bytes,
                    largest_bytes=one.largest_bytes,
                    heavier=busy.bytes / busy.items,
                )
                for one, busy in classes
            ]
        # Fewer that are all as busy as the busiest one, and send as much: no others have a worse
        # tail (convexity again).
        return [
            Crowd(
                one.count * busy.items / busy.items_of_one,
                one.rate * busy.items_of_one,
                one.item_bytes,
                together=True,
                largest_bytes=one.largest_bytes,
                heavier=max(busy.bytes / busy.items, busy.bytes_of_one / busy.items_of_one),
                steady=self.arrivals.ticks(self.sources),
            )
            for one, busy in classes
        ]

    def _states(self, flow: Flow) -> Crowd:
        """Those of a layer, in a busy second."""
        return Crowd(float(flow.items), flow.burst, float(flow.item_bytes))

    def _share(
        self, flow: Flow, crowds: Sequence[Crowd], limit: Limit, chance: float | None
    ) -> Fraction:
        """The share of all items that a node may be offered; next to none if chance has no room."""
        if chance is None:
            used = _used(flow, limit)
            return Fraction(1) if used <= self._usable else self._usable / used
        return Fraction(largest_share(crowds, limit, chance))

    def _keyed_share(self, flow: Flow, limit: Limit, chance: float | None) -> Fraction:
        """The same where each key goes to one node; 0 if a node cannot take all of the largest."""
        keys = self.reduction.keys
        if keys == 1:
            return Fraction(0)
        if chance is None:
            return self._share_beside(flow.hottest / flow.items, _used(flow, limit))
        size, burst, largest = float(flow.item_bytes), flow.burst, flow.largest_bytes
        others = float(flow.items - flow.hottest) / (keys - 1) * burst
        hottest = Crowd(1, float(flow.hottest) * burst, size, True, largest, flow.heavier)
        crowds = [Crowd(keys - 1, others, size, True, largest, flow.heavier)]
        return Fraction(largest_share(crowds, limit, chance, hottest))

    def _share_beside(self, hottest: Fraction, used: Fraction) -> Fraction:
        """Of all other keys, for the node that has the largest besides; 0 if it cannot take it."""
        if used <= self._usable:
            return Fraction(1)
        others = (1 - hottest) * used
        return max(self._usable - hottest * used, Fraction(0)) / others if others else Fraction(0)

    @property
    def _usable(self) -> Fraction:
        return 1 - (Fraction(0) if self.margin is None else exact(self.margin))


def _overrun(loss: float | None, routing: Routing) -> str:
    if loss is None:
        return (
            "the sources fill more nodes than could be counted; give a larger limit, or fewer "
            "sources"
        )
    if routing is Routing.SOURCE:
        return (
            f"loss={loss:g}: no number of nodes loses so little, as one of the sources alone "
            "overruns the node it is hashed to more often; give a larger limit, or let each item "
            "go to any node (Routing.ITEM)"
        )
    return (
        f"loss={loss:g}: no number of nodes that could be counted loses so little; give a larger "
        "limit, fewer sources or a smaller burst"
    )


def _used(flow: Flow, limit: Limit) -> Fraction:
    """How many nodes' limits all of it would fill."""
    offered = {"items": flow.items, "bytes": flow.bytes}
    return max(offered[name] / exact(most) for name, most in limit.given.items())


def _smaller(best: list[Layer] | None, other: list[Layer]) -> list[Layer]:
    return other if best is None or _nodes(other) < _nodes(best) else best


def _nodes(layers: Sequence[Layer]) -> int:
    return sum(layer.width for layer in layers)


def _layer(flow: Flow, node: Node, routing: Routing, share: Fraction) -> Layer:
    return Layer(
        width=ceil(1 / share),
        node=node,
        routing=routing,
        items=float(flow.items),
        bytes=float(flow.bytes),
        usual_items=flow.usual,
        margin=max(0.0, float(1 - share * _used(flow, node.limit))),
    )
