"""Trailing windows: one for each row, which is its newest."""

from dataclasses import dataclass

from windrow.windows.arguments import require_count, require_duration_us
from windrow.windows.durations import describe

__all__ = ["TrailingRows", "TrailingTime"]


@dataclass(frozen=True, slots=True, repr=False)
class TrailingTime:
    """At a row of time t: the rows at or before it in order whose time is in (t - duration, t].

    In whole microseconds that is the interval [t - duration + 1, t + 1). A row exactly one
    duration old has left; rows of the same time that come later in order are not in yet.

    >>> TrailingTime(duration_us=90_000_000)
    trailing('1 min 30 s')
    """

    duration_us: int

    def __post_init__(self) -> None:
        require_duration_us(self.duration_us, "duration")

    def __repr__(self) -> str:
        return f"trailing({describe(self.duration_us)!r})"


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
