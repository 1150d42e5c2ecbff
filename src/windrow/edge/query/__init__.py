"""What a job file asks of nodes: the columns of a row, what is computed of them, and the names.

node_query.py    a job as nodes run it
checks.py        what nodes refuse, and what they can do instead
schema.py        the columns that a row of the user's has
asking.py        the columns that a query reads
expressions/     conditions and derived columns, compiled over Arrow
resolving.py     the definition that engines are built from
rows.py          rows of the user's made into those that engines take
answers.py       results as the user knows them
fingerprint.py   what two equal queries have in common
"""

from windrow.edge.query.node_query import NodeQuery, read_node_query

__all__ = ["NodeQuery", "read_node_query"]
