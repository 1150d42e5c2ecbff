"""How far plans and simulations reach: planning 10^3 to 10^8 devices, simulating a million."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.findings import Experiment, Findings, Table, at_most
from benchmarks.measure import Bench, Measured
from windrow.topology import KINESIS_SHARD, csa, optimum, plan
from windrow.topology.simulation import Sending, simulate

__all__ = ["SCALE", "ScaleSizes", "run"]

_RATE = 0.5
_LIMIT = 20.0
_SLOW = 1 / 60  # what the published gateways send
_HOUR_S = 3600.0
_DRAWN = [sending for sending in Sending if sending is not Sending.TRACE]


@dataclass(frozen=True)
class ScaleSizes:
    """Devices to plan for, devices to simulate."""

    planned: Sequence[int]
    simulated: int


def run(sizes: ScaleSizes, bench: Bench) -> Findings:
    """Times of single calls: the best of some, as each is the same work."""
    measured, rows = [], []
    for devices in sizes.planned:
        ways: dict[str, Callable[[], Any]] = {
            "CSA": lambda n=devices: csa(n, _RATE, _LIMIT),  # type: ignore[misc]
            "optimum": lambda n=devices: optimum(n, _RATE, _LIMIT),  # type: ignore[misc]
            "with a margin": lambda n=devices: (
                plan(  # type: ignore[misc]
                    n, rate=_RATE, nodes=_LIMIT, loss=0.001
                ).widths
            ),
        }
        for name, way in ways.items():
            times, widths = zip(*(_timed(way) for _ in range(bench.repetitions)), strict=True)
            case = {"devices": devices, "nodes": sum(widths[0]), "layers": len(widths[0])}
            middle = sorted(times)[len(times) // 2]
            measured.append(
                Measured(name, case, 1e9 * min(times), 1e9 * middle, bench.repetitions, 1)
            )
            rows.append(
                [
                    name,
                    f"{devices:,}",
                    f"{sum(widths[0]):,}",
                    str(len(widths[0])),
                    f"{1e3 * middle:.2f}",
                ]
            )
    simulated = [_simulated(sizes.simulated, sending, bench) for sending in _DRAWN]
    return Findings(
        [*measured, *simulated],
        [
            Table("planning", ["way", "devices", "nodes", "layers", "ms"], rows),
            Table(
                f"simulating {sizes.simulated:,} devices for an hour",
                ["sending", "items", "s"],
                [
                    [str(one.case["sending"]), f"{one.operations:,}", f"{one.median / 1e9:.1f}"]
                    for one in simulated
                ],
            ),
        ],
        [
            at_most(
                f"planning {max(sizes.planned):,} devices",
                1.0,
                [one.median / 1e9 for one in measured if one.case["devices"] == max(sizes.planned)],
                "s",
            ),
            at_most(
                f"simulating {sizes.simulated:,} devices for an hour",
                60.0,
                [one.median / 1e9 for one in simulated],
                "s",
            ),
        ],
    )


def _timed(way: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    found = way()
    return time.perf_counter() - begun, found


def _simulated(devices: int, sending: Sending, bench: Bench) -> Measured:
    """One run, its kernels compiled before."""
    planned = plan(devices, rate=_SLOW, item_bytes=1_000, nodes=KINESIS_SHARD, loss=0.001)
    simulate(planned, sending=sending, duration_s=60.0)
    with bench.progress.bar(100) as bar:
        seconds, found = _timed(
            lambda: simulate(
                planned,
                sending=sending,
                duration_s=_HOUR_S,
                progress=lambda done, whole: bar(int(100 * done / whole)),
            )
        )
    case = {"devices": devices, "sending": sending.value}
    nanoseconds = 1e9 * seconds
    return Measured("simulate", case, nanoseconds, nanoseconds, 1, found.sent)


SCALE = Experiment(
    "scale",
    "How many devices can be planned for, and simulated?",
    run,
    full=ScaleSizes([10**power for power in range(3, 9)], 1_000_000),
    quick=ScaleSizes([10**3, 10**8], 50_000),
)
