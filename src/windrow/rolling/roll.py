"""`roll`: a window over whole columns, one result for each row.

values, times, by ─ columns.py, times.py ─▶ numbers and masks
                    grouping.py            ▶ rows in order, key by key, and by time within a key
                    loops.py               ▶ one fused loop of windrow.kernels
                    interpreted.py         ▶ or the structures themselves, the same results
                    answers.py ─▶ numpy or Arrow, in the order of the input
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate, Aggregation, Product, as_aggregation
from windrow.arguments import member, shown
from windrow.columnar.columns import is_arrow
from windrow.columnar.digits import exactly
from windrow.columnar.grouping import Groups, group_rows, in_shares
from windrow.errors import InputError, WindowError
from windrow.kernels.grouping import sort_by_time, to_places
from windrow.rolling.interpreted import read_by
from windrow.rolling.source import Source
from windrow.rolling.ways import slide, trail
from windrow.windows import Order, Policy, TrailingRows, TrailingTime, Window

__all__ = ["arrange", "roll"]


def roll(
    values: Any,
    aggregate: Aggregation,
    window: Window,
    times: Any = None,
    by: Any = None,
    order: Order | str = Order.ARRIVAL,
) -> Any:
    """Aggregate, for each row, the window that ends with it.

    `values` is one column (numpy, Arrow, a list), or a mapping or table of named columns.  With
    `by` each key has its own window.  Windows by time, and aggregates that read the time, need
    `times`: timestamps, or whole microseconds, which must not go back within a key unless
    `order=Order.TIME` asks for sorting.  Results are in the order of the input.

    Columns that a built-in aggregate does not support, such as text in a sum, are refused; sums,
    means and quantiles of durations are durations, rounded half up to the column's unit.
    Exceptions that your own functions raise are not wrapped.

    Arrow in, Arrow out; otherwise numpy, where null is NaN (NaT for times).  Several aggregates, as
    in `{"low": agg.min(), "high": agg.max()}`, give a table, or a dict of arrays.

    >>> import numpy as np
    >>> from windrow import agg, window
    >>> roll(np.array([3.0, 1.0, 4.0, 1.0, 5.0]), agg.max(), window.trailing(rows=2))
    array([3., 3., 4., 4., 5.])
    """
    aggregation = as_aggregation(aggregate)
    source = Source(values, times)
    if not isinstance(window, TrailingRows | TrailingTime | Policy):
        raise WindowError(
            f"window={shown(window)} has no result for every row; roll takes window.trailing(...) "
            "or window.policy(...)"
        )
    order = member(Order, order, "order")
    by_time = window.reach_us is not None
    if times is None and (by_time or order is Order.TIME):
        needs = f"window={window!r}" if by_time else "order=Order.TIME"
        raise InputError(f"times is missing; {needs} needs the time of each row, times=...")
    microseconds = None if source.times is None else source.times.microseconds
    groups, ticks = arrange(by, microseconds, source.length, order)
    named = aggregation.parts if isinstance(aggregation, Product) else (("", aggregation),)
    tasks = [source.task(part) for _, part in named]
    with exactly():
        if isinstance(window, Policy):
            answers = slide(tasks, [source.task(part) for _, part in window.using], window, groups)
        else:
            answers = trail(tasks, window, ticks, groups)
    for task, answer in zip(tasks, answers, strict=True):
        answer.require_fit(f"{task.aggregate!r} of {read_by(task)}")
    if isinstance(aggregation, Aggregate):
        return answers[0].arrow() if is_arrow(values) else answers[0].numpy()
    names = [name for name, _ in named]
    if is_arrow(values):
        return pa.table([answer.arrow() for answer in answers], names)
    return {name: answer.numpy() for name, answer in zip(names, answers, strict=True)}


def arrange(
    by: Any, times: NDArray[np.int64] | None, length: int, order: Order
) -> tuple[Groups, NDArray[np.int64] | None]:
    """The rows of each key in the order of application, and the times in that order."""
    groups = group_rows(by, length)
    if times is None:
        return groups, None
    ticks = groups.ordered(times)
    if order is Order.TIME:
        return _sorted(groups, ticks)
    _require_sorted(ticks, groups)
    return groups, ticks


def _sorted(groups: Groups, ticks: NDArray[np.int64]) -> tuple[Groups, NDArray[np.int64]]:
    """The groups with their rows in the order of time, and the ticks in that order."""
    if not len(_falls(ticks, groups)):
        return groups, ticks
    ticks, rows = ticks.copy(), groups.rows().copy()
    in_shares(
        lambda places, borders: sort_by_time(ticks[places], rows[places], borders), groups.borders
    )
    ticks.flags.writeable = False  # as they are where nothing needs sorting
    return Groups(groups.borders, to_places(np.arange(len(groups)), rows)), ticks


def _require_sorted(ticks: NDArray[np.int64], groups: Groups) -> None:
    """Refuse times that go back within a group."""
    falls = _falls(ticks, groups)
    if len(falls):
        at = int(falls[0])
        raise InputError(
            f"times is not sorted: row {groups.rows()[at]} at {ticks[at]} comes after "
            f"{ticks[at - 1]} (microseconds); sort the rows by time, or say order=Order.TIME"
        )


def _falls(ticks: NDArray[np.int64], groups: Groups) -> NDArray[np.int64]:
    """The places where time goes back within a group."""
    falling = np.zeros(len(ticks), np.bool_)
    np.less(ticks[1:], ticks[:-1], out=falling[1:])
    falling[groups.borders[:-1][np.diff(groups.borders) > 0]] = False
    return np.flatnonzero(falling)
