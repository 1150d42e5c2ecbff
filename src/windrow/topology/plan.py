"""A plan: layers of nodes from the sources down to the sink, and what each of them has to take."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from windrow.arguments import finite
from windrow.topology.arrivals import Arrivals
from windrow.topology.bounds import Bounds, bounds_of
from windrow.topology.checks import require_amount, require_count, require_share
from windrow.topology.model import (
    Emission,
    Node,
    Reduction,
    Routing,
    Sources,
    sized,
    total_items,
)

if TYPE_CHECKING:
    from windrow.topology.adaptation import Adaptation

__all__ = ["Layer", "Plan"]


@dataclass(frozen=True)
class Layer:
    """A layer of `width` equal nodes, and what all of them together are offered per second.

    `items` and `bytes` are bounds on the mean while sources change from one period to the next;
    `usual_items` is the mean over a whole period.

    >>> from windrow import topology
    >>> [round(layer.load, 2) for layer in topology.plan(500, rate=0.5, nodes=20).layers]
    [0.96, 0.89, 0.79, 0.8, 0.87]
    """

    width: int
    node: Node
    routing: Routing
    items: float
    bytes: float
    usual_items: float
    margin: float = 0.0  # the share of the limit that is left free

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", require_count(self.width, "width", 13))
        for name in ("items", "bytes", "usual_items"):
            require_amount(getattr(self, name), name)
        if finite(self.margin) != 1:  # all of it is left free where states have no size
            require_share(self.margin, "margin", 0.1)

    @property
    def load(self) -> float:
        """The largest share of its limit that a node is offered, on average."""
        offered = {"items": self.items, "bytes": self.bytes}
        limits = self.node.limit.given.items()
        return max(offered[name] / (self.width * most) for name, most in limits)

    @property
    def cost(self) -> float | None:
        """The cost of the layer per hour, if the price is known."""
        return None if self.node.price is None else self.width * self.node.price


@dataclass(frozen=True)
class Plan:
    """A topology, and what it was planned for.

    >>> from windrow import topology
    >>> plan = topology.plan(500, rate=0.5, nodes=20, loss=0.001)
    >>> plan.widths, plan.nodes
    ((60, 1), 61)
    """

    sources: tuple[Sources, ...]
    reduction: Reduction
    arrivals: Arrivals
    layers: tuple[Layer, ...]
    margin: float | None = None  # the share of each limit that was to be left free, if given
    loss: float | None = None  # the chance that anything is lost in an hour, if given
    kinds: tuple[Node, ...] = ()  # for further layers too; empty: as the layers have them
    routing: Routing = Routing.ITEM  # of sources, where they are not routed by their keys

    @property
    def state_bytes(self) -> float:
        """The size of one state; that of an average item, unless the reduction gives it."""
        return sized(self.reduction, self.sources).state_bytes or 0.0

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of nodes in each layer, from the first down to the sink."""
        return tuple(layer.width for layer in self.layers)

    @property
    def nodes(self) -> int:
        """The number of nodes in all layers."""
        return sum(self.widths)

    @property
    def rate(self) -> float:
        """Items per second of all sources."""
        return total_items(self.sources)

    @property
    def cost(self) -> float | None:
        """The cost of all layers per hour; None if a price is missing."""
        costs = [layer.cost for layer in self.layers]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    @property
    def latencies_s(self) -> tuple[float, ...]:
        """How many seconds each layer adds to the time from the end of a period to its result.

        Nodes with a clock wait for late items in the first layer, and in every layer they spread
        what they send on.  A node without a clock sends a period on when it sees another: in the
        first layer with the next item, below it with the first state of the next period.
        """
        first, *others = self.layers
        if self.reduction.emission is Emission.AT_CLOSE:
            spreading_s = self.reduction.spreading_s
            waits = [self.arrivals.grace_s + spreading_s, *(spreading_s for _ in others)]
        else:
            waits = [first.width / self.rate, *(self.reduction.pane_s for _ in others)]
        return tuple(
            layer.node.delay_s + wait for layer, wait in zip(self.layers, waits, strict=True)
        )

    @property
    def latency_s(self) -> float:
        """About how many seconds pass from the end of a period to its result."""
        return sum(self.latencies_s)

    @cached_property
    def bounds(self) -> Bounds | None:
        """The proved bounds, if the published problem is the one that was planned for."""
        return bounds_of(self)

    def run(self, df: Any, *aggregate: Any, **options: Any) -> Any:
        """Aggregate a Spark DataFrame over these layers.

            plan.run(readings, agg.mean("temp"), period="1 minute")

        `time`, `by`, `lateness` and `emit` are as in `wr.over`; `period` is the plan's by default.
        """
        try:  # Spark stands above planning and is an extra: it is asked for by name
            layered = import_module("windrow.spark.topology.run")
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"Plan.run needs the package {error.name!r}; pip install 'windrow[spark]'",
                name=error.name,
            ) from error
        return layered.run(self, df, *aggregate, **options)

    def adapt(self, new_sources: "int | Sources | Sequence[Sources]") -> "Adaptation":
        """Plan for other sources, with as few nodes to start and stop as possible."""
        # It makes plans itself, so it stands above this module.
        made: Adaptation = import_module("windrow.topology.adaptation").adapted(self, new_sources)
        return made
