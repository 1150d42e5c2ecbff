"""`windrow tree`: from a plan to a tree of running nodes, and what it takes to look after one.

command.py   the group
make.py      a plan in, tree.yaml out (layout.py: which node is whose parent, and where)
keys.py      keys for all nodes
up.py        all nodes as processes, live (supervisor.py starts, restarts and stops them)
status.py    how all nodes fare (figures.py asks them, text.py says it)
adapt.py     a running tree becomes another one (changes.py: what has to be done)
ask.py       a query comes or goes
"""

from windrow.cli.tree.command import tree

__all__ = ["tree"]
