"""A tree of nodes near the devices: windows computed where rows are, merged on the way.

    rows ─▶ leaf ─ frames ─▶ merger ─ frames ─▶ … ─▶ landing ─ spool ─▶ Spark, or a plain root

What nodes do is free of clocks, disks and networks: these are handed in, so thousands of runs with
losses, crashes and skewed clocks can be simulated in seconds.

query/         what a job file asks of nodes
travels.py     what travels for a query, states, rows, windows or results, and why
payload/       what leaves, mergers and roots do with what travels
upward.py      a node's frames on their way to its parent, kept until they are safe
inflow.py      the frames of a node's children, merged as far as all have come
gaps.py        which members are missing from results, and since when
clock.py       how far a leaf's event time has come
leaf.py        rows in, frames out; leaf_state.py is what its log (journal.py) makes of it
merger.py      frames in, frames out; children.py is what it shares with a landing
landing.py     frames in, a spool out
root.py        a spool in, results out

Around the cores are processes, which `windrow node` runs:

tree_file.py   all nodes of a tree, in one file
keys.py        who may speak to whom
carrier.py     messages by ZeroMQ
sources/       rows by HTTP and MQTT, from files and standard input
processes/     the loop of a node, results as files, a leaf inside a program

`open_leaf` is for programs that have rows of their own; the class `Leaf` in `leaf.py`, which needs
a clock, a disk and a network from its user, is the core below it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windrow.edge.processes.embedded import OpenLeaf, open_leaf

__all__ = ["OpenLeaf", "open_leaf"]


def __getattr__(name: str) -> Any:
    """The cores need no ZeroMQ, so nothing that does is imported before it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from windrow.edge.processes import embedded

    return getattr(embedded, name)
