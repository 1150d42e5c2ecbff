"""Slide policies: windows that decide by their content, beside windows of as many rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import windrow as wr
from benchmarks.findings import Experiment, Findings, pivot
from benchmarks.measure import Bench, Contender, Measured
from windrow import agg, window
from windrow.windows import Policy

__all__ = ["POLICIES", "PolicySizes", "run"]

_LARGEST = 100  # values are whole numbers below: sums are exact


@dataclass(frozen=True)
class PolicySizes:
    """How much is rolled."""

    windows: tuple[int, ...]
    rows: int


def run(sizes: PolicySizes, bench: Bench) -> Findings:
    """Nanoseconds per update."""
    values = np.random.default_rng(0).integers(_LARGEST, size=sizes.rows)
    measured: list[Measured] = []
    for rows in sizes.windows:
        measured += bench.side_by_side({"window": rows}, _contenders(values, rows))
    return Findings(
        measured,
        [pivot("ns per update, median", measured, ["window"])],
        notes=[
            f"{sizes.rows:,} rows.  The sum limit is such that windows have about as many rows; "
            "they grow and shrink with the values."
        ],
    )


def _contenders(values: NDArray[np.int64], rows: int) -> list[Contender]:
    limit = rows * (_LARGEST - 1) // 2
    largest = wr.roll(values, agg.max(), window.trailing(rows=rows))

    def roll(aggregate: Any, over: Any) -> Callable[[], Any]:
        return lambda: wr.roll(values, aggregate, over)

    return [
        Contender("trailing(rows=W)", roll(agg.max(), window.trailing(rows=rows)), len(values)),
        Contender("keep count ≤ W", roll(agg.max(), _count(rows)), len(values), largest),
        Contender("from the max on", roll(agg.max(), _from_max(rows)), len(values), largest),
        Contender(
            "keep sum ≤ limit",
            roll(agg.count(), _sum(limit)),
            len(values),
            _rows_within(values, limit),
        ),
    ]


def _count(rows: int) -> Policy:
    return window.policy(keep=lambda w: w.n <= rows, using={"n": agg.count()})


def _from_max(rows: int) -> Policy:
    return window.policy(
        keep=lambda w: w.n <= rows,
        drop=lambda evicted, after, before: evicted.peak <= after.peak,
        using={"n": agg.count(), "peak": agg.max()},
    )


def _sum(limit: int) -> Policy:
    return window.policy(keep=lambda w: w.total <= limit, using={"total": agg.sum()})


def _rows_within(values: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """For each row, how many of the latest values add up to no more than the limit."""
    before = np.concatenate([[0], np.cumsum(values)])
    first = np.searchsorted(before, before[1:] - limit)
    # One that slid on does not come back: values are not negative, so none could.
    return np.arange(1, len(values) + 1) - first


POLICIES = Experiment(
    name="policies",
    question="what windows that slide by content cost",
    run=run,
    full=PolicySizes(windows=tuple(1 << power for power in range(4, 21, 4)), rows=1 << 22),
    quick=PolicySizes(windows=(1 << 4, 1 << 12), rows=1 << 19),
)
