"""Measured rates beside planned ones, node by node and layer by layer."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windrow.spark.topology.tally import Counts, Tally
from windrow.topology.plan import Layer, Plan
from windrow.windows import describe

__all__ = ["LayerRates", "NodeRates", "Rates", "rates_of"]

_SECOND_US = 1_000_000
_COLUMNS = ("layer", "nodes", "items in", "bytes in", "items out")
_RATES = ("mean/s", "most/s", "usual/s", "bound/s")


@dataclass(frozen=True)
class NodeRates:
    """What one node took in and handed on; `items_per_s` in seconds of event time."""

    layer: int  # the first is 1
    node: int
    items_in: int
    bytes_in: int
    items_out: int
    items_per_s: float | None  # None: all rows were of one moment, or there were none


@dataclass(frozen=True)
class LayerRates:
    """The nodes of a layer, and what the plan says that each of them gets in a second."""

    nodes: tuple[NodeRates, ...]
    usual_per_s: float  # what to expect over a whole period
    bound_per_s: float  # the most on average, while sources change the period

    @property
    def items_in(self) -> int:
        """Tuples that all nodes took in."""
        return sum(node.items_in for node in self.nodes)

    @property
    def bytes_in(self) -> int:
        """Bytes of these, packed."""
        return sum(node.bytes_in for node in self.nodes)

    @property
    def items_out(self) -> int:
        """Tuples that all nodes handed on; none of a batch's sink, which answers."""
        return sum(node.items_out for node in self.nodes)

    @property
    def mean_per_s(self) -> float | None:
        """Tuples that a node took in in a second, on average."""
        known = self._known
        return sum(known) / len(known) if known else None

    @property
    def most_per_s(self) -> float | None:
        """The same of the node that took in most."""
        return max(self._known, default=None)

    @property
    def _known(self) -> list[float]:
        return [node.items_per_s for node in self.nodes if node.items_per_s is not None]


@dataclass(frozen=True)
class Rates:
    """What a run has measured so far, all its micro-batches together.

    Rates are per second of event time: for rows from the first one's time to the last one's, for
    states over whole periods, as there is one of each.
    """

    layers: tuple[LayerRates, ...]
    seconds: float  # from the first row's time to the last one's
    periods: int
    period_us: int

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each node, for a table or a plot."""
        return [
            {
                **vars(node),
                "usual_per_s": layer.usual_per_s,
                "bound_per_s": layer.bound_per_s,
            }
            for layer in self.layers
            for node in layer.nodes
        ]

    def __str__(self) -> str:
        rows = f"{self.layers[0].items_in:,} rows"
        span = f"{self.seconds:,.6g} s of event time"
        head = f"{rows} over {span}, {self.periods:,} periods of {describe(self.period_us)}"
        lines = [(*_COLUMNS, *_RATES), *self._lines]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = (
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        )
        return "\n".join([head, *table])

    @cached_property
    def _lines(self) -> list[tuple[str, ...]]:
        lines = []
        for number, layer in enumerate(self.layers, 1):
            counts = (number, len(layer.nodes), layer.items_in, layer.bytes_in, layer.items_out)
            rates = (layer.mean_per_s, layer.most_per_s, layer.usual_per_s, layer.bound_per_s)
            lines.append(
                (
                    *(f"{count:,}" for count in counts),
                    *("-" if rate is None else f"{rate:,.4g}" for rate in rates),
                )
            )
        return lines


def rates_of(plan: Plan, tally: Tally, period_us: int) -> Rates:
    """What was counted, as rates, beside what was planned."""
    first, last = tally.first_us, tally.last_us
    if first is None or last is None:
        seconds, periods = 0.0, 0
    else:
        seconds = (last - first) / _SECOND_US
        periods = last // period_us - first // period_us + 1
    spans = [seconds, *[periods * period_us / _SECOND_US] * (len(plan.layers) - 1)]
    # States come as often as periods end, which here they may do more often than was planned.
    oftener = plan.reduction.pane_s * _SECOND_US / period_us
    paces = [1.0, *[oftener] * (len(plan.layers) - 1)]
    layers = tuple(
        _layer(number, layer, tally, span, layer.usual_items * pace)
        for number, (layer, span, pace) in enumerate(zip(plan.layers, spans, paces, strict=True), 1)
    )
    return Rates(layers, seconds, periods, period_us)


def _layer(
    number: int, layer: Layer, tally: Tally, seconds: float, usual_items: float
) -> LayerRates:
    nodes = []
    for node in range(layer.width):
        counts = tally.nodes.get((number, node), Counts())
        rate = counts.items_in / seconds if seconds else None
        nodes.append(NodeRates(number, node, *counts, rate))
    return LayerRates(tuple(nodes), usual_items / layer.width, layer.items / layer.width)
