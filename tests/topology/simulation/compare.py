"""A report beside what the oracle saw."""

from collections.abc import Sequence
from math import ceil, floor, inf

import pytest

from tests.topology.simulation.oracle import Happened, Oracle
from windrow.topology.plan import Layer
from windrow.topology.simulation import LayerReport, Percentiles, Simulation

__all__ = ["assert_same"]

_BIN = 1.0203  # how much larger the end of a histogram's bin may be than what is in it


def assert_same(report: Simulation, oracle: Oracle) -> None:
    """Counts, peaks and results are equal; percentiles are, to a bin's width."""
    now = oracle.duration_s
    for number, layer in enumerate(report.layers):
        seen = oracle.layers[number]
        waiting = oracle.waiting(number)
        behind = oracle.behind(number)
        seconds = len(range(floor(behind), ceil(behind + now)))
        _assert_same_layer(layer, seen, oracle.plan.layers[number], seconds)
        so_far = [now + behind - one.since for one in waiting if one.since is not None]
        assert layer.waiting == len(waiting)
        assert layer.peak_waiting == seen.peak_waiting
        _assert_percentiles(layer.delay, [(delay, 1) for delay in seen.delays + so_far])
    _assert_same_periods(report, oracle)
    period_s = oracle.plan.reduction.pane_s
    _assert_percentiles(
        report.latency,
        [(max(at - (of + 1) * period_s, 0.0), weight) for at, of, weight in oracle.arrivals],
    )


def _assert_same_layer(layer: LayerReport, seen: Happened, planned: Layer, seconds: int) -> None:
    assert (layer.offered, layer.accepted) == (seen.offered, seen.accepted)
    assert (layer.dropped, layer.delayed) == (seen.dropped, seen.delayed)
    assert layer.lost == seen.lost.total()
    assert layer.peak_offered == max(seen.tries.values(), default=0)
    assert layer.peak_held == seen.peak_held
    limits = planned.node.limit.items or inf, planned.node.limit.bytes or inf
    of_items = [len(sizes) / limits[0] for sizes in seen.taken.values()]
    of_bytes = [sum(sizes) / limits[1] for sizes in seen.taken.values()]
    assert layer.peak_utilisation == pytest.approx(max(of_items + of_bytes, default=0.0))
    assert layer.peak_utilisation <= 1
    means = sum(of_items) / (seconds * layer.width), sum(of_bytes) / (seconds * layer.width)
    assert layer.mean_utilisation == pytest.approx(max(means))


def _assert_same_periods(report: Simulation, oracle: Oracle) -> None:
    left = oracle.left()
    assert [period.number for period in report.periods] == sorted(oracle.expected)
    for period in report.periods:
        number = period.number
        came = [(at, weight) for at, of, weight in oracle.arrivals if of == number]
        end = (number + 1) * oracle.plan.reduction.pane_s
        assert period.expected == oracle.expected[number]
        assert period.drained == left[number]
        assert period.arrived == sum(weight for _, weight in came) + left[number]
        assert period.lost == tuple(seen.lost[number] for seen in oracle.layers)
        if came:
            assert period.latency_s == pytest.approx(max(max(at for at, _ in came) - end, 0.0))
        else:
            assert period.latency_s is None


def _assert_percentiles(found: Percentiles | None, weighted: Sequence[tuple[float, int]]) -> None:
    if not weighted:
        assert found is None
        return
    assert found is not None
    every = sorted(duration for duration, weight in weighted for _ in range(weight))
    assert found.max == pytest.approx(every[-1])
    for share, value in ((0.5, found.p50), (0.9, found.p90), (0.99, found.p99)):
        exact = every[ceil(share * len(every)) - 1]
        if exact < 1e-3:
            assert value == 0
        else:
            assert exact * (1 - 1e-9) <= value <= exact * _BIN
