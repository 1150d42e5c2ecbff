"""A planned topology, run on Spark: layers of partitions that fold rows step by step.

    rows ─ dealt out evenly ─▶ layer 1 ─ states ─▶ layer 2 ─ … ─▶ sink ─▶ a result for each period

`run.py` is the entry point, `chain.py` makes the layers: each is a shuffle into as many partitions
as it has nodes.  A node (`relay.py`) folds what reaches it into one state for each period and key
(`buffer.py`) and hands that on; `ordered.py` says which aggregates allow that.  `result.py` is what
users get, `tally.py` counts what nodes take in, and `rates.py` shows it beside what was planned.
The sink is the engine of every other query: it answers, and in a stream it alone keeps anything
between micro-batches, so all widths may change where a stream is started again.
"""
