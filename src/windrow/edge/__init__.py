"""A tree of nodes near the devices: windows computed where rows are, merged on the way.

    rows ─▶ leaf ─ frames ─▶ merger ─ frames ─▶ … ─▶ landing ─ spool ─▶ Spark, or a plain root

What nodes do is free of clocks, disks and networks: these are handed in, so thousands of runs with
losses, crashes and skewed clocks can be simulated in seconds.

query.py       what a job file asks of nodes (expressions.py compiles its conditions and columns)
travels.py     what travels for a query, states, rows or results, and why
payload.py     what leaves, mergers and roots do with what travels
upward.py      a node's frames on their way to its parent, kept until they are safe
inflow.py      the frames of a node's children, merged as far as all have come
clock.py       how far a leaf's event time has come
leaf.py        rows in, frames out
merger.py      frames in, frames out
landing.py     frames in, a spool out
root.py        a spool in, results out
"""
