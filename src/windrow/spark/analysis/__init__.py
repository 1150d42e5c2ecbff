"""A query resolved against its DataFrame.

`resolve.py` is the entry point: `columns.py` finds columns, `names.py` names those of the result,
`types.py` and `times.py` translate types and times, `accepted.py` refuses columns that an aggregate
does not take, `watermark.py` and `clock.py` say when rows are late, `event_time.py` which column of
the result carries the watermark on, `operators.py` which operators its rows have gone through.
`any_order.py` restates aggregates so that rows may come in any order.  `builtins.py` knows what
Spark computes itself (`decimals.py` and `integers.py` exactly), `intervals.py` which results are
intervals.
"""
