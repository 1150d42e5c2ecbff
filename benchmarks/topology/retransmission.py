"""Refused items sent again: how many are delayed, and for how long, as gateways become more."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.findings import Experiment, Findings, Table
from benchmarks.measure import Bench, Measured
from benchmarks.topology.published import (
    DELAYED_SHARE,
    GATEWAYS,
    LONGEST_DELAY_S,
    gateways,
)
from benchmarks.topology.topologies import topology
from windrow.topology import Limit, Node
from windrow.topology.simulation import BackOff, Refusal, Sending, simulate

__all__ = ["RETRANSMISSION", "RetrySizes", "run"]

_SHARD = Node(Limit(bytes=1_000_000), name="shard")
_PERIOD_S = 60.0
# What the paper leaves open, chosen so that 240 gateways fare as theirs did: how close to the
# minute they send (standard deviation), and how long they wait before they send again.
_JITTER_S = 2.35
_BACK_OFF = BackOff(median_s=2.0, sigma=0.5)


@dataclass(frozen=True)
class RetrySizes:
    """How many gateways, and for how long."""

    gateways: Sequence[int]
    duration_s: float


def run(sizes: RetrySizes, bench: Bench) -> Findings:
    """One shard, more and more gateways."""
    measured = []
    with bench.progress.bar(len(sizes.gateways)) as bar:
        for number, count in enumerate(sizes.gateways, 1):
            found = simulate(
                topology((1,), gateways(count), _SHARD, _PERIOD_S),
                sending=Sending.TICK,
                duration_s=sizes.duration_s,
                on_refusal=Refusal.RETRY,
                back_off=_BACK_OFF,
                jitter_s=_JITTER_S,
            )
            [shard] = found.layers
            delays = {} if shard.delay is None else vars(shard.delay)
            share = 100 * shard.delayed / shard.offered
            case = {"gateways": count}
            measured.append(
                Measured("delayed", case, share, share, 1, shard.offered, delays, unit="%")
            )
            bar(number)
    rows = [
        [
            str(one.case["gateways"]),
            f"{one.median:.1f}",
            *(f"{(one.percentiles or {}).get(rank, 0.0):.1f}" for rank in ("p50", "p99", "max")),
            *_theirs(one),
        ]
        for one in measured
    ]
    header = [
        "gateways",
        "delayed, %",
        "p50, s",
        "p99, s",
        "longest, s",
        "their %",
        "their longest",
    ]
    return Findings(
        measured,
        [Table("items sent again to one shard of 1 MB a second", header, rows)],
        notes=[
            f"Gateways send around the minute (deviation {_JITTER_S:g} s) and wait "
            f"{_BACK_OFF.median_s:g} s in the median before they send again: both are open in the "
            "paper, and chosen so that 240 gateways come near its figures."
        ],
    )


def _theirs(one: Measured) -> list[str]:
    if one.case["gateways"] != GATEWAYS[-1]:
        return ["", ""]
    return [f"{100 * DELAYED_SHARE:.0f}", f"{LONGEST_DELAY_S:.0f}"]


RETRANSMISSION = Experiment(
    "retransmission",
    "What does it cost to send refused items again?",
    run,
    full=RetrySizes(GATEWAYS, 24 * 3600.0),
    quick=RetrySizes(GATEWAYS[::4], 3600.0),
)
