"""Answers from how often each value occurs: for holistic aggregates whose order does not matter.

Their states grow with the window, and combining them is slow; but a kernel that sees whole columns
can number the values once and count them as they come and go.
"""

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["CountDifferent", "MultisetForm", "PickQuantile"]


@dataclass(frozen=True)
class PickQuantile:
    """The exact quantile `q` of the counted numbers, linearly interpolated."""

    q: float


@dataclass(frozen=True)
class CountDifferent:
    """How many different values were counted."""


MultisetForm: TypeAlias = PickQuantile | CountDifferent
