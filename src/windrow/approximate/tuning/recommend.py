"""Which setting to take, and why: what meets the target, or is nearest to it, or the knee."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from windrow.approximate.tuning.frontier import frontier, knee
from windrow.approximate.tuning.measured import Measured

__all__ = ["Recommendation", "Target", "Why", "recommend"]


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
