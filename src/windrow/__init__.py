"""windrow: windows over data streams, any aggregate, constant time.

    import windrow as wr
    from windrow import agg, window

    wr.roll(readings, agg.max(), window.trailing(rows=1000))
    wr.over(df, time="ts", by="sensor").window(window.trailing("1 h")).aggregate(peak=agg.max("x"))

`agg` holds the aggregates, `window` the windows, `structures` keep one window,
`monoid` makes an aggregate of your own, `roll` runs windows over whole columns, `over` on Spark,
whose session `configure` sets up for them.
"""

from typing import TYPE_CHECKING

from windrow import agg, errors, structures, window
from windrow.algebra.user import monoid, unsafe_pickle
from windrow.arguments import loaded_later
from windrow.version import __version__
from windrow.windows import Emit, Order

if TYPE_CHECKING:
    from windrow.plan import Strategy
    from windrow.rolling.roll import roll
    from windrow.spark.configure import configure
    from windrow.spark.over import over

__all__ = [
    "Emit",
    "Order",
    "Strategy",
    "__version__",
    "agg",
    "configure",
    "errors",
    "monoid",
    "over",
    "roll",
    "structures",
    "unsafe_pickle",
    "window",
]

# Arrow and the compiler take a second to load, Spark longer: only who needs them waits.
__getattr__, __dir__ = loaded_later(
    __name__,
    __all__,
    {
        "Strategy": "windrow.plan",
        "over": "windrow.spark.over",
        "roll": "windrow.rolling",
        "configure": "windrow.spark.configure",
    },
)
