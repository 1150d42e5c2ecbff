"""What is tried: the methods that fit an aggregate, each with many settings."""

from collections.abc import Iterator
from typing import Any

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.within import CONFIDENCE
from windrow.approximate.footprint import Footprint
from windrow.approximate.max_like import EXTREMA, MaxLike
from windrow.approximate.method import Method
from windrow.approximate.prediction import LEAST
from windrow.approximate.sum_like import SumLike

__all__ = ["settings_for"]

_TIGHTEST, _LOOSEST = 1e-6, 0.2  # relative bounds
_FEWEST = 5  # buckets
_SHORTEST = 2_000  # blocks in a window, at the most; and at the least:
_LONGEST = 3


def settings_for(
    aggregate: Aggregate[Any],
    updates: int,
    rows: int,
    *,
    confidence: float = CONFIDENCE,
    relative: float | None = None,
    buckets: int | None = None,
) -> list[Method]:
    """The settings worth trying for a window of this many updates, over this many rows.

    `relative` and `buckets` are what a target suggests: they are tried beside the rest.  `Hop` is
    not: it learns from evictions of many updates at once, and a window that trails has none.

    >>> from windrow import agg
    >>> settings_for(agg.max(), updates=30, rows=1_000)[:3]
    [MaxLike(block='auto', confidence=0.95), MaxLike(block=2, confidence=0.95),
     MaxLike(block=5, confidence=0.95)]
    """
    own: list[Method]
    if aggregate.monoid.name in EXTREMA:
        # Thirty blocks must be seen before they decide anything: at the latest half-way through.
        longest = min(updates // _LONGEST, rows // (2 * LEAST))
        blocks: list[int | str] = ["auto"]
        blocks += _whole_steps(max(2, updates // _SHORTEST), longest)
        own = [MaxLike(block, confidence=confidence) for block in blocks]
    else:
        bounds = {*_steps(_TIGHTEST, _LOOSEST)} | ({relative} if relative else set())
        own = [SumLike(relative=bound, confidence=confidence) for bound in sorted(bounds)]
    limits = {*_whole_steps(_FEWEST, updates), updates}
    if buckets is not None and 1 <= buckets < updates:
        limits.add(buckets)
    return [*own, *(Footprint(limit) for limit in sorted(limits))]


def _whole_steps(low: int, high: int) -> list[int]:
    return [int(number) for number in _steps(low, high)]


def _steps(low: float, high: float) -> Iterator[float]:
    """1, 2, 5, 10, 20, 50, … between two numbers, both included."""
    for exponent in range(-9, 19):
        for digit in (1, 2, 5):
            number = float(f"{digit}e{exponent}")  # not a product: 3 · 0.1 is not 0.3
            if low <= number <= high:
                yield number
