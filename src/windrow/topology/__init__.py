"""The smallest tree of nodes that aggregates without loss, if each node takes a limited rate.

    from windrow import topology

    plan = topology.plan(500, rate=0.5, nodes=20)
    plan.widths                                  # (13, 7, 4, 2, 1)
    topology.plan(500, rate=0.5, nodes=20, loss=0.001).widths

Inside this package: `planner` is the entry point (`checks`, `feasible`).  `csa` is the published
algorithm, `optimum` finds the best topology, `bounds` has what is proved.  `model` describes
sources and nodes, `arrivals` and `trace` how unevenly they send; `assignment` computes the layers
with `flow` and `margin`, `adaptation` the way from one plan to another.
"""

from windrow.topology.adaptation import Adaptation, Move
from windrow.topology.arrivals import POISSON, Arrivals, common_tick
from windrow.topology.bounds import Bounds, bounds
from windrow.topology.csa import csa
from windrow.topology.files import from_json, read_plan, to_json, write_plan
from windrow.topology.model import (
    GATEWAY,
    KAFKA_PARTITION,
    KINESIS_SHARD,
    PRESETS,
    Emission,
    Limit,
    Node,
    Reduction,
    Routing,
    Sources,
)
from windrow.topology.optimum import optimum
from windrow.topology.plan import Layer, Plan
from windrow.topology.planner import plan
from windrow.topology.trace import Trace, measured
from windrow.topology.trace_files import read_trace

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
