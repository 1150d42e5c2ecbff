"""Sessions: rows that follow each other closely, bounded by silence."""

from dataclasses import dataclass

from windrow.windows.arguments import require_duration_us
from windrow.windows.durations import describe

__all__ = ["Session"]


@dataclass(frozen=True, slots=True, repr=False)
class Session:
    """Rows at most `gap` apart belong together; a longer silence starts a new session.

    Two sessions a and b, from their first row's time to their last's, are one session when
    `a.start <= b.end + gap` and `b.start <= a.end + gap`: a late row can bridge two.

    >>> Session(gap_us=1_800_000_000)
    session('30 minutes')
    """

    gap_us: int

    def __post_init__(self) -> None:
        require_duration_us(self.gap_us, "gap")

    def __repr__(self) -> str:
        return f"session({describe(self.gap_us)!r})"
