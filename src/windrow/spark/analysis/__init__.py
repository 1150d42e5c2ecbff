"""A query resolved against its DataFrame.

`resolve.py` is the entry point: `columns.py` finds columns, `types.py` and `times.py` translate
types and times, `watermark.py` and `clock.py` say when rows are late, `event_time.py` which column
of the result carries the watermark on, `operators.py` which operators its rows have gone through.
`builtins.py` knows what Spark computes itself (`decimals.py` and `integers.py` exactly),
`intervals.py` shows exact results as intervals.  What needs no Spark is in `windrow.engines`:
`defining.py`, `names.py`, `any_order.py`, `approximated.py`.
"""
