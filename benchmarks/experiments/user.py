"""A user's own monoid beside the built-in aggregate that does the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import windrow as wr
from benchmarks.data import Floats, positive
from benchmarks.findings import Experiment, Findings, at_most, chosen, pivot
from benchmarks.measure import Bench, Contender, Measured
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.monoid import Monoid

__all__ = ["USER", "UserSizes", "run"]

_PAIRS = {
    "sum": (
        agg.sum(),
        wr.monoid(
            lift=lambda value: value,
            combine=lambda older, newer: older + newer,
            identity=0.0,
            commutative=True,
        ),
    ),
    "max": (
        agg.max(),
        wr.monoid(
            lift=lambda value: value,
            combine=max,
            identity=-inf,
            commutative=True,
        ),
    ),
    "mean": (
        agg.mean(),
        wr.monoid(
            lift=lambda value: (value, 1),
            combine=lambda older, newer: (older[0] + newer[0], older[1] + newer[1]),
            lower=lambda state: state[0] / state[1],
            identity=(0.0, 0),
            commutative=True,
        ),
    ),
}


@dataclass(frozen=True)
class UserSizes:
    """How much is rolled."""

    windows: tuple[int, ...]
    rows: int


def run(sizes: UserSizes, bench: Bench) -> Findings:
    """Nanoseconds per update of both."""
    values = positive(sizes.rows)
    measured: list[Measured] = []
    for name, (built_in, own) in _PAIRS.items():
        for rows in sizes.windows:
            measured += bench.side_by_side(
                {"aggregate": name, "window": rows}, _contenders(values, built_in, own, rows)
            )
    return Findings(
        measured,
        [pivot("ns per update, median", measured, ["aggregate", "window"])],
        [
            at_most(f"user's {name}: slower than built-in", 1.5, _ratios(measured, name), "x")
            for name in _PAIRS
        ],
    )


def _contenders(
    values: Floats, built_in: Aggregate[Any], own: Monoid[Any, Any], rows: int
) -> list[Contender]:
    trailing = window.trailing(rows=rows)
    expected = wr.roll(values, built_in, trailing)
    return [
        Contender("built-in", lambda: wr.roll(values, built_in, trailing), len(values)),
        Contender("user's", lambda: wr.roll(values, own, trailing), len(values), expected),
    ]


def _ratios(measured: Sequence[Measured], name: str) -> list[float]:
    built_in = chosen(measured, contender="built-in", aggregate=name)
    own = chosen(measured, contender="user's", aggregate=name)
    return [mine.median / theirs.median for mine, theirs in zip(own, built_in, strict=True)]


USER = Experiment(
    name="user",
    question="what it costs to write the aggregate oneself",
    run=run,
    full=UserSizes(windows=(1 << 4, 1 << 10, 1 << 16, 1 << 20), rows=1 << 22),
    quick=UserSizes(windows=(1 << 10,), rows=1 << 20),
)
