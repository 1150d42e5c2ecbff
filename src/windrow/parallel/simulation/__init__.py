"""Units simulated one by one: what they do is counted, and windows are really aggregated.

`simulator.py` is the entry, `unit.py` one unit.  `lines.py` lets rows travel along lines and rings
of units, `panes.py` slices, `blocks.py` sends blocks of windows to their owners, and `wide.py` cuts
wide trailing windows.  No arithmetic is shared with the formulas of `counts.py`, which they check.
"""

from windrow.parallel.simulation.simulator import Simulated, simulate
from windrow.parallel.simulation.wide import SimulatedTrailing, simulate_trailing

__all__ = ["Simulated", "SimulatedTrailing", "simulate", "simulate_trailing"]
