"""windrow: windows over data streams, any aggregate, constant time.

    import windrow as wr
    from windrow import agg, window

    wr.roll(readings, agg.max(), window.trailing(rows=1000))
    wr.over(df, time="ts", by="sensor").window(window.trailing("1 h")).aggregate(peak=agg.max("x"))

`agg` holds the aggregates, `window` the windows, `aggregators` the structures that keep one window,
`monoid` makes an aggregate of your own, `roll` runs windows over whole columns, `over` on Spark,
whose session `suit` sets up for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from windrow import agg, aggregators, errors, window
from windrow.algebra.unsafe import unsafe_pickle
from windrow.algebra.user import monoid
from windrow.arguments import unknown_name
from windrow.version import __version__
from windrow.windows import Emit, Order

if TYPE_CHECKING:
    from windrow.aggregators.rolling.roll import roll
    from windrow.planning import Strategy
    from windrow.spark.over import over
    from windrow.spark.suiting import suit

__all__ = [
    "Emit",
    "Order",
    "Strategy",
    "__version__",
    "agg",
    "aggregators",
    "errors",
    "monoid",
    "over",
    "roll",
    "suit",
    "unsafe_pickle",
    "window",
]

# Arrow and the compiler take a second to load, Spark longer: only who needs them waits.
_LATER = {
    "Strategy": "windrow.planning",
    "over": "windrow.spark.over",
    "roll": "windrow.aggregators.rolling",
    "suit": "windrow.spark.suiting",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise unknown_name(__name__, name, __all__, None)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
