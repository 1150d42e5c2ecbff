"""The frontier: settings that no other beats in both footprint and error, and its knee.

The footprint is that of the long run, on average; the error is the largest.
"""

from collections.abc import Sequence
from math import inf, log

from windrow.approximate.tuning.measured import Measured

__all__ = ["frontier", "knee"]


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
