"""Footprints and errors of approximate windows: the first experiment of the A²MTA paper."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.approx.errors import Errors
from benchmarks.approx.scenarios import HopScenario, MaxScenario, MeanScenario, Scenario
from benchmarks.approx.settings import Setting, settings
from benchmarks.findings import Bar, Experiment, Findings, Table, at_least, at_most
from benchmarks.measure import Bench, Measured
from windrow.approximate import CompiledApproximateAmta
from windrow.datasets import server_memory

__all__ = ["FOOTPRINTS", "FootprintSizes", "run"]

_PUBLISHED_WINDOW = 2_592_000
_WARM_UP = 30  # evictions before hops are predicted

_SCENARIOS: dict[str, Callable[[int], Scenario]] = {
    "mean": MeanScenario,
    "max": MaxScenario,
    "hop": HopScenario,
}


@dataclass(frozen=True)
class FootprintSizes:
    """How many readings there are, and how many a window holds."""

    readings: int
    window: int
    chunk: int = 1 << 16


@dataclass
class _Tried:
    """One window at work."""

    setting: Setting
    window: CompiledApproximateAmta
    settled_after: int  # readings
    errors: Errors = field(default_factory=Errors)
    most: int = 0  # buckets, at the end of any chunk
    _begun: int = 0  # buckets, when it had settled
    _settled: int = 0  # readings by then

    def note(self, seen: int) -> None:
        self.most = max(self.most, self.window.buckets)
        if not self._settled and seen >= self.settled_after:
            self._begun, self._settled = self.window.begun, seen

    def footprint(self, seen: int) -> float:
        """The buckets begun in percent of readings: what an exact window has a node for."""
        return 100 * self.window.begun / seen

    def settled_footprint(self, seen: int) -> float:
        """The same, since the window was full and predictions had begun."""
        if seen == self._settled:
            return self.footprint(seen)
        return 100 * (self.window.begun - self._begun) / (seen - self._settled)


def run(sizes: FootprintSizes, bench: Bench) -> Findings:
    """All settings over the same readings."""
    scenarios = {name: make(sizes.window) for name, make in _SCENARIOS.items()}
    tried = []
    for setting in settings(sizes.window, _PUBLISHED_WINDOW):
        hops = _WARM_UP * sizes.window // 3 if setting.method == "hop" else 0
        window = scenarios[setting.scenario].new(setting.methods)
        tried.append(_Tried(setting, window, sizes.window + hops))
    seen = 0
    with bench.progress.bar(sizes.readings) as bar:
        for readings in server_memory(sizes.readings, chunk=sizes.chunk):
            exact = {name: scenario.see(readings) for name, scenario in scenarios.items()}
            seen += len(readings)
            for one in tried:
                scenario = scenarios[one.setting.scenario]
                found = scenario.roll(one.window, readings)
                one.errors.add(found, exact[one.setting.scenario])
                one.note(seen)
            bar(seen)
    return Findings(
        [_measured(one, seen) for one in tried],
        _tables(tried, seen),
        _bars(tried, seen) if sizes.window == _PUBLISHED_WINDOW else [],
        _notes(sizes),
    )


def _measured(one: _Tried, seen: int) -> Measured:
    setting = one.setting
    case = {
        "scenario": setting.scenario,
        "method": setting.method,
        "parameter": setting.parameter,
        "right": f"{one.errors.right:.6f}",
        "coverage": f"{one.errors.coverage:.6f}",
        "whole": f"{one.footprint(seen):.6g} %",
    }
    footprint = one.settled_footprint(seen)
    return Measured(
        f"{setting.method} {setting.parameter}".strip(),
        case,
        footprint,
        footprint,
        1,
        seen,
        one.errors.percentiles(),
        "%",
    )


def _tables(tried: Sequence[_Tried], seen: int) -> list[Table]:
    header = [
        "method",
        "parameter",
        "footprint",
        "published",
        "with warm-up",
        "most buckets",
        "largest error",
        "p99 error",
        "right",
        "called exact",
        "in interval",
    ]
    tables = []
    for scenario, title in _TITLES.items():
        own = [one for one in tried if one.setting.scenario == scenario]
        tables.append(Table(title, header, [_row(one, seen) for one in own]))
    return tables


_TITLES = {
    "mean": "the mean of a window of fixed size",
    "max": "the maximum, where all before it is evicted",
    "hop": "the mean, where a third leaves at once",
}


def _row(one: _Tried, seen: int) -> list[str]:
    published, errors = one.setting.published, one.errors
    return [
        one.setting.method,
        one.setting.parameter,
        f"{one.settled_footprint(seen):.3g} %",
        "" if published is None else f"{published:.3g} %",
        f"{one.footprint(seen):.3g} %",
        f"{one.most:,}",
        f"{100 * errors.largest:.2g} %",
        f"{100 * errors.percentiles()['p99']:.2g} %",
        f"{100 * errors.right:.2f} %",
        f"{100 * errors.exact:.2f} %",
        f"{100 * errors.coverage:.2f} %",
    ]


def _bars(tried: Sequence[_Tried], seen: int) -> list[Bar]:
    by = {(one.setting.method, one.setting.parameter): one for one in tried}
    bounded = [one for one in tried if one.setting.bound is not None]
    shares = [
        one.settled_footprint(seen) / one.setting.published
        for one in bounded
        if one.setting.published
    ]
    over = [one.errors.largest / one.setting.bound for one in bounded if one.setting.bound]
    middle = by["sum-like", "0.1 %"].settled_footprint(seen)
    auto, hop = by["max-like", "auto"], by["hop", ""]
    limits = [
        one.most / limit
        for one in tried
        if one.setting.method == "limit" and (limit := one.window.max_buckets)
    ]
    return [
        at_most("sum-like: error / bound", 1.0, over, "×"),
        at_most("sum-like at 0.1 %: footprint", 0.2, [middle], "%"),
        at_most("sum-like: footprint / published", 2.0, shares, "×"),
        at_least("max-like auto: right results", 98.0, [100 * auto.errors.right], "%"),
        at_most("max-like auto: footprint", 10.0, [auto.settled_footprint(seen)], "%"),
        at_least("hop: right results", 100.0, [100 * hop.errors.right], "%"),
        at_most("hop: footprint", 1.0, [hop.settled_footprint(seen)], "%"),
        at_most("limits: buckets / limit", 1.0, limits, "×"),
        at_least(
            "results in their intervals", 100.0, [100 * one.errors.coverage for one in tried], "%"
        ),
        at_most("called exact and not right", 0.0, [one.errors.dishonest for one in tried], ""),
    ]


def _notes(sizes: FootprintSizes) -> list[str]:
    return [
        f"{sizes.readings:,} readings in windows of {sizes.window:,}; footprints are buckets begun "
        "in percent of readings, once windows are full (hops: once 30 evictions have told their "
        "size); with warm-up, from the first reading on",
        "published: Villalba and Carrera, 2019, on readings of a real server",
    ]


FOOTPRINTS = Experiment(
    "footprints",
    "how many buckets approximate windows need, and how wrong they are",
    run,
    full=FootprintSizes(62_208_000, _PUBLISHED_WINDOW),
    quick=FootprintSizes(2_592_000, 25_920),
)
