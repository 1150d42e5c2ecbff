"""Sessions: rows that follow each other closely, bounded by silence."""

from dataclasses import dataclass
from typing import ClassVar

from windrow.windows.durations import describe
from windrow.windows.window import FIRST_US, LAST_US, Window, require_duration_us

__all__ = ["Session"]


@dataclass(frozen=True, slots=True, repr=False)
class Session(Window):
    """Rows at most `gap` apart belong together; a longer silence starts a new session.

    Two sessions a and b, from their first row's time to their last's, are one session when
    `a.start <= b.end + gap` and `b.start <= a.end + gap`: a late row can bridge two.

    >>> Session(gap_us=1_800_000_000)
    session('30 minutes')
    """

    gap_us: int

    shape: ClassVar[str] = "session"
    ends_by_time: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_duration_us(self.gap_us, "gap")

    @property
    def silence_us(self) -> int:
        """A longer silence than the gap."""
        return self.gap_us

    @property
    def time_limits(self) -> tuple[int, int]:
        """A session closes a microsecond after its end.

        >>> Session(gap_us=10).time_limits == (FIRST_US, LAST_US - 10)
        True
        """
        return FIRST_US, LAST_US - self.gap_us

    def __repr__(self) -> str:
        return f"session({describe(self.gap_us)!r})"
