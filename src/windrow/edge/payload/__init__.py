"""What travels for a query, and what leaves, mergers and roots do with it.

base.py      how time is cut, and in which steps what travels is applied: the same on all nodes
states.py    partial states of windows on a grid, and of sessions
rows.py      rows, for windows that only all rows of a key can tell
entries.py   windows that leaves ended, each by its own marks, to be merged at the root
results.py   results of leaves that have all rows of their keys
"""

from windrow.edge.payload.base import BEGIN, END, ORIGIN, Held, Payload
from windrow.edge.payload.entries import Entries
from windrow.edge.payload.results import Results
from windrow.edge.payload.rows import Rows
from windrow.edge.payload.states import States
from windrow.edge.query import NodeQuery
from windrow.edge.travels import Travels, choose
from windrow.engines.engines import engine_for

__all__ = ["BEGIN", "END", "ORIGIN", "Held", "Payload", "payload_for"]

_KINDS: dict[Travels, type[Payload]] = {
    Travels.STATES: States,
    Travels.ROWS: Rows,
    Travels.ENTRIES: Entries,
    Travels.RESULTS: Results,
}


def payload_for(query: NodeQuery) -> Payload:
    """What travels for a query."""
    choice = choose(query)
    return _KINDS[choice.travels](query, engine_for(query.definition), choice)
