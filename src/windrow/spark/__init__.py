"""Queries on Spark, batch and streaming.

`over.py` begins a query, `query.py` builds it up (`options.py`), `run.py` takes it from there:
`analysis/` resolves it against its DataFrame, `describe.py` describes it to the planner
(`windrow.plan`), `stages.py` builds the stages of the plan from `batch/`, `stream/`, `state/` and
`transport/`, `ordering.py` sorts results, and `result.py` is what users get (`output_mode.py`
guards how it is written, `progress.py` what its micro-batches take).  `configure.py` sets a session
up, `inspection.py` reads the state of a stream, `topology/` runs a planned topology, and
`reduction.py` tells the planner of topologies what a query makes of a period.
"""
