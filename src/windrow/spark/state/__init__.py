"""What a stream keeps in Spark's state store, key group by key group.

`key_groups.py` says how many key groups there are, `shards.py` keeps what engines keep,
`waiting.py` rows that wait for the watermark, `pages.py` pages of large windows; `values.py` is how
they are written.  `signature.py` says what state depends on, `about.py` lets others than its query
read it.
"""
