"""Whole columns: `roll` over windows of many sizes, beside pandas, bottleneck and river."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

import windrow as wr
from benchmarks.data import AGGREGATES, LONGEST_RUN, Floats, positive
from benchmarks.findings import Experiment, Findings, Table, at_least, at_most, chosen, pivot
from benchmarks.measure import Bench, Contender, Measured
from benchmarks.numbers import plain, size
from benchmarks.others import BOTTLENECK, PANDAS, RIVER
from windrow import window

__all__ = ["ROLL", "RollSizes", "run"]


@dataclass(frozen=True)
class RollSizes:
    """How much is rolled."""

    windows: tuple[int, ...]
    rows: int
    pandas_rows: int  # at least twice the window in any case
    river_rows: int
    river_window: int  # the largest: filling takes long


def run(sizes: RollSizes, bench: Bench) -> Findings:
    """Nanoseconds per update, for each aggregate and size of window."""
    values, times = positive(sizes.rows), np.arange(sizes.rows)
    measured = [
        m
        for name in AGGREGATES
        for rows in sizes.windows
        for m in bench.side_by_side(
            {"aggregate": name, "window": rows},
            list(_contenders(name, rows, values, times, sizes)),
        )
    ]
    in_turns = {name: _in_turns(name, values, times, sizes, bench) for name in AGGREGATES}
    return Findings(
        measured,
        [
            pivot("ns per update, median", measured, ["aggregate", "window"]),
            pivot(
                "ns per update, best",
                measured,
                ["aggregate", "window"],
                cell=lambda m: plain(m.best),
            ),
            _spreads(in_turns),
        ],
        [
            *(
                at_most(
                    f"roll, {name}: each window",
                    10,
                    [m.median for m in chosen(measured, contender="windrow", aggregate=name)],
                    "ns",
                )
                for name in ("sum", "max")
            ),
            *(
                at_most(f"roll, {name}: slowest / fastest window", 2, [spread(in_turns[name])], "x")
                for name in ("sum", "max")
            ),
            at_least("roll, max: faster than pandas", 4, _advantages(measured), "x"),
        ],
        [
            f"windrow and bottleneck: {size(sizes.rows)} rows; pandas: {size(sizes.pandas_rows)}, "
            "or twice the window if that is more;",
            f"river: {sizes.river_rows:,} updates of a full window, "
            f"up to window {size(sizes.river_window)}.",
        ],
    )


def _contenders(
    name: str, rows: int, values: Floats, times: NDArray[np.int64], sizes: RollSizes
) -> Iterator[Contender]:
    ours = _windrow(name, rows, values, times)
    yield Contender("windrow", ours, len(values))
    if name == LONGEST_RUN:
        return
    expected = ours()
    fewer = min(max(sizes.pandas_rows, 2 * rows), len(values))
    pandas, bottleneck = PANDAS[name], BOTTLENECK[name]
    yield Contender("pandas", lambda: pandas(values[:fewer], rows), fewer, expected[:fewer])
    yield Contender("bottleneck", lambda: bottleneck(values, rows), len(values), expected)
    if rows <= sizes.river_window:
        yield _river(name, rows, values, expected, sizes.river_rows)


def _windrow(name: str, rows: int, values: Floats, times: NDArray[np.int64]) -> Callable[[], Any]:
    needed = times if name == LONGEST_RUN else None
    trailing = window.trailing(rows=rows)
    return lambda: wr.roll(values, AGGREGATES[name], trailing, times=needed)


def _river(name: str, rows: int, values: Floats, expected: Floats, updates: int) -> Contender:
    statistic = RIVER[name](rows)
    for value in values[:rows].tolist():
        statistic.step(value)
    coming = iter(values[rows:].tolist())

    def run() -> list[float]:
        return [statistic.step(value) for value in islice(coming, updates)]

    return Contender("river", run, updates, expected[rows : rows + updates])


def _in_turns(
    name: str, values: Floats, times: NDArray[np.int64], sizes: RollSizes, bench: Bench
) -> list[Measured]:
    """All sizes of windows in turns: a slow minute of the machine then hits none of them alone."""
    return bench.side_by_side(
        {"aggregate": name, "windows": "in turns"},
        [
            Contender(
                f"windrow {size(rows)}", _windrow(name, rows, values, times), operations=len(values)
            )
            for rows in sizes.windows
        ],
    )


def spread(measured: Sequence[Measured]) -> float:
    """How much slower the slowest is than the fastest."""
    medians = [m.median for m in measured]
    return max(medians) / min(medians)


def _spreads(ours: dict[str, list[Measured]]) -> Table:
    return Table(
        "windrow over all sizes of windows, measured in turns",
        ["aggregate", "fastest ns", "slowest ns", "slowest / fastest"],
        [
            [
                name,
                plain(min(m.median for m in own)),
                plain(max(m.median for m in own)),
                f"{spread(own):.2f}",
            ]
            for name, own in ours.items()
        ],
    )


def _advantages(measured: Sequence[Measured]) -> list[float]:
    """How many times faster than pandas, for the maximum of each window."""
    ours = chosen(measured, contender="windrow", aggregate="max")
    pandas = chosen(measured, contender="pandas", aggregate="max")
    return [theirs.median / own.median for own, theirs in zip(ours, pandas, strict=True)]


ROLL = Experiment(
    name="roll",
    question="what an update of a window costs over whole columns",
    run=run,
    full=RollSizes(
        windows=tuple(1 << power for power in range(4, 23, 2)),
        rows=1 << 23,
        pandas_rows=1 << 21,
        river_rows=2_000,
        river_window=1 << 16,
    ),
    quick=RollSizes(
        windows=(1 << 4, 1 << 10, 1 << 16),
        rows=1 << 20,
        pandas_rows=1 << 18,
        river_rows=500,
        river_window=1 << 10,
    ),
)
