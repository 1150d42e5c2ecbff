"""The stages of a batch.

`native.py` is Spark's own aggregation, `slices.py` Spark's slices and what becomes of them,
`engine.py` an engine over packs, `hot_keys.py` finds keys to split by time in a sample
(`sampling.py`), which also gives `facts.py` to compare methods by.
"""
