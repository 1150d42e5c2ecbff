"""Windows on a fixed grid of event time: the starts are known before any row arrives."""

from dataclasses import dataclass

from windrow.windows.arguments import require_duration_us, require_us
from windrow.windows.durations import describe

__all__ = ["Aligned"]


@dataclass(frozen=True, slots=True)
class Aligned:
    """What tumbling and hopping windows share: a start at `offset_us + k * every_us` for all k.

    The grid runs in both directions from 1970-01-01 00:00 UTC plus the offset.
    """

    size_us: int
    every_us: int
    offset_us: int = 0

    def __post_init__(self) -> None:
        require_duration_us(self.size_us, "size")
        require_duration_us(self.every_us, "every")
        require_us(self.offset_us, "offset")

    def starts(self, time_us: int) -> range:
        """The starts of all windows that contain `time_us`, oldest first; empty in a gap.

        >>> list(Aligned(size_us=10, every_us=4).starts(9))
        [0, 4, 8]
        """
        # a start s contains the time exactly when time - size < s <= time
        return range(
            self._start_until(time_us - self.size_us) + self.every_us,
            self._start_until(time_us) + 1,
            self.every_us,
        )

    def bounds(self, time_us: int) -> list[tuple[int, int]]:
        """The start and end of all windows that contain `time_us`, oldest first; empty in a gap.

        >>> Aligned(size_us=10, every_us=4).bounds(-1)
        [(-8, 2), (-4, 6)]
        """
        return [(start, start + self.size_us) for start in self.starts(time_us)]

    def _start_until(self, time_us: int) -> int:
        """The last start at or before `time_us`."""
        # Python's % is never negative here, so times before 1970 need no care
        return time_us - (time_us - self.offset_us) % self.every_us

    def _offset_argument(self) -> str:
        """How `repr` mentions the offset: not at all when there is none."""
        return f", offset={describe(self.offset_us)!r}" if self.offset_us else ""
