"""The stages of a batch.

`native.py` is Spark's own aggregation, `slices.py` Spark's slices and what becomes of them,
`engine.py` an engine over packs, `hot_keys.py` finds keys to split by time in a sample
(`sampling.py`, or in one that `reuse.py` has kept), `cutting.py` where to cut them, and `facts.py`
what else the sample says; `row_blocks.py` runs trailing and count windows that are cut into blocks,
`blocks.py` sessions, and `spread.py` deals windows out to units.
"""
