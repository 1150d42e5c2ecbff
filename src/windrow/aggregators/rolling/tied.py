"""Rows of one time: where each stretch of them begins and ends."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_tied", "last_tied"]


def first_tied(ticks: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each place the first of its group with the same tick; ticks ascend within a group.

    >>> first_tied(np.array([1, 5, 5, 5, 6]), np.array([0, 3, 5]))
    array([0, 1, 1, 3, 4])
    """
    starts = _starts(ticks, borders)
    return np.repeat(starts, np.diff(starts, append=len(ticks)))


def last_tied(ticks: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each place the last of its group with the same tick; ticks ascend within a group.

    >>> last_tied(np.array([1, 5, 5, 5, 6]), np.array([0, 3, 5]))
    array([0, 2, 2, 3, 4])
    """
    starts = _starts(ticks, borders)
    lengths = np.diff(starts, append=len(ticks))
    return np.repeat(starts + lengths - 1, lengths)


def _starts(ticks: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places where another time or another group begins."""
    starts = np.empty(len(ticks), np.bool_)
    np.not_equal(ticks[1:], ticks[:-1], out=starts[1:])
    starts[borders[:-1][borders[:-1] < len(ticks)]] = True
    return np.flatnonzero(starts)
