"""What a stream keeps in Spark's state store, key group by key group.

`key_groups.py` says how many key groups there are, `shards.py` stores what engines keep,
`waiting.py` rows that wait for the watermark, `pages.py` pages of large windows; `values.py` is how
they are written.  `signature.py`
describes the query that state belongs to, `about.py` describes state to other tools.
"""
