"""A planned topology, run on Spark: layers of partitions that fold rows step by step.

    rows ─ dealt out evenly ─▶ layer 1 ─ states ─▶ layer 2 ─ … ─▶ sink ─▶ a result for each period

A layer is a shuffle into as many partitions as it has nodes (`relay`).  A node folds what reaches
it into one state for each period and key (`buffer`) and hands that on.  The sink is the engine of
every other query: it answers, and in a stream it alone keeps anything between micro-batches, so
all widths may change where a stream is started again.
"""
