"""What a simulation's arrays say, in words."""

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from windrow.topology.simulation.histogram import percentiles_of
from windrow.topology.simulation.report import LayerReport, Percentiles, PeriodReport, Simulation
from windrow.topology.simulation.scenario import Scenario
from windrow.topology.simulation.world import (
    ACCEPTED,
    BYTES,
    BYTES_LIMIT,
    DELAYED,
    DROPPED,
    ITEMS_LIMIT,
    LONGEST_DELAY,
    OF_PERIOD,
    OF_WEIGHT,
    OFFERED,
    PEAK_HELD,
    PEAK_TRIED,
    PEAK_USE,
    PEAK_WAITING,
    PERIOD,
    SHIFT,
    SIZE,
    WAITING,
    WEIGHT,
    WIDTH,
    World,
)

__all__ = ["summary_of"]


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
    width = int(world.layout[layer, WIDTH])
    begin, end = limits[SHIFT], limits[SHIFT] + scenario.duration_s
    limit_s = width * (ceil(end) - floor(begin))
    use = max(
        counts[ACCEPTED] / (limit_s * limits[ITEMS_LIMIT]),
        sums[BYTES] / (limit_s * limits[BYTES_LIMIT]),
    )
    return LayerReport(
        width=width,
        offered=int(counts[OFFERED]),
        accepted=int(counts[ACCEPTED]),
        dropped=int(counts[DROPPED]),
        delayed=int(counts[DELAYED]),
        waiting=int(counts[WAITING]),
        lost=int(world.results.lost[layer].sum()),
        peak_utilisation=float(sums[PEAK_USE]),
        mean_utilisation=float(use),
        peak_offered=int(counts[PEAK_TRIED]),
        peak_held=int(counts[PEAK_HELD]),
        peak_waiting=int(counts[PEAK_WAITING]),
        delay=_percentiles(world.delays[layer], float(sums[LONGEST_DELAY])),
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
    np.add.at(drained, world.cells[:, PERIOD], world.cells[:, WEIGHT])
    places = world.waiting.order[: world.waiting.used[SIZE]]
    tuples = world.waiting.tuples[places]
    np.add.at(drained, tuples[:, OF_PERIOD], tuples[:, OF_WEIGHT])
    return drained
