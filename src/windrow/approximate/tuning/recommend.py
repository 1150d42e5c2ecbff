"""Which settings are worth choosing from, which one to take, and why.

On the frontier are settings that no other beats in both footprint and error.  The footprint is that
of the long run, on average; the error is the largest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf, log

from windrow.approximate.tuning.measured import Measured

__all__ = ["Recommendation", "Target", "Why", "frontier", "knee", "recommend"]


@dataclass(frozen=True)
class Target:
    """The largest error allowed, as a share of the result, or the most bytes; or neither."""

    error: float | None = None
    bytes: int | None = None


class Why(Enum):
    """Why a setting is recommended."""

    MEETS = "meets the target"
    NEAREST = "nearest to the target"
    KNEE = "knee"


@dataclass(frozen=True)
class Recommendation:
    """A setting and the reason for it; `runner_up` is what a method could do if none is enough."""

    chosen: Measured
    why: Why
    runner_up: Measured | None = None


def recommend(tried: Sequence[Measured], target: Target) -> Recommendation:
    """One of what was tried; the exact window, which should be among it, meets any error.

    What never took more bytes than the target fits it: the peak decides.
    """
    if target.error is not None:
        return _within_error(tried, target.error)
    if target.bytes is not None:
        return _within_bytes(tried, target.bytes)
    return Recommendation(knee(frontier(tried)), Why.KNEE)


def _within_error(tried: Sequence[Measured], most: float) -> Recommendation:
    meeting = [one for one in tried if one.max_error <= most]
    if not meeting:
        return Recommendation(min(tried, key=_by_error), Why.NEAREST)
    chosen = min(meeting, key=_by_size)
    smaller = [one for one in tried if one.mean_bytes < chosen.mean_bytes]
    if chosen.method is not None or not smaller:
        return Recommendation(chosen, Why.MEETS)
    return Recommendation(chosen, Why.MEETS, min(smaller, key=_by_error))


def _within_bytes(tried: Sequence[Measured], most: int) -> Recommendation:
    meeting = [one for one in tried if one.peak_bytes <= most]
    if not meeting:
        return Recommendation(min(tried, key=lambda one: one.peak_bytes), Why.NEAREST)
    return Recommendation(min(meeting, key=_by_error), Why.MEETS)


def _by_size(one: Measured) -> tuple[float, ...]:
    return one.mean_bytes, *one.error


def _by_error(one: Measured) -> tuple[float, ...]:
    return *one.error, one.mean_bytes


def frontier(tried: Sequence[Measured]) -> list[Measured]:
    """What is worth choosing from, the smallest first: each is larger and more exact than the last.

    Of settings that are alike in both, the first is taken.
    """
    found: list[Measured] = []
    for one in sorted(tried, key=lambda one: (one.mean_bytes, one.error)):
        if not found or one.error < found[-1].error:
            found.append(one)
    return found


def knee(chosen: Sequence[Measured]) -> Measured:
    """Where a frontier bends: before it less memory costs little, after it a lot of error.

    Both are compared by their logarithms, from the least to the most of the frontier.  What has no
    error, or one without bound, has no logarithm: it is taken if there is nothing else.
    """
    bending = [one for one in chosen if 0 < one.max_error < inf]
    if not bending:
        return min(chosen, key=lambda one: (one.error, one.mean_bytes))
    sizes = _between([log(one.mean_bytes) for one in bending])
    errors = _between([log(one.max_error) for one in bending])
    return bending[min(range(len(bending)), key=lambda k: sizes[k] + errors[k])]


def _between(numbers: Sequence[float]) -> list[float]:
    """The same from 0 to 1."""
    low, high = min(numbers), max(numbers)
    return [(number - low) / (high - low) if high > low else 0.0 for number in numbers]
