"""Which ends of a trailing window of time are in it."""

from enum import Enum

__all__ = ["Closed"]


class Closed(Enum):
    """Which of the two ends of a window, t - duration and the row's own time t, are inside."""

    RIGHT = "right"
    """(t - duration, t]: rows of time t are in, a row exactly one duration old is out."""

    LEFT = "left"
    """[t - duration, t): a row exactly one duration old is in, rows of time t are out."""

    BOTH = "both"
    """[t - duration, t]: both are in."""

    NEITHER = "neither"
    """(t - duration, t): neither is."""

    @property
    def at_start(self) -> bool:
        """Whether rows of time t - duration are in."""
        return self in (Closed.LEFT, Closed.BOTH)

    @property
    def at_end(self) -> bool:
        """Whether rows of time t are in, the row itself among them."""
        return self in (Closed.RIGHT, Closed.BOTH)
