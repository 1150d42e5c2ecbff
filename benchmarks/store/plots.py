"""Pictures of the results: time and memory against size."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.drawing import Figures, dots, lines, panels
from benchmarks.findings import chosen
from benchmarks.measure import Measured
from benchmarks.numbers import memory

__all__ = ["PLOTS"]


def _at(rank: str) -> Figures:
    return lambda measured: measured.at(rank)


def _latency(measured: Sequence[Measured], path: Path) -> None:
    panels(
        {
            f"{by}, {rank}": lines(chosen(measured, by=by), "window", _at(rank))
            for by in dict.fromkeys(str(m.case["by"]) for m in measured)
            for rank in ("p50", "p99", "p99.9")
        },
        "Windows of sums, in memory and in stores: time per insert + evict + query",
        "updates in the window",
        path,
    )


def _eviction(measured: Sequence[Measured], path: Path) -> None:
    panels(
        {rank: lines(measured, "evicted", _at(rank)) for rank in ("p50", "p99", "max")},
        "Evicting many updates at once: time of one eviction",
        "updates evicted at once",
        path,
    )


def _readings(measured: Sequence[Measured], path: Path) -> None:
    dots(measured, "aggregate", "A server's memory use, in windows: time per reading", path)


def _memory(measured: Sequence[Measured], path: Path) -> None:
    panels(
        {"": lines([m for m in measured if "window" in m.case], "window")},
        "The memory that a window takes in its process",
        "updates in the window",
        path,
        memory,
    )


def _dimensions(measured: Sequence[Measured], path: Path) -> None:
    panels(
        {
            name: lines(chosen(measured, structure=name), "dimensions")
            for name in dict.fromkeys(str(m.case["structure"]) for m in measured)
        },
        "Many aggregates of one stream: time per update of all",
        "aggregates",
        path,
    )


PLOTS: Mapping[str, Callable[[Sequence[Measured], Path], None]] = {
    "latency": _latency,
    "eviction": _eviction,
    "readings": _readings,
    "memory": _memory,
    "dimensions": _dimensions,
}
