"""The time of updates, approximate and exact: the second experiment of the A²MTA paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.approx.clock import exact_updates, nanoseconds_per_tick, rolled_updates
from benchmarks.data import Floats
from benchmarks.findings import Bar, Experiment, Findings, Table, at_most, chosen, pivot
from benchmarks.measure import Bench, Case, Contender, Measured, Timer
from benchmarks.numbers import duration
from windrow import agg
from windrow.algebra.aggregate import Aggregate
from windrow.approximate import MaxLike, SumLike
from windrow.approximate.compiled_approximate_amta import CompiledApproximateAmta
from windrow.approximate.method import Method
from windrow.datasets import server_memory
from windrow.structures import CompiledAmta

__all__ = ["TIMES", "TimeSizes", "run"]

EXACT, APPROXIMATE = "exact", "approximate"
_BATCH = 1 << 14  # readings that come at once
_RANKS = (*range(1, 100), 99.9, 99.99)


@dataclass(frozen=True)
class TimeSizes:
    """How many readings a window holds, and how many are timed at each turn."""

    window: int
    updates: int


def run(sizes: TimeSizes, bench: Bench) -> Findings:
    """A mean under a bound of 0.1 %, and a maximum of candidates, beside exact windows."""
    needed = sizes.window + 2 * (bench.repetitions + 2) * sizes.updates
    readings = np.concatenate(list(server_memory(needed)))
    measured: list[Measured] = []
    tried: list[tuple[str, Aggregate[Any], Method]] = [
        ("mean", agg.mean(), SumLike(relative=0.001)),
        ("max", agg.max(), MaxLike()),
    ]
    for name, aggregate, method in tried:
        pair = _Pair(aggregate, method, sizes, readings)
        case: dict[str, str | int] = {"aggregate": name, "window": sizes.window}
        many = bench.side_by_side({**case, "by": "batch"}, pair.batches())
        measured += many
        measured += _singles(bench, {**case, "by": "update"}, pair)
    return Findings(
        measured,
        [
            pivot(
                f"time per update, in batches of {_BATCH:,}",
                chosen(measured, by="batch"),
                ["aggregate"],
            ),
            *(_single_table(measured, rank) for rank in ("p50", "p99", "p99.9")),
        ],
        _bars(measured),
        [
            f"windows of {sizes.window:,} readings; an update is an insert, an eviction and a "
            "query, of intervals where windows are approximate; single updates are timed in "
            "compiled code by the processor's counter"
        ],
    )


def _single_table(measured: Sequence[Measured], rank: str) -> Table:
    return pivot(
        f"time of single updates, {rank}",
        chosen(measured, by="update"),
        ["aggregate"],
        cell=lambda m: duration(m.at(rank)),
    )


class _Pair:
    """An exact and an approximate window of the same readings, both full."""

    def __init__(
        self, aggregate: Aggregate[Any], method: Method, sizes: TimeSizes, readings: Floats
    ) -> None:
        self._sizes, self._readings = sizes, readings
        self._place = {EXACT: sizes.window, APPROXIMATE: sizes.window}
        self._exact = CompiledAmta(aggregate)
        self._exact.extend(readings[: sizes.window])
        self._buckets = CompiledApproximateAmta(aggregate, method)
        self._buckets.roll(readings[: sizes.window], at_most=sizes.window)

    def _coming(self, name: str) -> Floats:
        start = self._place[name]
        self._place[name] = start + self._sizes.updates
        return self._readings[start : start + self._sizes.updates]

    def batches(self) -> Sequence[Contender]:
        updates = self._sizes.updates
        return [
            Contender(EXACT, self._advance, updates),
            Contender(APPROXIMATE, self._roll, updates),
        ]

    def _advance(self) -> None:
        for batch in _batches(self._coming(EXACT)):
            self._exact.advance(batch)

    def _roll(self) -> None:
        for batch in _batches(self._coming(APPROXIMATE)):
            self._buckets.roll(batch, at_most=self._sizes.window)

    def singles(self) -> Sequence[Timer]:
        tick, size = nanoseconds_per_tick(), self._sizes.window
        return [
            Timer(EXACT, lambda: tick * exact_updates(self._exact, self._coming(EXACT))),
            Timer(
                APPROXIMATE,
                lambda: tick * rolled_updates(self._buckets, self._coming(APPROXIMATE), size),
            ),
        ]


def _batches(readings: Floats) -> list[Floats]:
    return [readings[start : start + _BATCH] for start in range(0, len(readings), _BATCH)]


def _singles(bench: Bench, case: Case, pair: _Pair) -> list[Measured]:
    for timer in pair.singles():
        timer.turn()  # compiles
    return bench.singles(case, pair.singles(), _RANKS)


def _bars(measured: Sequence[Measured]) -> list[Bar]:
    by = {(m.contender, m.case["aggregate"], m.case["by"]): m for m in measured}
    exact, buckets = by[EXACT, "mean", "batch"], by[APPROXIMATE, "mean", "batch"]
    single_exact, single = by[EXACT, "mean", "update"], by[APPROXIMATE, "mean", "update"]
    return [
        at_most("mean within 0.1 %: time / exact", 0.7, [buckets.median / exact.median], "×"),
        at_most("the same, p99", 1.0, [single.at("p99") / single_exact.at("p99")], "×"),
    ]


TIMES = Experiment(
    "times",
    "what an update costs, approximate and exact",
    run,
    full=TimeSizes(2_592_000, 1 << 20),
    quick=TimeSizes(25_920, 1 << 14),
)
