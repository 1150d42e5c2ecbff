"""What holds of any simulation: nothing appears or vanishes, limits hold, seeds decide."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.topology.simulation.support import UNLIMITED, plan_of
from windrow.compiler.setting import Compile, compiling
from windrow.topology.model import Emission, Limit, Reduction, Routing, Sources
from windrow.topology.plan import Plan
from windrow.topology.simulation import BackOff, Refusal, Sending, Simulation, simulate
from windrow.topology.simulation.chance import offsets_of
from windrow.topology.trace import Trace

pytestmark = pytest.mark.xdist_group("simulation")

UNTRACED = [sending for sending in Sending if sending is not Sending.TRACE]


def tight(emission: Emission = Emission.ON_CHANGE, keys: int = 1, items: float = 20) -> Plan:
    """A plan that is short of capacity, in items or in bytes."""
    return plan_of(
        [6, 3, 1],
        Limit(items=items, bytes=items * 120.0),
        sources=[Sources(200, 0.5, 100.0), Sources(10, 2.0, 300.0)],
        reduction=Reduction(period_s=10.0, keys=keys, state_bytes=200.0, emission=emission),
        delays=[0.2, 0.2, 0.2],
        skew_s=1.0,
    )


def assert_conserved(report: Simulation) -> None:
    for layer in report.layers:
        assert layer.offered == layer.accepted + layer.dropped + layer.waiting
        assert layer.delayed >= layer.waiting
        assert layer.mean_utilisation <= layer.peak_utilisation <= 1
    for period in report.periods:
        assert period.expected == period.arrived + sum(period.lost)
        assert 0 <= period.drained <= period.arrived
    assert report.sent == report.layers[0].offered
    assert report.lost == sum(sum(period.lost) for period in report.periods)
    assert report.lossless == (report.lost == 0)


@examples(8)
@given(seed=st.integers(0, 2**40), keys=st.sampled_from([1, 5]))
@pytest.mark.parametrize("emission", Emission)
@pytest.mark.parametrize("sending", UNTRACED)
def test_nothing_appears_or_vanishes_and_limits_hold(
    sending: Sending, emission: Emission, keys: int, seed: int
) -> None:
    plan = tight(emission, keys)
    for on_refusal in Refusal:
        report = simulate(plan, sending=sending, duration_s=40.0, seed=seed, on_refusal=on_refusal)
        assert_conserved(report)
        assert report.lossless == (sum(layer.dropped for layer in report.layers) == 0)


@pytest.mark.parametrize("routing", Routing)
@pytest.mark.parametrize("emission", Emission)
@pytest.mark.parametrize("sending", UNTRACED)
def test_without_limits_every_result_is_complete(
    sending: Sending, emission: Emission, routing: Routing
) -> None:
    plan = plan_of(
        [5, 3, 2, 1],
        UNLIMITED,
        reduction=Reduction(period_s=10.0, keys=4, emission=emission),
        routing=routing,
        skew_s=2.0,
    )
    report = simulate(plan, sending=sending, duration_s=300.0)
    assert report.lossless
    assert all(period.arrived == period.expected and period.error == 0 for period in report.periods)
    # Nearly all arrived by themselves; only the last periods were still on their way.
    assert sum(period.drained for period in report.periods) < report.sent / 2


def test_tuples_sent_again_are_never_lost_and_get_in_once_there_is_room() -> None:
    # 100 items arrive at once every 10 s, and a second has room for 30.
    plan = plan_of(
        [1], Limit(items=30), sources=[Sources(100, 0.1)], reduction=Reduction(period_s=10.0)
    )
    report = simulate(
        plan,
        sending=Sending.TICK,
        duration_s=1_000.0,
        on_refusal=Refusal.RETRY,
        back_off=BackOff(median_s=0.5, sigma=0.5),
    )
    (layer,) = report.layers
    assert report.lossless
    assert (layer.offered, layer.accepted, layer.waiting) == (10_000, 10_000, 0)
    assert layer.delayed == 70 * 100
    assert layer.peak_waiting == 70
    assert layer.delay is not None
    # They need three more seconds at least, and find room in time for the next tick.
    assert 3 < layer.delay.max < 10
    assert layer.delay.p50 <= layer.delay.p90 <= layer.delay.p99 <= layer.delay.max


def test_more_wait_than_there_was_room_for_at_first() -> None:
    plan = plan_of([1], Limit(items=10), sources=[Sources(20_000, 0.01)])
    report = simulate(plan, duration_s=60.0, on_refusal=Refusal.RETRY)
    (layer,) = report.layers
    assert layer.accepted == 600
    assert layer.waiting == layer.offered - 600 == layer.peak_waiting
    assert layer.waiting > 10_000
    assert_conserved(report)
    assert report.lossless


@pytest.mark.parametrize("on_refusal", Refusal)
@pytest.mark.parametrize("sending", UNTRACED)
def test_a_seed_decides_everything(sending: Sending, on_refusal: Refusal) -> None:
    def run(seed: int) -> Simulation:
        return simulate(
            tight(), sending=sending, duration_s=120.0, seed=seed, on_refusal=on_refusal
        )

    assert run(3) == run(3)
    assert run(3) != replace(run(4), seed=3)


def test_progress_is_told_and_changes_nothing() -> None:
    told: list[tuple[float, float]] = []
    report = simulate(tight(), duration_s=50.0, progress=lambda *moment: told.append(moment))
    assert report == simulate(tight(), duration_s=50.0)
    assert len(told) == 100
    assert told == sorted(told)
    assert told[-1] == (50.0, 50.0)


def test_a_node_hands_on_as_often_as_the_period_changes_and_at_most_every_other_time() -> None:
    devices, skew_s, seed = 1_000, 1.0, 5
    moments = np.sort(np.random.default_rng(1).uniform(50.0, 70.0, 20_000))
    numbers = np.random.default_rng(2).integers(0, devices, len(moments))
    plan = plan_of([1, 1], sources=[Sources(devices, 1.0)], skew_s=skew_s)
    report = simulate(
        plan, sending=Sending.TRACE, trace=Trace(moments, numbers), duration_s=80.0, seed=seed
    )
    periods = np.floor((moments - offsets_of(seed, devices, skew_s)[numbers]) / 60.0)
    changes = int((np.diff(periods) != 0).sum())
    assert report.layers[1].offered == changes
    # Of two periods at any mixture, at most every other item is of another one than the last.
    mixed = int(((moments > 57) & (moments < 63)).sum())
    assert 500 < changes < mixed / 2 + 1 + 4 * mixed**0.5


def test_a_drop_close_to_the_sink_loses_many_items() -> None:
    narrow = plan_of(
        [4, 1],
        [UNLIMITED, Limit(items=2)],
        sources=[Sources(100, 1.0)],
        reduction=Reduction(period_s=10.0),
    )
    report = simulate(narrow, duration_s=200.0)
    first, sink = report.layers
    assert first.dropped == first.lost == 0
    assert sink.lost > 100 * sink.dropped > 0
    assert report.worst is not None
    assert report.worst.error == max(period.error for period in report.periods) > 0.4


@given(seed=st.integers(0, 2**32))
def test_items_of_a_device_stay_together_where_the_plan_routes_by_source(seed: int) -> None:
    times = np.arange(50) / 50
    trace = Trace(times, np.zeros(50, np.int64))
    plan = plan_of([7, 1], Limit(items=10), sources=[Sources(3, 1.0)])
    together = simulate(plan, sending=Sending.TRACE, trace=trace, routing=Routing.SOURCE, seed=seed)
    assert together.layers[0].accepted == 10
    apart = simulate(plan, sending=Sending.TRACE, trace=trace, seed=seed)
    assert apart.layers[0].accepted > 20


def test_keys_come_as_often_as_the_plan_says() -> None:
    # Routed by key, the node of the hottest key takes what it can; all others have their own.
    plan = plan_of(
        [1, 64],
        reduction=Reduction(period_s=1.0, keys=1_000, hottest=0.25),
        sources=[Sources(1_000, 1.0)],
        routing=[Routing.KEY, Routing.KEY],
    )
    report = simulate(plan, duration_s=200.0)
    assert report.layers[0].peak_held == 1_000
    # A second has 250 items of the hottest key, and one change of period of it.
    states = report.layers[1].offered / 200
    assert states == pytest.approx(1 + 999 * (1 - np.exp(-750 / 999)), rel=0.03)


@pytest.mark.parametrize("emission", Emission)
@pytest.mark.parametrize("sending", UNTRACED)
def test_interpreted_simulations_give_the_same_report(sending: Sending, emission: Emission) -> None:
    def report() -> Simulation:
        plan = tight(emission, keys=5)
        return simulate(plan, sending=sending, duration_s=8.0, on_refusal=Refusal.RETRY, seed=4)

    compiled = report()
    with compiling(Compile.NEVER):
        assert repr(report()) == repr(compiled)
