"""Which engine runs a definition."""

from collections.abc import Callable

from windrow.engines.aligned import AlignedWindows
from windrow.engines.bucketed import Bucketed
from windrow.engines.counted import Counted
from windrow.engines.definition import Definition
from windrow.engines.engine import Engine
from windrow.engines.paged_per_row import PagedPerRow
from windrow.engines.per_row import PerRow
from windrow.engines.segments import Segments
from windrow.errors import WindowError
from windrow.windows import (
    Aligned,
    Count,
    Policy,
    Punctuated,
    Session,
    TrailingRows,
    TrailingTime,
    Window,
)

__all__ = ["engine_for", "stream_engine_for"]

# The engines of built-in windows; other kinds name their engine themselves, as `Window.engine`.
_ENGINES: dict[type[Window], Callable[[Definition], Engine]] = {
    Aligned: AlignedWindows,
    Session: Segments,
    Punctuated: Segments,
    Count: Counted,
    TrailingTime: PerRow,
    TrailingRows: PerRow,
    Policy: PerRow,
}


def engine_for(definition: Definition) -> Engine:
    """The engine for the windows of a definition."""
    engine: Engine = _maker(definition)(definition)
    return engine


def stream_engine_for(definition: Definition) -> Engine:
    """The same for a stream, where large windows with a result for each row lie in pages."""
    maker = _maker(definition)
    engine: Engine = PagedPerRow(definition) if maker is PerRow else maker(definition)
    return engine


def _maker(definition: Definition) -> Callable[[Definition], Engine]:
    if definition.methods:
        return Bucketed
    kind = type(definition.windows[0][1])
    maker = kind.engine or next((_ENGINES[own] for own in kind.__mro__ if own in _ENGINES), None)
    if maker is None:
        raise WindowError(
            f"{kind.__name__} names no engine; set one in the class, "
            "e.g. engine = MyEngine, or derive it from a window of windrow.windows"
        )
    return maker
