"""How rows reach Python workers and come back.

`packing.py` packs rows by key group, `hashed.py` hashes keys as Spark does, `transit.py` shuffles
packs in chunks, `spreading.py` copies rows to the units that must see them, `frames.py` hands
results of a stream back, `shipped.py` sends objects to workers once, `workers.py` runs work in
them, after `worker_side.py` has checked that they can, and `garbage.py` says what they need not
look through afterwards.
"""
