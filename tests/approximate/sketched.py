"""Sketches that count or find quantiles, and what is exact of a list."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from scipy import stats

from tests.algebra.drawn import rank, there
from tests.approximate.oracle import Bounded
from windrow import agg

__all__ = [
    "COUNTS",
    "MISSED",
    "QUANTILES",
    "SKETCHED",
    "exact_count",
    "exact_quantile",
    "is_seldom",
]

QUANTILES = [0.0, 0.01, 0.5, 0.9, 1.0]
COUNTS = [agg.distinct_sketch(lg_k=7), agg.distinct_sketch()]


def exact_quantile(q: float, values: Sequence[Any]) -> float | None:
    ordered = sorted(value for value in there(list(values)) if not math.isnan(value))
    return ordered[max(math.ceil(q * len(ordered)), 1) - 1] if ordered else None


def exact_count(values: Sequence[Any]) -> int:
    return len(set(map(rank, there(list(values)))))


# Sketches that count, or find quantiles, and what is exact of a list.
SKETCHED: Bounded = {
    "distinct": (COUNTS[0], exact_count),
    **{
        f"quantile {q}": (agg.quantile_sketch(q, k=64), partial(exact_quantile, q))
        for q in QUANTILES
    },
}

MISSED = 0.01  # how often the exact result may lie outside


def is_seldom(missed: int, rounds: int) -> bool:
    """Whether one in a hundred may well be missed: a test that says no is wrong once in 10^9."""
    return missed <= int(stats.binom.isf(1e-9, rounds, MISSED))
