"""What is planned for a chance of loss loses nothing when it is simulated, whatever sources do."""

from typing import Any

import numpy as np
import pytest

from tests.topology.traces import ticking, trace_of
from windrow import topology
from windrow.errors import InputError
from windrow.topology import (
    Arrivals,
    Emission,
    Limit,
    Node,
    Plan,
    Reduction,
    Routing,
    Sources,
    measured,
)
from windrow.topology.simulation import Bursts, Sending, simulate

# So many items are worth compiling for.
pytestmark = [pytest.mark.xdist_group("simulation"), pytest.mark.compiles]

# In an hour: of the days that are simulated here, at 0.001 one would be seen to lose.
LOSS = 1e-6


def planned(sources: Sources, limit: float | Limit, sending: Sending, skew_s: float = 0.0) -> Plan:
    arrivals = Arrivals(skew_s=skew_s)
    if sending is Sending.TICK:
        arrivals = topology.common_tick([sources], skew_s)
    return topology.plan(sources, nodes=limit, arrivals=arrivals, loss=LOSS)


@pytest.mark.parametrize("sending", [Sending.POISSON, Sending.TICK])
@pytest.mark.parametrize("skew_s", [0.0, 0.1, 2.0])
@pytest.mark.parametrize(
    ("sources", "limit"),
    [
        (Sources(500, 0.5), 20.0),
        (Sources(950, 0.5), 20.0),
        (Sources(500, 0.5), 10.0),
        (Sources(10_000, 0.1), 50.0),
        (Sources(500, 0.5, 50_000), Limit(bytes=1_000_000)),
    ],
    ids=str,
)
def test_ten_seeds_lose_nothing(
    sending: Sending, skew_s: float, sources: Sources, limit: float | Limit
) -> None:
    plan = planned(sources, limit, sending, skew_s)
    for seed in range(10):
        assert simulate(plan, sending=sending, seed=seed, duration_s=900.0).lossless


@pytest.mark.parametrize("sending", [Sending.POISSON, Sending.TICK])
def test_without_a_margin_the_published_plan_loses(sending: Sending) -> None:
    plan = topology.plan(500, rate=0.5, nodes=20)
    found = simulate(plan, sending=sending, duration_s=900.0)
    assert found.layers[0].dropped > 0


@pytest.mark.parametrize("routing", [Routing.ITEM, Routing.SOURCE])
def test_unequal_classes_lose_nothing(routing: Routing) -> None:
    sources = (Sources(1_000, 1.0, 100), Sources(300, 0.1, 10_000))
    for sending in (Sending.POISSON, Sending.TICK):
        arrivals = Arrivals() if sending is Sending.POISSON else topology.common_tick(sources)
        limit = Limit(items=300, bytes=500_000)
        plan = topology.plan(sources, nodes=limit, arrivals=arrivals, routing=routing, loss=LOSS)
        for seed in range(5):
            assert simulate(plan, sending=sending, seed=seed, duration_s=900.0).lossless


def test_keys_of_items_of_unequal_size_lose_nothing() -> None:
    sources = (Sources(100, 1.0, 100), Sources(10, 0.05, 100_000))
    plan = topology.plan(
        sources, nodes=Limit(bytes=400_000), loss=LOSS, reduction=Reduction(keys=100)
    )
    for seed in range(5):
        assert simulate(plan, seed=seed, duration_s=900.0).lossless


def test_keys_of_classes_that_bunch_differently_lose_nothing() -> None:
    sources = (Sources(1_000, 1.0, 100), Sources(100, 0.1, 50_000))
    plan = topology.plan(
        sources,
        nodes=Limit(bytes=1_000_000),
        arrivals=topology.common_tick(sources),
        loss=LOSS,
        reduction=Reduction(emission=Emission.AT_CLOSE, keys=1_000, state_bytes=100),
    )
    for seed in range(3):
        assert simulate(plan, sending=Sending.TICK, seed=seed, duration_s=120.0).lossless


def test_keys_of_a_trace_whose_cameras_send_together_lose_nothing() -> None:
    random = np.random.default_rng(6)
    meters, cameras = random.uniform(0, 900, 90_000), np.repeat(np.arange(0, 900, 60) + 0.5, 50)
    devices = [random.integers(0, 100, len(meters)), 100 + np.tile(np.arange(50), 15)]
    trace = trace_of(
        np.concatenate([meters, cameras]),
        np.concatenate(devices),
        np.repeat([100.0, 20_000.0], [len(meters), len(cameras)]),
    )
    found = measured(trace)
    plan = topology.plan(
        found.sources,
        nodes=Limit(bytes=500_000),
        arrivals=found.arrivals,
        loss=LOSS,
        reduction=Reduction(emission=Emission.AT_CLOSE, keys=1_000, state_bytes=100),
    )
    for seed in range(3):
        assert simulate(plan, sending=Sending.TRACE, trace=trace, seed=seed).lossless


@pytest.mark.parametrize("limits", [(400, 1_000), (4_000, 100)])
@pytest.mark.parametrize("skew_s", [3.0, 5.0, 30.0])
def test_states_of_late_items_lose_nothing_further_down(
    limits: tuple[float, float], skew_s: float
) -> None:
    plan = topology.plan(
        220_000,
        rate=1,
        nodes=[Node(Limit(items=items)) for items in limits],
        loss=LOSS,
        arrivals=Arrivals(skew_s=skew_s),
        reduction=Reduction(emission=Emission.AT_CLOSE, period_s=10, spread_s=1),
    )
    found = simulate(plan, duration_s=60.0)
    assert found.lossless
    # Some are late, or there would be nothing to plan for.
    once_each = plan.widths[0] * 60 / 10
    assert found.layers[1].offered > once_each


