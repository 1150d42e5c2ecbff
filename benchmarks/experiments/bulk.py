"""Evicting many updates at once: from Python, and timed inside compiled code."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clocked import ClockedForest, clock_cost
from benchmarks.data import positive
from benchmarks.findings import Experiment, Findings, Table, at_most, chosen, pivot
from benchmarks.keepers import compiled, filled
from benchmarks.measure import (
    Bench,
    Case,
    Contender,
    DisagreementError,
    Measured,
    Timer,
    percentiles,
    uncollected,
)
from benchmarks.numbers import case_text, duration, size
from benchmarks.streams import Stream
from windrow.structures import Amta, FlatFat, LogMta, TwoStacks
from windrow.structures.compiled_amta import CompiledAmta

__all__ = ["BULK", "COMPILED", "FROM_PYTHON", "BulkSizes", "run"]

COMPILED, FROM_PYTHON = "CompiledAmta, inside", "CompiledAmta, called"
_AT_BAR = {"window": 1 << 22, "evicted": 1 << 19}
_LEAST_ITEMS = 1 << 19  # evicted and inserted in one repetition


@dataclass(frozen=True)
class BulkSizes:
    """How large windows are, how many updates leave at once, and how often."""

    held: int
    counts: tuple[int, ...]
    times: int
    python_held: int
    python_counts: tuple[int, ...]
    python_times: int


@dataclass(frozen=True)
class _Evictor:
    """A window whose evictions are timed; what leaves is replaced after each."""

    name: str
    evict: Callable[[int, int], NDArray[np.int64]]  # evict(count, times) → nanoseconds of each
    query: Callable[[], Any]


def run(sizes: BulkSizes, bench: Bench) -> Findings:
    """Latencies of single evictions, and the cost of evicting and inserting, per item."""
    values = positive(sizes.held)
    single: list[Measured] = []
    per_item: list[Measured] = []
    with uncollected():  # structures are full of objects, none of which is garbage
        for name in ("sum", "max"):
            stream = Stream(name, values, sizes.held)
            single += _single(stream, list(_compiled(stream)), sizes.counts, sizes.times, bench)
            per_item += _per_item(stream, sizes.counts, bench)
            stream = Stream(name, values, sizes.python_held)
            interpreted = [_from_python(filled(s, stream), stream) for s in _INTERPRETED]
            single += _single(stream, interpreted, sizes.python_counts, sizes.python_times, bench)
    at_bar = [m.median / 1e3 for m in chosen(single, contender=COMPILED, **_AT_BAR)]
    return Findings(
        [*single, *per_item],
        [
            _latencies(single),
            pivot(
                "evicting so many at once and inserting as many, ns per item, median",
                per_item,
                ["aggregate", "window", "evicted"],
            ),
        ],
        [at_most("evicting 512K of 2^22 at once, compiled", 15, at_bar, "µs")],
        [
            f"The window is full before each eviction; {sizes.times} evictions each, "
            f"{sizes.python_times} of Python's structures.",
            "Called: timed in Python.  Inside: in compiled code, where a reading of the clock "
            f"counts for about {percentiles(clock_cost())['p50']:.0f} ns (not taken off).",
        ],
    )


_INTERPRETED = (TwoStacks, FlatFat, LogMta, Amta)


def _compiled(stream: Stream) -> Iterator[_Evictor]:
    forest = ClockedForest(stream)
    yield _Evictor(COMPILED, forest.evict, forest.query)
    yield replace(_from_python(compiled(stream), stream), name=FROM_PYTHON)


def _from_python(window: Any, stream: Stream) -> _Evictor:
    def evict(count: int, times: int) -> NDArray[np.int64]:
        spent = np.empty(times, np.int64)
        columns = stream.rows(0, count)
        updates = columns[0].tolist()
        for k in range(times):
            start = time.perf_counter_ns()
            window.evict(count)
            spent[k] = time.perf_counter_ns() - start
            if isinstance(window, CompiledAmta):
                window.extend(*columns)
            else:
                for update in updates:
                    window.insert(update)
        return spent

    return _Evictor(type(window).__name__, evict, window.query)


def _single(
    stream: Stream, evictors: Sequence[_Evictor], counts: Sequence[int], times: int, bench: Bench
) -> list[Measured]:
    measured: list[Measured] = []
    for count in counts:
        case: Case = {"aggregate": stream.name, "window": stream.held, "evicted": count}
        for evictor in evictors:
            evictor.evict(count, 1)
        share = -(-times // bench.repetitions)
        timers = [Timer(e.name, partial(e.evict, count, share)) for e in evictors]
        measured += bench.singles(case, timers)
        _require_agreement(case_text(case), evictors)
    return measured


def _require_agreement(case: str, evictors: Sequence[_Evictor]) -> None:
    first, *others = [(evictor.name, evictor.query()) for evictor in evictors]
    for name, answer in others:
        if not isclose(first[1], answer, rel_tol=1e-9):
            raise DisagreementError(f"{case}: {name} gives {answer}, {first[0]} {first[1]}")


def _per_item(stream: Stream, counts: Sequence[int], bench: Bench) -> list[Measured]:
    forest = ClockedForest(stream)
    measured = []
    for count in counts:
        rounds = max(_LEAST_ITEMS // count, 1)
        case: Case = {"aggregate": stream.name, "window": stream.held, "evicted": count}
        measured += bench.side_by_side(case, [_cycles(forest, count, rounds)])
    return measured


def _cycles(forest: ClockedForest, count: int, rounds: int) -> Contender:
    return Contender("evict + insert", lambda: forest.cycle(count, rounds), count * rounds)


def _latencies(measured: Sequence[Measured]) -> Table:
    rows = [
        [
            *(str(m.case["aggregate"]), size(int(m.case["window"])), size(int(m.case["evicted"]))),
            *(m.contender, *map(duration, m.percentiles.values())),
        ]
        for m in measured
        if m.percentiles is not None
    ]
    header = ["aggregate", "window", "evicted", "contender", "p50", "p90", "p99", "max"]
    return Table("single evictions", header, rows)


BULK = Experiment(
    name="bulk",
    question="what it costs to evict many at once",
    run=run,
    full=BulkSizes(
        held=1 << 22,
        counts=(1, 1 << 6, 1 << 10, 1 << 16, 1 << 19),
        times=200,
        python_held=1 << 16,
        python_counts=(1, 1 << 6, 1 << 10, 1 << 15),
        python_times=20,
    ),
    quick=BulkSizes(
        held=1 << 22,
        counts=(1, 1 << 10, 1 << 19),
        times=15,
        python_held=1 << 12,
        python_counts=(1, 1 << 6, 1 << 10),
        python_times=15,
    ),
)
