"""Where items are dropped: too small topologies, the planned one, and one with a margin."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.findings import Bar, Experiment, Findings, Table
from benchmarks.measure import Bench, Measured
from benchmarks.topology.published import (
    DROPPING_LAYERS,
    DURATION_S,
    PERIOD_S,
    SHARD,
    SYNTHETIC,
    WIDTHS,
)
from benchmarks.topology.topologies import topology
from windrow.topology import Arrivals, Emission, Plan, Reduction, common_tick, csa, plan
from windrow.topology.simulation import Sending, Simulation, simulate

__all__ = ["DROPS", "DropSizes", "run"]

_LOSS = 0.001
_SKEW_S = 10.0  # the paper says that clocks differ, and not by how much
_SENDING = {"at a common tick": Sending.TICK, "Poisson": Sending.POISSON}


@dataclass(frozen=True)
class DropSizes:
    """How many seeds, and for how long each."""

    seeds: int
    duration_s: float


@dataclass(frozen=True)
class _Tried:
    name: str
    sending: str
    widths: tuple[int, ...]
    runs: Sequence[Simulation]

    def dropped(self, layer: int) -> float:
        """The share of what a layer was offered, over all seeds."""
        offered = sum(run.layers[layer].offered for run in self.runs)
        return sum(run.layers[layer].dropped for run in self.runs) / max(offered, 1)

    @property
    def error(self) -> float:
        """The share of all items that no result has."""
        return sum(run.lost for run in self.runs) / sum(run.sent for run in self.runs)

    @property
    def lossless(self) -> int:
        return sum(run.lossless for run in self.runs)


def run(sizes: DropSizes, bench: Bench) -> Findings:
    """Every topology with both ways of sending."""
    cases = [
        (name, sending, each)
        for sending in _SENDING
        for name, each in (*_published(), ("with a margin", _with_margin(sending)))
    ]
    tried = []
    with bench.progress.bar(len(cases)) as bar:
        for number, (name, sending, each) in enumerate(cases, 1):
            runs = [
                simulate(
                    each,
                    sending=_SENDING[sending],
                    duration_s=sizes.duration_s,
                    seed=seed,
                    skew_s=_SKEW_S,
                )
                for seed in range(sizes.seeds)
            ]
            tried.append(_Tried(name, sending, each.widths, runs))
            bar(number)
    return Findings(
        [_measured(one) for one in tried],
        [_table(sending, tried) for sending in _SENDING],
        _bars(tried),
        [
            f"Seeds: {sizes.seeds}, {sizes.duration_s / 3600:.1f} hours each. Clocks differ by "
            f"{_SKEW_S:g} s (standard deviation). The margin is for a loss in an hour with a "
            f"chance of {_LOSS:g}.",
            "Theirs: drops were seen in the layers named; their charts have no numbers.",
        ],
    )


def _published() -> list[tuple[str, Plan]]:
    names = {(1,): "one shard", (13, 1): "13 + 1", (13, 7, 1): "13 + 7 + 1"}
    return [
        (names.get(widths, "planned"), topology(widths, SYNTHETIC, SHARD, PERIOD_S))
        for widths in DROPPING_LAYERS
    ]


def _with_margin(sending: str) -> Plan:
    arrivals = Arrivals(skew_s=_SKEW_S)
    if _SENDING[sending] is Sending.TICK:
        arrivals = common_tick([SYNTHETIC], _SKEW_S)
    reduction = Reduction(PERIOD_S, emission=Emission.AT_CLOSE)
    return plan(SYNTHETIC, nodes=SHARD, reduction=reduction, arrivals=arrivals, loss=_LOSS)


def _table(sending: str, tried: Sequence[_Tried]) -> Table:
    rows = []
    for one in tried:
        if one.sending != sending:
            continue
        shares = [f"{100 * one.dropped(layer):.2g}" for layer in range(len(one.widths))]
        theirs = DROPPING_LAYERS.get(one.widths)
        rows.append(
            [
                one.name,
                " ".join(map(str, one.widths)),
                " ".join(shares),
                f"{100 * one.error:.3g}",
                f"{one.lossless} of {len(one.runs)}",
                "" if theirs is None else " ".join(map(str, theirs)),
            ]
        )
    return Table(
        f"sources send {sending}",
        [
            "topology",
            "nodes by layer",
            "dropped by layer, %",
            "missing in results, %",
            "runs without loss",
            "their layers with drops",
        ],
        rows,
    )


def _measured(one: _Tried) -> Measured:
    case = {
        "topology": one.name,
        "sending": one.sending,
        "widths": " ".join(map(str, one.widths)),
        "dropped": " ".join(f"{one.dropped(layer):.6g}" for layer in range(len(one.widths))),
        "lossless": f"{one.lossless} of {len(one.runs)}",
    }
    error = 100 * one.error
    return Measured(one.name, case, error, error, len(one.runs), one.runs[0].sent, unit="%")


def _bars(tried: Sequence[_Tried]) -> list[Bar]:
    bars = []
    for number, widths in WIDTHS.items():
        found = csa(number, SYNTHETIC.rate, 20)
        same = found == widths
        bars.append(Bar(f"published widths for {number}", str(widths), len(found), same, "layers"))
    for one in tried:
        if one.name == "with a margin":
            whole = one.lossless == len(one.runs)
            bars.append(
                Bar(f"no loss, {one.sending}", f"{len(one.runs)} runs", one.lossless, whole, "runs")
            )
        elif one.name == "planned" and one.sending == "at a common tick":
            lost = 100 * one.dropped(0)
            bars.append(Bar("loss at a common tick without margin", "> 0 %", lost, lost > 0, "%"))
    return bars


DROPS = Experiment(
    "drops",
    "Which topologies lose items, and where?",
    run,
    full=DropSizes(10, DURATION_S),
    quick=DropSizes(2, DURATION_S),
)
