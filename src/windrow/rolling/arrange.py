"""The order in which rows are applied: key by key, and by time within a key."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.columnar.grouping import Groups, group_rows, in_shares
from windrow.errors import InputError
from windrow.kernels.grouping import sort_by_time, to_places
from windrow.windows import Order

__all__ = ["arrange"]


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
