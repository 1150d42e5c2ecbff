"""Which times a window can have rows at: its bounds are 64-bit microseconds, as times are."""

from windrow.windows.aligned import Aligned
from windrow.windows.durations import MAX_US
from windrow.windows.session import Session

__all__ = ["MIN_US", "time_limits"]

MIN_US = -MAX_US - 1


def time_limits(window: object) -> tuple[int, int]:
    """The lowest and the highest time at which a window of this definition can have rows.

    A bound that does not fit would wrap around to the other end of time, and two windows with a
    bound cut off there would be told apart by nothing: rows so near the ends are refused.  The
    years 1 to 9999 are far inside unless a window is some hundred thousand years long.

    >>> from windrow import window
    >>> time_limits(window.session("1 h")) == (MIN_US + 1, MAX_US - 3_600_000_001)
    True
    """
    lowest = MIN_US + 1  # engines mark a key without an open window by the number below
    match window:
        case Aligned():
            # To find the first window of a row takes one hop more on either side of it, and what
            # is left over from cutting time there another.
            margin = window.size_us + 2 * window.every_us
            return lowest + margin, MAX_US - margin
        case Session():
            return lowest, MAX_US - window.gap_us - 1  # it closes a microsecond after its end
    return lowest, MAX_US - 1  # a stream applies a row a microsecond after its time
