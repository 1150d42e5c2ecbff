"""Trailing windows: one for each row, which is its newest."""

from dataclasses import dataclass

from windrow.arguments import member
from windrow.errors import WindowError
from windrow.windows.arguments import require_count, require_duration_us
from windrow.windows.closed import Closed
from windrow.windows.durations import describe
from windrow.windows.ties import Ties

__all__ = ["TrailingRows", "TrailingTime"]


@dataclass(frozen=True, slots=True, repr=False)
class TrailingTime:
    """At a row of time t: the rows whose time is in (t - duration, t], or as `closed` has the ends.

    Of rows of time t only those that came before it in order are in, and the row itself; with
    `Ties.TOGETHER` all of them are.  Where t is not inside, none is: the window may be empty.

    >>> TrailingTime(duration_us=90_000_000)
    trailing('1 min 30 s')
    >>> TrailingTime(90_000_000, Closed.BOTH, Ties.TOGETHER)
    trailing('1 min 30 s', closed='both', ties='together')
    """

    duration_us: int
    closed: Closed = Closed.RIGHT
    ties: Ties = Ties.ARRIVAL

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

    def __repr__(self) -> str:
        closed = "" if self.closed is Closed.RIGHT else f", closed={self.closed.value!r}"
        ties = "" if self.ties is Ties.ARRIVAL else f", ties={self.ties.value!r}"
        return f"trailing({describe(self.duration_us)!r}{closed}{ties})"


@dataclass(frozen=True, slots=True, repr=False)
class TrailingRows:
    """At each row: that row and those before it, `rows` in all, fewer at the beginning.

    >>> TrailingRows(rows=1000)
    trailing(rows=1000)
    """

    rows: int

    def __post_init__(self) -> None:
        require_count(self.rows, "rows")

    def __repr__(self) -> str:
        return f"trailing(rows={self.rows})"
