"""When devices send: with periods of a second, a report has the number of items of every second."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.topology.simulation.support import plan_of
from windrow.topology.model import Reduction, Sources
from windrow.topology.plan import Plan
from windrow.topology.simulation import Bursts, Sending, Simulation, simulate
from windrow.topology.trace import Trace

pytestmark = pytest.mark.xdist_group("simulation")

SECONDS = 4_000


def by_second(*sources: Sources) -> Plan:
    return plan_of([1], sources=sources, reduction=Reduction(period_s=1.0))


def items(report: Simulation, seconds: int = SECONDS) -> NDArray[np.int64]:
    """Those of every second."""
    counts = np.zeros(seconds, np.int64)
    for period in report.periods:
        counts[period.number] = period.expected
    return counts


def test_poisson_counts_have_a_mean_and_a_variance_of_the_rate() -> None:
    plan = by_second(Sources(300, 0.1), Sources(5, 4.0))
    counts = items(simulate(plan, duration_s=SECONDS))
    assert counts.mean() == pytest.approx(50, abs=5 * (50 / SECONDS) ** 0.5)
    assert counts.var() == pytest.approx(50, rel=5 * (2 / SECONDS) ** 0.5)
    neighbours = np.corrcoef(counts[1:], counts[:-1])[0, 1]
    assert abs(neighbours) < 5 / SECONDS**0.5


def test_periodic_devices_send_once_every_interval_at_a_moment_of_their_own() -> None:
    counts = items(
        simulate(by_second(Sources(1_000, 0.1)), sending=Sending.PERIODIC, duration_s=SECONDS)
    )
    cycles = counts.reshape(-1, 10)
    assert (cycles == cycles[0]).all()
    assert cycles[0].sum() == 1_000
    assert cycles[0].min() > 60  # of 100 expected


def test_a_common_tick_every_two_seconds_leaves_every_other_second_empty() -> None:
    counts = items(simulate(by_second(Sources(500, 0.5)), sending=Sending.TICK, duration_s=SECONDS))
    assert (counts[::2] == 500).all()
    assert (counts[1::2] == 0).all()


@pytest.mark.parametrize("every_s", [3, 7, 10, 49, 60])
def test_a_tick_of_whole_seconds_stays_on_them(every_s: int) -> None:
    plan = by_second(Sources(2, 1 / every_s))
    counts = items(simulate(plan, sending=Sending.TICK, duration_s=SECONDS))
    assert np.flatnonzero(counts).tolist() == list(range(0, SECONDS, every_s))


def test_jitter_spreads_a_tick_over_the_seconds_around_it() -> None:
    plan = by_second(Sources(10_000, 0.1))
    counts = items(simulate(plan, sending=Sending.TICK, jitter_s=0.5, duration_s=SECONDS))
    by_phase = counts.reshape(-1, 10).mean(axis=0)
    # A standard deviation of half a second has 47.7 % within a second of the tick on each side.
    assert by_phase[[0, 9]] == pytest.approx([4_772, 4_772], rel=0.05)
    assert by_phase.sum() == 10_000


def test_bursts_keep_the_mean_and_widen_the_counts() -> None:
    bursts = Bursts(factor=4.0, duration_s=5.0, share=0.2)
    plan = by_second(Sources(1_000, 0.1))
    counts = items(
        simulate(plan, sending=Sending.BURSTY, bursts=bursts, duration_s=100_000), 100_000
    )
    assert counts.mean() == pytest.approx(100, rel=0.05)
    # Rates of 400 and 25 for a fifth and four fifths of the time: some seconds have both.
    assert counts.var() > 100**2
    assert (counts > 300).mean() == pytest.approx(0.2, abs=0.05)


def test_bursts_that_have_all_items_leave_nothing_between_them() -> None:
    bursts = Bursts(factor=10.0, duration_s=20.0, share=0.1)
    report = simulate(
        by_second(Sources(1_000, 0.1)), sending=Sending.BURSTY, bursts=bursts, duration_s=20_000
    )
    assert (items(report, 20_000) == 0).mean() > 0.8


def test_classes_send_side_by_side() -> None:
    plan = by_second(Sources(30, 1.0), Sources(7, 0.25))
    counts = items(simulate(plan, sending=Sending.TICK, duration_s=SECONDS))
    assert (counts[::4] == 37).all()
    assert (np.delete(counts.reshape(-1, 4), 0, axis=1) == 30).all()


def test_a_trace_is_replayed_until_the_second_of_its_last_item_has_passed() -> None:
    trace = Trace(np.array([0.0, 0.5, 2.25, 2.5, 7.0]), np.array([0, 1, 0, 1, 0]))
    report = simulate(by_second(Sources(2, 1.0)), sending=Sending.TRACE, trace=trace)
    assert report.duration_s == 8
    assert items(report, 8).tolist() == [2, 0, 2, 0, 0, 0, 0, 1]


def test_a_trace_that_tells_periods_and_sizes_is_believed() -> None:
    trace = Trace(
        np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        np.array([0, 1, 0, 1, 0, 1]),
        sizes=np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0]),
        periods=np.array([0, 0, 1, 0, 1, 1]),
    )
    plan = plan_of([1], sources=[Sources(1, 1.0, 5.0)], reduction=Reduction(period_s=3.0))
    report = simulate(plan, sending=Sending.TRACE, trace=trace)
    assert [(period.number, period.expected) for period in report.periods] == [(0, 3), (1, 3)]
    # The changes are after 1, 2 and 3 s: four tuples are handed on, the last is still held.
    assert [period.drained for period in report.periods] == [0, 2]
