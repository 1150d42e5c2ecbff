"""How far a leaf's event time has come: behind its newest row, or behind the clock if none comes.

A row whose time is further ahead than clocks may differ would make all rows after it late, on this
leaf and by the frontiers of its parents on all others: it is quarantined instead.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from windrow.edge.payload import BEGIN, END

__all__ = ["EventClock", "Pace"]


@dataclass(frozen=True)
class Pace:
    """What a leaf may assume about time; with `live=False` times have nothing to do with now."""

    live: bool = True
    max_skew_us: int = 60_000_000
    idle_us: int = 5_000_000  # after which time without a row the clock moves event time
    beat_us: int = 250_000  # how often it does


class EventClock:
    """The newest time among a leaf's rows, and when the last one came."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self.newest = BEGIN
        self._heard: int | None = None
        self._beaten = 0
        self.ended = False

    def ahead(self, times: NDArray[np.int64], now: int) -> NDArray[np.bool_]:
        """Which times are in a future that no clock can show."""
        if not self._pace.live:
            return np.zeros(len(times), np.bool_)
        future: NDArray[np.bool_] = times > now + self._pace.max_skew_us
        return future

    def heard(self, times: NDArray[np.int64], now: int) -> None:
        """Rows have come."""
        self._heard = now
        if len(times):
            self.newest = max(self.newest, int(times.max()))

    def reached(self, lateness_us: int, now: int) -> int:
        """The time below which no more rows are expected."""
        if self.ended:
            return END
        reached = self.newest - lateness_us if self.newest > BEGIN + lateness_us else BEGIN
        if self._pace.live and self._is_idle(now):
            reached = max(reached, self._beat(now) - lateness_us)
        return reached

    def _is_idle(self, now: int) -> bool:
        if self._heard is None:
            self._heard = now
        return now - self._heard >= self._pace.idle_us

    def _beat(self, now: int) -> int:
        return now // self._pace.beat_us * self._pace.beat_us
