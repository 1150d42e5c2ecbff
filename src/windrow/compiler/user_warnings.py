"""Warnings placed at the user's own line, and the one that something runs interpreted."""

import sys
import warnings

from windrow.errors import CompilationWarning

__all__ = ["level_of_the_user", "warn_interpreted"]

_NO_USERS = ("windrow.", "numba.")


def warn_interpreted(what: str, why: str) -> None:
    """Say that something runs interpreted, and why."""
    warnings.warn(
        f"{what} runs interpreted, about a hundred times slower: {why}",
        CompilationWarning,
        stacklevel=level_of_the_user(),
    )


def level_of_the_user() -> int:
    """How far back the first caller of windrow is, as `warn` counts from our caller.

    The compiler is passed over too: it asks our cache for what it would else compile.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_NO_USERS):
        frame, level = frame.f_back, level + 1
    return level
