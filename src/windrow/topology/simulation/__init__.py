"""Try a plan before you pay for it: a discrete-event simulation of its sources and nodes.

Inside this package: `scenario` says how sources send and what becomes of refused tuples, `running`
sends them through the plan, and `report` holds what came out.  The rest is the machinery:
`building` makes a `world`, whose arrays have `columns`; `loop` is what happens in it, with
`streams`, `nodes`, `waiting` and `chance` as its compiled parts.
"""

from windrow.topology.simulation.report import LayerReport, Percentiles, PeriodReport, Simulation
from windrow.topology.simulation.running import simulate
from windrow.topology.simulation.scenario import BackOff, Bursts, Refusal, Sending

__all__ = [
    "BackOff",
    "Bursts",
    "LayerReport",
    "Percentiles",
    "PeriodReport",
    "Refusal",
    "Sending",
    "Simulation",
    "simulate",
]
