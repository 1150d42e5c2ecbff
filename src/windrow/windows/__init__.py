"""Which rows belong together: window definitions and slide policies.

Windows on a grid are half-open, [start, end): a row at `start` is inside, a row at `end` is not.
Trailing windows of time are (t - duration, t], unless they are said to be `Closed` otherwise.
Times and durations are int64 microseconds, times counted from 1970-01-01 00:00 UTC.

Definitions are values: frozen, hashable, compared by content, checked when they are made. State
is built from them elsewhere. `windrow.window` makes them from durations such as "1 hour".

window.py        the base of all kinds: the questions that the rest of the code asks a window
aligned.py       tumbling and hopping windows, on a grid of event time
trailing.py      the last rows, or the last stretch of time, at each row
policy.py        what a slide policy leaves at each row
session.py       rows between silences
count.py         a fixed number of rows
punctuated.py    rows between marks
options.py       what can be said of windows and queries: `Emit`, `Order`, `Closed`, `Ties`, `Check`
durations.py     "1 hour" and microseconds
"""

from windrow.windows.aligned import Aligned, Hopping, Tumbling
from windrow.windows.count import Count
from windrow.windows.durations import Duration, describe, microseconds
from windrow.windows.options import Check, Closed, Emit, Order, Ties
from windrow.windows.policy import Policy
from windrow.windows.punctuated import Punctuated
from windrow.windows.session import Session
from windrow.windows.trailing import Reach, Trailing, TrailingRows, TrailingTime
from windrow.windows.window import Window, require_one_shape

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
    "Reach",
    "Session",
    "Ties",
    "Trailing",
    "TrailingRows",
    "TrailingTime",
    "Tumbling",
    "Window",
    "describe",
    "microseconds",
    "require_one_shape",
]
