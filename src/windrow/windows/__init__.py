"""Which rows belong together: window definitions and slide policies.

Windows on a grid are half-open, [start, end): a row at `start` is inside, a row at `end` is not.
Trailing windows of time are (t - duration, t], unless they are said to be `Closed` otherwise.
Times and durations are int64 microseconds, times counted from 1970-01-01 00:00 UTC.

Definitions are values: frozen, hashable, compared by content, checked when they are made. State
is built from them elsewhere. `windrow.window` makes them from durations such as "1 hour".
"""

from typing import TypeAlias

from windrow.windows.aligned import Aligned
from windrow.windows.check import Check
from windrow.windows.closed import Closed
from windrow.windows.count import Count
from windrow.windows.durations import Duration, describe, microseconds
from windrow.windows.emit import Emit
from windrow.windows.hopping import Hopping
from windrow.windows.limits import time_limits
from windrow.windows.order import Order
from windrow.windows.policy import Policy
from windrow.windows.punctuated import Punctuated
from windrow.windows.session import Session
from windrow.windows.ties import Ties
from windrow.windows.trailing import TrailingRows, TrailingTime
from windrow.windows.tumbling import Tumbling

__all__ = [
    "Aligned",
    "Check",
    "Closed",
    "Count",
    "Duration",
    "Emit",
    "Hopping",
    "Order",
    "Policy",
    "Punctuated",
    "Session",
    "Ties",
    "TrailingRows",
    "TrailingTime",
    "Tumbling",
    "Window",
    "describe",
    "microseconds",
    "time_limits",
]

Window: TypeAlias = (
    Tumbling | Hopping | TrailingTime | TrailingRows | Session | Count | Punctuated | Policy
)
