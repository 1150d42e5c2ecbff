"""What is planned for a chance of loss loses nothing when it is simulated, whatever sources do."""

import pytest

from windrow.planning import topology
from windrow.planning.simulation import Sending, simulate
from windrow.planning.topology import Arrivals, Limit, Plan, Reduction, Routing, Sources

pytestmark = pytest.mark.xdist_group("simulation")

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
