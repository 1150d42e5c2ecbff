"""Marks on functions for the compiler: what it should inline, and what it should replace."""

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["hot", "is_hot", "native", "native_of"]

F = TypeVar("F", bound=Callable[..., Any])


def hot(function: F) -> F:
    """The same function, to be compiled into its callers: a call would cost more than its work."""
    function.__dict__["is_hot"] = True
    return function


def is_hot(function: Callable[..., Any]) -> bool:
    """Whether a function is marked as hot."""
    return bool(function.__dict__.get("is_hot", False))


def native(make: Callable[[], Any]) -> Callable[[F], F]:
    """The same function, which the compiler replaces by what `make` gives, compiled if plain."""

    def mark(function: F) -> F:
        function.__dict__["native"] = make
        return function

    return mark


def native_of(function: Callable[..., Any]) -> Callable[[], Any] | None:
    """What makes a function's compiled form, if it has one of its own."""
    make: Callable[[], Any] | None = function.__dict__.get("native")
    return make
