"""Which engine runs a definition."""

from windrow.slicing.aligned import AlignedWindows
from windrow.slicing.bucketed import Bucketed
from windrow.slicing.counted import Counted
from windrow.slicing.definition import Definition
from windrow.slicing.engine import Engine
from windrow.slicing.per_row import PerRow
from windrow.slicing.segments import Segments
from windrow.windows import Aligned, Count, Punctuated, Session

__all__ = ["engine_for"]


def engine_for(definition: Definition) -> Engine:
    """The engine for the windows of a definition."""
    _, window = definition.windows[0]
    if isinstance(window, Aligned):
        return AlignedWindows(definition)
    if isinstance(window, Session | Punctuated):
        return Segments(definition)
    if isinstance(window, Count):
        return Counted(definition)
    return Bucketed(definition) if definition.methods else PerRow(definition)
