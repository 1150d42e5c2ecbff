"""windrow: windows over data streams, any aggregate, constant time.

    import windrow as wr
    from windrow import agg, window

    wr.roll(readings, agg.max(), window.trailing(rows=1000))

`agg` holds the aggregates, `window` the windows, `aggregators` the structures that keep one window,
`monoid` makes an aggregate of your own, `roll` runs windows over whole columns.
"""

from typing import TYPE_CHECKING, Any

from windrow import agg, aggregators, errors, window
from windrow.algebra.user import monoid

if TYPE_CHECKING:
    from windrow.aggregators.rolling import roll

__all__ = ["agg", "aggregators", "errors", "monoid", "roll", "window"]


def __getattr__(name: str) -> Any:
    # Arrow and the compiler take a second to load: only who rolls columns needs them.
    if name == "roll":
        from windrow.aggregators.rolling import roll

        return roll
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
