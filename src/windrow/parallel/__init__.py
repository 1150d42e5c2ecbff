"""Windows of one key on many tasks, without a coordinator: who owns which window.

`methods.py` names the ways to spread windows over units, `owners.py` is the arithmetic of who owns
a window and who must see a row.  `workload.py`, `counts.py` and `trailing.py` are what each way
costs, by formula; `simulation/` counts the same, and aggregates.
"""

from windrow.parallel.methods import Method

__all__ = ["Method"]
