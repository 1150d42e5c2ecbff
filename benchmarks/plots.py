"""Pictures of the results: time against size."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.drawing import lines, panels, power
from benchmarks.findings import chosen
from benchmarks.measure import Measured

__all__ = ["PLOTS"]


def _roll(measured: Sequence[Measured], path: Path) -> None:
    panels(
        {name: lines(chosen(measured, aggregate=name), "window") for name in _values(measured)},
        "Rolling over whole columns: time per update",
        "rows in the window",
        path,
    )


def _structures(measured: Sequence[Measured], path: Path) -> None:
    panels(
        {name: lines(chosen(measured, aggregate=name), "window") for name in _values(measured)},
        "One window, step by step: time per insert + evict + query",
        "updates in the window",
        path,
    )


def _bulk(measured: Sequence[Measured], path: Path) -> None:
    single = [m for m in measured if m.percentiles is not None]
    panels(
        {name: lines(chosen(single, aggregate=name), "evicted") for name in _values(single)},
        "Evicting many updates at once: median time of one eviction",
        f"updates evicted at once ({_held(single)})",
        path,
    )


def _policies(measured: Sequence[Measured], path: Path) -> None:
    panels(
        {"": lines(measured, "window")},
        "Windows that slide by content: time per update",
        "rows in the window (W)",
        path,
    )


PLOTS: Mapping[str, Callable[[Sequence[Measured], Path], None]] = {
    "roll": _roll,
    "structures": _structures,
    "bulk": _bulk,
    "policies": _policies,
}


def _values(measured: Iterable[Measured]) -> list[str]:
    return list(dict.fromkeys(str(m.case["aggregate"]) for m in measured))


def _held(measured: Iterable[Measured]) -> str:
    """How large the windows were, where that depends on the contender."""
    compiled = {m.contender.startswith("Compiled"): int(m.case["window"]) for m in measured}
    return ", ".join(
        f"of {power(held)} {'compiled' if fast else 'in Python'}" for fast, held in compiled.items()
    )
