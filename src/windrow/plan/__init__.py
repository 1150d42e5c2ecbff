"""From a query to a physical plan: what runs, why, and what it keeps; free of Spark.

`description.py` is the logical query as the planner sees it; `feasible.py` says which strategies
can run it, `choose.py` picks one and answers the four questions of `answers.py` (who slices, who
owns: `ownership.py`, who assembles, where state is), `staging.py` turns the answers into
`stages.py`; `reasons.py` and `exactness.py` put into words why, and what to expect.  `plan.py` is
the result, which `windrow.spark.stages` builds stage by stage.

Where a sample gave `facts.py` about rows, `work.py` counts what each method of spreading windows
would do, and `costs.py` makes seconds of the counts and picks one (`estimate.py`), by
`constants.py`: those of `shipped.py` or, `calibrated.py`, of this machine.  A stream's predictions
are `corrected.py` by its own micro-batches (`micro_batch.py`).  `measured.py` keeps both.
"""

from windrow.plan.answers import Assembly, Sample, Slicing, State, Strategy
from windrow.plan.choose import choose
from windrow.plan.description import Described, Description
from windrow.plan.plan import Plan
from windrow.plan.stages import Stage

__all__ = [
    "Assembly",
    "Described",
    "Description",
    "Plan",
    "Sample",
    "Slicing",
    "Stage",
    "State",
    "Strategy",
    "choose",
]
