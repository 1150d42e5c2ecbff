"""A result and how far the exact one may be from it."""

from typing import Any, NamedTuple

__all__ = ["Interval"]


class Interval(NamedTuple):
    """The exact result lies in [low, high]; null ends say that nothing is known of it.

    `exact` says that `value` is the exact result itself.
    """

    value: Any
    low: Any
    high: Any
    exact: bool

    @classmethod
    def of_exact(cls, value: Any) -> "Interval":
        """A result that is not approximate."""
        return cls(value, value, value, True)

    @classmethod
    def unknown(cls, value: Any) -> "Interval":
        """A result without any promise."""
        return cls(value, None, None, False)
