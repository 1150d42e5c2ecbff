"""Windows on a fixed grid of event time: the starts are known before any row arrives."""

from dataclasses import dataclass, field
from typing import ClassVar

from windrow.windows.durations import describe
from windrow.windows.window import FIRST_US, LAST_US, Window, require_duration_us, require_us

__all__ = ["Aligned", "Hopping", "Tumbling"]


@dataclass(frozen=True, slots=True)
class Aligned(Window):
    """What tumbling and hopping windows share: a start at `offset_us + k * every_us` for all k.

    The grid runs in both directions from 1970-01-01 00:00 UTC plus the offset.
    """

    size_us: int
    every_us: int
    offset_us: int = 0

    shape: ClassVar[str] = "tumbling and hopping"
    ends_by_time: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_duration_us(self.size_us, "size")
        require_duration_us(self.every_us, "every")
        require_us(self.offset_us, "offset")

    @property
    def grid(self) -> "Aligned":
        """The definition is its own grid."""
        return self

    @property
    def time_limits(self) -> tuple[int, int]:
        """All bounds of a row's windows fit.

        To find the first window of a row takes one hop more on either side of it, and what is left
        over from cutting time there another.
        """
        margin = self.size_us + 2 * self.every_us
        return FIRST_US + margin, LAST_US + 1 - margin

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


@dataclass(frozen=True, slots=True, repr=False)
class Tumbling(Aligned):
    """Windows that follow each other without gap or overlap: aligned, with `every` = `size`.

    >>> hourly = Tumbling(size_us=3_600_000_000)
    >>> hourly
    tumbling('1 hour')
    >>> hourly.bounds(5_000_000_000)
    [(3600000000, 7200000000)]
    """

    every_us: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "every_us", self.size_us)
        Aligned.__post_init__(self)

    def __repr__(self) -> str:
        return f"tumbling({describe(self.size_us)!r}{self._offset_argument()})"


@dataclass(frozen=True, slots=True, repr=False)
class Hopping(Aligned):
    """Windows of one size, starting one hop after another.

    The hop need not divide the size: a row may be in one window more than the row before it. A
    hop longer than the size leaves gaps, whose rows belong to no window.

    >>> smoothed = Hopping(size_us=5_000_000, every_us=2_000_000)
    >>> smoothed
    hopping('5 seconds', every='2 seconds')
    >>> len(smoothed.starts(4_500_000)), len(smoothed.starts(5_500_000))
    (3, 2)
    """

    def __repr__(self) -> str:
        size, every = describe(self.size_us), describe(self.every_us)
        return f"hopping({size!r}, every={every!r}{self._offset_argument()})"
