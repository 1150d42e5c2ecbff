"""When a window's result is told."""

from enum import Enum

__all__ = ["Emit"]


class Emit(Enum):
    """How often one window may be answered for."""

    ON_CLOSE = "on_close"
    """Once, when nothing can change it any more."""

    ON_CHANGE = "on_change"
    """Whenever rows have changed it: the last answer counts."""
