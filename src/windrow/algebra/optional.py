"""A semigroup becomes a monoid by adding None: the state of no value at all."""

from collections.abc import Callable
from typing import TypeVar

__all__ = ["optional", "same"]

S = TypeVar("S")


def optional(combine: Callable[[S, S], S]) -> Callable[[S | None, S | None], S | None]:
    """The operator that treats None as its identity and else does as `combine` does.

    >>> larger = optional(max)
    >>> larger(None, 3), larger(2, 3), larger(None, None)
    (3, 3, None)
    """

    def combine_or_other(older: S | None, newer: S | None) -> S | None:
        if older is None:
            return newer
        if newer is None:
            return older
        return combine(older, newer)

    return combine_or_other


def same(state: S) -> S:
    """Lift or lower where value and state are one."""
    return state
