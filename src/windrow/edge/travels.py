"""What travels up the tree for a query: states if they can be merged, else rows."""

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from windrow.engines.engines import engine_for
from windrow.engines.segments import Segments
from windrow.windows import Punctuated

if TYPE_CHECKING:
    from windrow.edge.query import NodeQuery

__all__ = ["Choice", "Travels", "choose"]


class Travels(Enum):
    """What nodes send to their parents."""

    STATES = "states"
    ROWS = "rows"
    RESULTS = "results"


@dataclass(frozen=True)
class Choice:
    """What travels for a query, and why."""

    travels: Travels
    reason: str


def choose(query: "NodeQuery") -> Choice:
    """What travels for a query."""
    definition = query.definition
    window = definition.windows[0][1]
    if query.pinned:
        return Choice(
            Travels.RESULTS, "keys are pinned: each leaf has all rows of its keys, and answers them"
        )
    ordered = sorted(
        name for name, part in definition.aggregates if not part.monoid.commutative
    )
    if isinstance(window, Punctuated):
        return Choice(Travels.ROWS, f"all marks of a key decide where {window!r} begins and ends")
    engine = engine_for(definition)
    if not engine.partials.names:
        return Choice(Travels.ROWS, f"all rows of a key decide what is in {window!r}")
    if ordered:
        names = ", ".join(ordered)
        return Choice(Travels.ROWS, f"the order of rows of all leaves matters to {names}")
    what = "parts of sessions" if isinstance(engine, Segments) else "slices"
    return Choice(Travels.STATES, f"{what} of different leaves can be merged")
