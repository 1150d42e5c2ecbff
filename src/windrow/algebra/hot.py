"""Functions that are compiled into whatever calls them: a call would cost more than their work."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["hot", "is_hot"]

F = TypeVar("F", bound=Callable[..., Any])


def hot(function: F) -> F:
    """The same function, marked."""
    function.__dict__["is_hot"] = True
    return function


def is_hot(function: Callable[..., Any]) -> bool:
    """Whether a function is marked."""
    return bool(function.__dict__.get("is_hot", False))
