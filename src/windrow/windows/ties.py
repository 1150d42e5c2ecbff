"""What rows of the same key and time see of each other."""

from enum import Enum

__all__ = ["Ties"]


class Ties(Enum):
    """Which rows of a row's own time are in its trailing window."""

    ARRIVAL = "arrival"
    """Those that arrived before it, and the row itself."""

    TOGETHER = "together"
    """All of them: rows of one time have one window, as in a `RANGE` frame of SQL."""
