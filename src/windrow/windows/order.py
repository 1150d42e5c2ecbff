"""The order in which rows are applied."""

from enum import Enum

__all__ = ["Order"]


class Order(Enum):
    """Which row comes after which, wherever a window depends on it."""

    ARRIVAL = "arrival"
    """Rows are applied as they come."""

    TIME = "time"
    """Rows are applied in event-time order, ties in arrival order."""