@pytest.mark.parametrize("length_s", [30, 300])
def test_bursts_that_bring_more_keys_lose_nothing_further_down(length_s: float) -> None:
    rare = Reduction(emission=Emission.AT_CLOSE, keys=100_000, hottest=0.3)
    plan = topology.plan(
        5_000, rate=0.5, nodes=1_000, loss=LOSS, arrivals=Arrivals(burst=3), reduction=rare
    )
    bursts = Bursts(3, length_s, 0.1)
    assert simulate(plan, sending=Sending.BURSTY, bursts=bursts, duration_s=900.0).lossless


@pytest.mark.parametrize("spread_s", [1, 5])
@pytest.mark.parametrize("keys", [2_000, 100_000])
def test_states_that_leave_in_a_hurry_lose_nothing(keys: int, spread_s: float) -> None:
    # The largest key is more than a node takes, so there is a layer above that of the keys.
    reduction = Reduction(
        emission=Emission.AT_CLOSE, keys=keys, hottest=0.5, spread_s=spread_s, period_s=20
    )
    plan = topology.plan(1_000, rate=1, nodes=400, loss=LOSS, reduction=reduction)
    assert len(plan.widths) > 1
    for seed in range(2):
        assert simulate(plan, seed=seed, duration_s=300.0).lossless


@pytest.mark.parametrize(
    ("sources", "limit", "widths"),
    [
        ((Sources(200, 0.5), Sources(1, 500.0)), 1_000, 1),
        ((Sources(10, 50.0),), 1_000, 1),
        ((Sources(10_000, 0.01), Sources(3, 9.0), Sources(200, 0.3)), 100, 40),
    ],
)
def test_sources_that_keep_to_a_node_need_few_and_lose_nothing(
    sources: tuple[Sources, ...], limit: float, widths: int
) -> None:
    plan = topology.plan(sources, nodes=limit, loss=LOSS, routing=Routing.SOURCE)
    assert plan.widths[0] <= widths
    for seed in range(5):
        assert simulate(plan, seed=seed, duration_s=900.0).lossless


def test_sources_that_tick_and_keep_to_a_node_need_few_and_lose_nothing() -> None:
    sources = [Sources(500, 0.5)]
    arrivals = topology.common_tick(sources)
    plan = topology.plan(sources, nodes=20, loss=LOSS, routing=Routing.SOURCE, arrivals=arrivals)
    assert plan.widths[0] < 500  # alone on a node each would be safe
    for seed in range(10):
        assert simulate(plan, sending=Sending.TICK, seed=seed, duration_s=300.0).lossless


@pytest.mark.parametrize("routing", [Routing.ITEM, Routing.SOURCE])
def test_a_trace_of_a_common_tick_is_planned_for(routing: Routing) -> None:
    # Every minute, all at once: one by one they burst no more than any that sends a single item.
    trace = trace_of(*ticking(240, 1 / 60, 1_800))
    found = measured(trace)
    plan = topology.plan(
        found.sources, nodes=20, arrivals=found.arrivals, loss=LOSS, routing=routing
    )
    for seed in range(5):
        assert simulate(plan, sending=Sending.TRACE, trace=trace, seed=seed).lossless


def test_a_device_that_bursts_counts_where_devices_keep_to_a_node() -> None:
    random = np.random.default_rng(9)
    # One device sends the items of a minute in one second.
    storms = np.repeat(np.arange(15) * 60.0, 60) + random.random(900)
    times = np.concatenate([random.uniform(0, 900, 90_000), storms])
    devices = np.concatenate([random.integers(0, 100, 90_000), np.full(900, 100)])
    trace = trace_of(times, devices)
    found = measured(trace)
    asked: Any = {"arrivals": found.arrivals, "loss": LOSS, "routing": Routing.SOURCE}
    with pytest.raises(InputError, match="one of the sources alone overruns the node"):
        topology.plan(found.sources, nodes=50, **asked)
    plan = topology.plan(found.sources, nodes=150, **asked)
    for seed in range(5):
        assert simulate(plan, sending=Sending.TRACE, trace=trace, seed=seed).lossless


@pytest.mark.parametrize("large", ["at every minute", "for half a minute", "by chance"])
def test_traces_whose_large_items_come_together_lose_nothing(large: str) -> None:
    random = np.random.default_rng(4)
    times = np.sort(random.uniform(0, 900, 90_000))
    devices = random.integers(0, 100, len(times))
    is_large = {
        "at every minute": np.floor(times) % 60 == 0,
        "for half a minute": times % 300 < 30,
        "by chance": random.random(len(times)) < 0.01,
    }[large]
    trace = trace_of(times, devices, np.where(is_large, 20_000.0, 200.0))
    found = measured(trace)
    plan = topology.plan(
        found.sources,
        nodes=Limit(items=1_000, bytes=1_000_000),
        arrivals=found.arrivals,
        loss=LOSS,
        reduction=Reduction(emission=Emission.AT_CLOSE, state_bytes=100),
    )
    for seed in range(3):
        assert simulate(plan, sending=Sending.TRACE, trace=trace, seed=seed).lossless
    # What comes by chance is no burst, and needs no more than chance does.
    assert (max(found.arrivals.byte_bursts) < 1.2) == (large == "by chance")
