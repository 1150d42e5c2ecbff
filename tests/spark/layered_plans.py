"""Plans of given widths, and queries that run by them."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame

from tests.spark.support import AGGREGATES, Asked
from windrow.algebra.monoid import Kind
from windrow.topology.arrivals import POISSON
from windrow.topology.model import Limit, Node, Reduction, Routing, Sources
from windrow.topology.plan import Layer, Plan
from windrow.windows import Tumbling

RATE = 100.0

# Those that layers can run, whichever order rows come in.
UNORDERED = [
    name
    for name, part in AGGREGATES.items()
    if part.monoid.commutative or part.monoid.kind is Kind.HOLISTIC
]


def plan_of(*widths: int, period_s: float = 60.0, routing: Routing = Routing.ITEM) -> Plan:
    """A plan of these widths, for sources that send a hundred items a second in all."""
    node = Node(Limit(items=1_000))
    before = [RATE, *(width / period_s for width in widths[:-1])]
    layers = tuple(
        Layer(width, node, routing, items=2 * items, bytes=0.0, usual_items=items)
        for width, items in zip(widths, before, strict=True)
    )
    return Plan((Sources(100, RATE / 100),), Reduction(period_s=period_s), POISSON, layers)


def layered(frame: DataFrame, asked: Asked, widths: Sequence[int], **options: Any) -> Any:
    """The query over a frame, by a plan of these widths."""
    assert isinstance(asked.window, Tumbling)
    size = f"{asked.window.size_us} us"
    given = {"time": "t", "by": asked.by, "emit": asked.emit, **options, **asked.aggregates}
    return plan_of(*widths).run(frame, period=size, **given)
