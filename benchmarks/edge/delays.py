"""How long after the row that ends a window its result is there: real cores, three levels high."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from benchmarks.edge.cores import MODES, Cores, batches, job, mode
from benchmarks.findings import Bar, Experiment, Findings, Table, at_most, chosen
from benchmarks.measure import Bench, Measured, percentiles, summary, uncollected

__all__ = ["LATENCY", "LatencySizes", "run"]


@dataclass(frozen=True)
class LatencySizes:
    """Rows a batch, batches a run, and shares of the load that all nodes can take together."""

    rows: int
    batches: int
    loads: tuple[int, ...]  # in percent


def run(sizes: LatencySizes, bench: Bench) -> Findings:
    """Rows come at their pace, whatever becomes of those before: delays add up if they must."""
    measured: list[Measured] = []
    given = batches(sizes.batches, sizes.rows, per_second=10 * sizes.rows)
    for way in MODES:
        with mode(way), uncollected():
            whole = _run(given, None)[1]
            for load in sizes.loads:
                bench.progress.begin(f"{way}, {load} % load")
                delays = _run(given, whole * 100 / load)[0]
                found = summary(way, {"load": load}, delays, len(delays))
                ranks = percentiles(delays)
                measured.append(
                    Measured(way, found.case, found.best, found.median, 1, len(delays), ranks)
                )
                bench.progress.end(f"{ranks['p50'] / 1e6:.1f} ms, p99 {ranks['p99'] / 1e6:.1f} ms")
    lines = [
        [m.contender, str(m.case["load"]), *(f"{m.at(rank) / 1e6:.2f}" for rank in _RANKS)]
        for m in measured
    ]
    table = Table("delay of results", ["", "load, %", *(f"{rank}, ms" for rank in _RANKS)], lines)
    note = "all nodes share one thread, which is what a load of 100 % uses up; without a network"
    return Findings(measured, [table], _bars(measured, sizes), [note])


_RANKS = ("p50", "p90", "p99", "max")


def _run(given: Sequence[pa.Table], pause_ns: float | None) -> tuple[list[float], float]:
    """Delays of results in nanoseconds, and how long a batch took on average."""
    cores = Cores({"root": ["hall-a", "hall-b"], "hall-a": ["a"], "hall-b": ["b"]}, job("max"))
    delays: list[float] = []
    start = time.perf_counter_ns()
    for number, rows in enumerate(given):
        due = start + number * pause_ns if pause_ns else time.perf_counter_ns()
        if (wait := due - time.perf_counter_ns()) > 0:
            time.sleep(wait / 1e9)
        before = cores.results
        for leaf in ("a", "b"):
            cores.insert(leaf, rows)
        if cores.results > before:
            delays.append(time.perf_counter_ns() - due)
    skipped = len(delays) // 5  # kernels are compiled or loaded
    took = (time.perf_counter_ns() - start) / len(given)
    return delays[skipped:], took


def _bars(measured: Sequence[Measured], sizes: LatencySizes) -> list[Bar]:
    loads = [load for load in sizes.loads if load <= 75]
    own = [one for load in loads for one in chosen(measured, contender="tree", load=load)]
    return [
        at_most("p50 at up to 75 % load", 10, [one.at("p50") / 1e6 for one in own], "ms"),
        at_most("p99 at up to 75 % load", 50, [one.at("p99") / 1e6 for one in own], "ms"),
    ]


LATENCY = Experiment(
    "latency",
    "How long after its last row is a window's result at the root?",
    run,
    full=LatencySizes(10_000, 300, (25, 50, 75, 100)),
    quick=LatencySizes(5_000, 300, (25, 75)),
)
