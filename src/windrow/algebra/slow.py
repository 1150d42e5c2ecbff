"""The warning that something runs interpreted, placed at the user's own line."""

import sys
import warnings

from windrow.errors import CompilationWarning

__all__ = ["warn_interpreted"]


def warn_interpreted(what: str, why: str) -> None:
    """Say that something runs interpreted, and why."""
    warnings.warn(
        f"{what} runs interpreted, about a hundred times slower: {why}",
        CompilationWarning,
        stacklevel=_level_of_the_user(),
    )


def _level_of_the_user() -> int:
    """How far back the first caller outside windrow is, as `warn` counts from our caller."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("windrow."):
        frame, level = frame.f_back, level + 1
    return level
