"""Nodes near the devices, without Spark.

`query.py` reads the job that a node works on: `asking.py` finds its columns, `resolving.py` makes a
definition of it, `checks.py` refuses what nodes cannot run, `fingerprint.py` says which nodes work
on the same, `rows.py` gives the user's rows our columns, `answers.py` gives results the user's, and
`expressions/` computes `where` and `columns`.
"""
