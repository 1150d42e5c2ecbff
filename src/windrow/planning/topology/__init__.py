"""The smallest topology that aggregates without loss: layers of nodes that take only so much each.

    from windrow.planning import topology

    plan = topology.plan(500, rate=0.5, nodes=20)
    plan.widths                                  # (13, 7, 4, 2, 1)
    topology.plan(500, rate=0.5, nodes=20, loss=0.001).widths

`csa` is the published algorithm, `optimum` the best there is, `bounds` what is proved.  `model` has
what a plan is made for, `arrivals` and `trace` how unevenly sources send; `assignment` makes the
layers from `flow` and `margin`, `adaptation` tells how to get from one plan to another.
"""

from windrow.planning.topology.adaptation import Adaptation, Move
from windrow.planning.topology.arrivals import POISSON, Arrivals, common_tick
from windrow.planning.topology.bounds import Bounds, bounds
from windrow.planning.topology.csa import csa
from windrow.planning.topology.files import from_json, read_plan, to_json, write_plan
from windrow.planning.topology.model import Emission, Limit, Node, Reduction, Routing, Sources
from windrow.planning.topology.optimum import optimum
from windrow.planning.topology.plan import Layer, Plan
from windrow.planning.topology.planner import plan
from windrow.planning.topology.presets import GATEWAY, KAFKA_PARTITION, KINESIS_SHARD, PRESETS
from windrow.planning.topology.trace import Trace, measured
from windrow.planning.topology.trace_files import read_trace

__all__ = [
    "GATEWAY",
    "KAFKA_PARTITION",
    "KINESIS_SHARD",
    "POISSON",
    "PRESETS",
    "Adaptation",
    "Arrivals",
    "Bounds",
    "Emission",
    "Layer",
    "Limit",
    "Move",
    "Node",
    "Plan",
    "Reduction",
    "Routing",
    "Sources",
    "Trace",
    "bounds",
    "common_tick",
    "csa",
    "from_json",
    "measured",
    "optimum",
    "plan",
    "read_plan",
    "read_trace",
    "to_json",
    "write_plan",
]
