"""The report of a simulation: of every layer, of every period, and of the latency of results."""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from windrow.topology.simulation import columns as at
from windrow.topology.simulation.scenario import Scenario
from windrow.topology.simulation.world import World, percentiles_of

__all__ = ["LayerReport", "Percentiles", "PeriodReport", "Simulation", "summary_of"]


@dataclass(frozen=True)
class Percentiles:
    """Percentiles of durations in seconds, accurate to 2 percent; `max` is exact.

    >>> Percentiles(p50=0.2, p90=0.5, p99=2.0, max=60.0).p99
    2.0
    """

    p50: float
    p90: float
    p99: float
    max: float


@dataclass(frozen=True)
class LayerReport:
    """What a layer was offered, and what became of it.

    In the first layer tuples are items, in all others states that stand for many.  At the end
    `offered == accepted + dropped + waiting`.  `delayed` tuples were refused at least once and sent
    again; `waiting` ones still have to be.  `lost` counts the items that dropped tuples stood for.
    The peaks are of a single node in any second: its use of the limit that is nearest, the tuples
    offered and the states held; `peak_waiting` is of all nodes together.

    >>> LayerReport(1, 10, 9, 1, 0, 0, 1, 1.0, 0.5, 10, 1, 0, delay=None).dropped
    1
    """

    width: int
    offered: int  # tuples, each once
    accepted: int
    dropped: int
    delayed: int  # refused at least once, and sent again
    waiting: int  # still to be sent again at the end
    lost: int  # the sources' items that dropped tuples stood for
    peak_utilisation: float  # of the limit that is nearest, at any node in any second
    mean_utilisation: float  # over all nodes and all calendar seconds that had any of the time
    peak_offered: int  # tuples sent to one node within a second, again or for the first time
    peak_held: int  # states that one node held at once
    peak_waiting: int  # tuples that waited to be sent again at once, to all nodes together
    delay: Percentiles | None  # of delayed tuples; those still waiting count as if accepted now


@dataclass(frozen=True)
class PeriodReport:
    """The items of one period: those expected either arrived, or were lost in some layer.

    >>> PeriodReport(0, 0.0, expected=100, arrived=93, drained=0, lost=(7, 0), latency_s=60.0).error
    0.07
    """

    number: int
    start_s: float
    expected: int
    arrived: int
    drained: int  # of those that arrived: still on their way when the time was up
    lost: tuple[int, ...]  # by layer
    latency_s: float | None  # from its end to the last arrival; None: nothing arrived in time

    @property
    def error(self) -> float:
        """The share of its items that is missing from its result."""
        return sum(self.lost) / self.expected


@dataclass(frozen=True)
class Simulation:
    """What a simulation found.

    All periods count, including those that the beginning or the end cuts off: what nodes still hold
    at the end, and what waits to be sent again, is added to the results, so only dropped tuples are
    missing.  `latency` covers the items that arrived in time, from the true end of their period
    until the sink sends on the result.

    >>> Simulation(0, 60.0, 60.0, layers=(), periods=(), latency=None).lossless
    True
    """

    seed: int
    duration_s: float
    period_s: float
    layers: tuple[LayerReport, ...]
    periods: tuple[PeriodReport, ...]
    latency: Percentiles | None  # each item counts; None: nothing arrived in time

    @property
    def sent(self) -> int:
        """How many items all sources sent."""
        return sum(period.expected for period in self.periods)

    @property
    def lost(self) -> int:
        """How many items are missing from the results."""
        return sum(layer.lost for layer in self.layers)

    @property
    def lossless(self) -> bool:
        """Whether every result is complete."""
        return self.lost == 0

    @property
    def error(self) -> float:
        """The share of all items that is missing from the results."""
        return self.lost / self.sent if self.sent else 0.0

    @property
    def worst(self) -> PeriodReport | None:
        """The period whose result lacks the largest share."""
        return max(self.periods, key=lambda period: period.error, default=None)


def summary_of(world: World, scenario: Scenario) -> Simulation:
    """The report of a world whose time is up."""
    results = world.results
    return Simulation(
        seed=scenario.seed,
        duration_s=scenario.duration_s,
        period_s=world.rules.period_s,
        layers=tuple(_layer(world, scenario, layer) for layer in range(len(world.layout))),
        periods=_periods(world),
        latency=_percentiles(results.latencies, float(results.longest[0])),
    )


def _layer(world: World, scenario: Scenario, layer: int) -> LayerReport:
    counts, sums, limits = world.counts[layer], world.sums[layer], world.limits[layer]
    width = int(world.layout[layer, at.WIDTH])
    begin, end = limits[at.SHIFT], limits[at.SHIFT] + scenario.duration_s
    limit_s = width * (ceil(end) - floor(begin))
    use = max(
        counts[at.ACCEPTED] / (limit_s * limits[at.ITEMS_LIMIT]),
        sums[at.BYTES] / (limit_s * limits[at.BYTES_LIMIT]),
    )
    return LayerReport(
        width=width,
        offered=int(counts[at.OFFERED]),
        accepted=int(counts[at.ACCEPTED]),
        dropped=int(counts[at.DROPPED]),
        delayed=int(counts[at.DELAYED]),
        waiting=int(counts[at.WAITING]),
        lost=int(world.results.lost[layer].sum()),
        peak_utilisation=float(sums[at.PEAK_USE]),
        mean_utilisation=float(use),
        peak_offered=int(counts[at.PEAK_TRIED]),
        peak_held=int(counts[at.PEAK_HELD]),
        peak_waiting=int(counts[at.PEAK_WAITING]),
        delay=_percentiles(world.delays[layer], float(sums[at.LONGEST_DELAY])),
    )


def _percentiles(counts: NDArray[np.int64], longest: float) -> Percentiles | None:
    if not counts.any():
        return None
    p50, p90, p99 = percentiles_of(counts, (0.5, 0.9, 0.99), longest)
    return Percentiles(p50, p90, p99, longest)


def _periods(world: World) -> tuple[PeriodReport, ...]:
    rules, results = world.rules, world.results
    drained = _drained(world)
    arrived = results.arrived + drained
    numbers = np.flatnonzero(results.expected).tolist()
    return tuple(
        PeriodReport(
            number=number + rules.first_period,
            start_s=rules.origin_s + (number + rules.first_period) * rules.period_s,
            expected=int(results.expected[number]),
            arrived=int(arrived[number]),
            drained=int(drained[number]),
            lost=tuple(results.lost[:, number].tolist()),
            latency_s=_latency(world, number),
        )
        for number in numbers
    )


def _latency(world: World, number: int) -> float | None:
    last, rules = float(world.results.last[number]), world.rules
    end = rules.origin_s + (number + rules.first_period + 1) * rules.period_s
    return None if np.isnan(last) else max(last - end, 0.0)


def _drained(world: World) -> NDArray[np.int64]:
    """By period, the items in what nodes hold and in what waits to be sent again."""
    drained = np.zeros(world.results.periods, np.int64)
    np.add.at(drained, world.cells[:, at.PERIOD], world.cells[:, at.WEIGHT])
    places = world.waiting.order[: world.waiting.used[at.SIZE]]
    tuples = world.waiting.tuples[places]
    np.add.at(drained, tuples[:, at.OF_PERIOD], tuples[:, at.OF_WEIGHT])
    return drained
