"""Windows over the rows of many keys, for batches and streams alike.

An engine takes rows in order and the tables it kept, and gives results and the tables to keep:
`engine.py` is the protocol, `definition.py` what one is built from, `engines.py` says which runs.
`defining.py` makes a definition of what users ask for, `any_order.py` restates it for rows in any
order, `approximated.py` for intervals; `names.py` says what its results are called.
`aligned.py` (`edges.py`, `grid.py`), `per_row.py`, `counted.py`, `segments.py`
(`merged_segments.py` merges windows of several nodes) and `bucketed.py` are the engines
(`answers.py` types their results, and `share.py` says which windows are a unit's own).
`batch.py` runs one over all rows, `flow.py` over micro-batches under a watermark
(`forgetting.py`), `splits.py` cuts a hot key by time; where blocks are sent more than rows,
`blocks.py` says what, `block_input.py` sends it, and `block_windows.py` makes windows of it.
Large windows of streams: `paged_per_row.py` over `paged_window.py`, `paged_index.py`,
`page_cache.py`, `run_input.py` and `running.py`.
Approximate windows of many keys: `either_window.py`, `bucket_windows.py`, `compiled_buckets.py`,
`intervals.py`.
"""
