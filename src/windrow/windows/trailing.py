"""Trailing windows: one for each row, which is its newest."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from windrow.arguments import member
from windrow.errors import WindowError
from windrow.windows.durations import describe
from windrow.windows.options import Closed, Ties
from windrow.windows.window import Window, require_count, require_duration_us

__all__ = ["Reach", "Trailing", "TrailingRows", "TrailingTime"]


@dataclass(frozen=True, slots=True, repr=False)
class TrailingTime(Window):
    """At a row with time t: rows with times in (t - duration, t], unless closed= says otherwise.

    Of the rows with time t it contains the row itself and those before it in order; with
    `Ties.TOGETHER` all of them.  If t is excluded, it contains none of them, and may be empty.

    >>> TrailingTime(duration_us=90_000_000)
    trailing('1 min 30 s')
    >>> TrailingTime(90_000_000, Closed.BOTH, Ties.TOGETHER)
    trailing('1 min 30 s', closed='both', ties='together')
    """

    duration_us: int
    closed: Closed = Closed.RIGHT
    ties: Ties = Ties.ARRIVAL

    shape: ClassVar[str] = "trailing"
    per_row: ClassVar[bool] = True
    ends_by_time: ClassVar[bool] = True
    in_buckets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_duration_us(self.duration_us, "duration")
        # Frozen from here on.
        object.__setattr__(self, "closed", member(Closed, self.closed, "closed", WindowError))
        object.__setattr__(self, "ties", member(Ties, self.ties, "ties", WindowError))
        require_duration_us(self.reach_us, "duration")

    @property
    def reach_us(self) -> int:
        """The age from which on a row is out: times are whole microseconds."""
        return self.duration_us + self.closed.at_start

    @property
    def holds_own_time(self) -> bool:
        """If it is closed there."""
        return self.closed.at_end

    @property
    def ties_together(self) -> bool:
        """As `ties` says."""
        return self.ties is Ties.TOGETHER

    def __repr__(self) -> str:
        closed = "" if self.closed is Closed.RIGHT else f", closed={self.closed.value!r}"
        ties = "" if self.ties is Ties.ARRIVAL else f", ties={self.ties.value!r}"
        return f"trailing({describe(self.duration_us)!r}{closed}{ties})"


@dataclass(frozen=True, slots=True, repr=False)
class TrailingRows(Window):
    """At each row: that row and those before it, `rows` in all, fewer at the beginning.

    >>> TrailingRows(rows=1000)
    trailing(rows=1000)
    """

    rows: int

    shape: ClassVar[str] = "trailing"
    per_row: ClassVar[bool] = True
    in_buckets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_count(self.rows, "rows")

    @property
    def reach_rows(self) -> int:
        """The number of rows."""
        return self.rows

    def __repr__(self) -> str:
        return f"trailing(rows={self.rows})"


Trailing: TypeAlias = TrailingTime | TrailingRows


@dataclass(frozen=True, slots=True)
class Reach:
    """How far back from a row any of some trailing windows looks.

    A row is needed while it is among the last `rows` before the next one, or younger than
    `time_us`.

    >>> Reach.of([TrailingTime(60), TrailingRows(100), TrailingRows(10)])
    Reach(rows=99, time_us=60)
    """

    rows: int = 0
    time_us: int = 0

    @classmethod
    def of(cls, windows: Iterable[Window]) -> "Reach":
        """The widest reach among these windows."""
        rows = time_us = 0
        for window in windows:
            rows = max(rows, (window.reach_rows or 1) - 1)
            time_us = max(time_us, window.reach_us or 0)
        return cls(rows, time_us)
