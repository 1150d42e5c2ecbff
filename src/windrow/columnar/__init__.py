"""Columns in, columns out: what `roll`, the engines and Spark share.

In: `columns.py`, `lists.py` and `times.py` read what users give, `accepted.py` refuses what an
aggregate makes no sense of, `task.py` is one aggregate and the columns it reads, `grouping.py` and
`keyed.py` bring the rows of a key together, `order.py` puts them in order.  `loops.py` runs kernels
over them, `spans.py` slides windows of any values. States: `states.py` folds, merges and lowers the
states of an aggregate as columns, by `number_states.py`, `quantile_states.py`, `set_states.py` or
`object_states.py` (`inputs.py`, `arrays.py`). Out: `answers.py`, `results.py`, `result_types.py`,
`ddl.py`, `digits.py`. Bytes: `packs.py` makes one value of a table, `narrowed.py` a smaller one,
`chunks.py` cuts it up, `compression.py` compresses it and makes text of it.
"""
