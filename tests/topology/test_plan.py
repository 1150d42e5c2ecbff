"""Plans for items of one key: the published case, limits at once, kinds of nodes, margins."""

from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.published import assigned, most_offered
from tests.topology.walk import chance_of_loss, mixed_items, through
from windrow import topology
from windrow.errors import InputError
from windrow.topology import Emission, Limit, Node, Reduction, Routing, Sources

RATES = st.decimals("0.001", "20", places=3, allow_nan=False).map(float)
SIZES = st.integers(1, 2_000)


def offered(load: Fraction, widths: tuple[int, ...]) -> list[Fraction]:
    """What all nodes of each layer together may be offered, by theorem 1."""
    return [
        most_offered(load, widths[:layer]) * widths[layer - 1]
        for layer in range(1, len(widths) + 1)
    ]


@given(st.integers(1, 10**8), RATES)
def test_the_published_case_is_the_published_algorithm(sources: int, rate: float) -> None:
    assert topology.plan(sources, rate=rate, nodes=20).widths == topology.csa(sources, rate, 20)


@given(st.integers(1, 10**6), RATES, st.sampled_from([0.05, 0.1, 0.25, 0.9]))
def test_a_margin_is_a_smaller_limit(sources: int, rate: float, margin: float) -> None:
    usable = 20 * (1 - Fraction(str(margin)))
    plan = topology.plan(sources, rate=rate, nodes=20, margin=margin)
    assert plan.widths == assigned(sources * Fraction(str(rate)) / usable)
    assert all(layer.load <= 1 - margin + 1e-12 for layer in plan.layers)


@given(st.integers(1, 10**5), SIZES, SIZES, st.integers(2_000, 10**6))
def test_each_layer_has_what_its_scarcer_limit_asks_for(
    sources: int, item_bytes: int, state_bytes: int, limit: int
) -> None:
    plan = topology.plan(
        sources,
        rate=0.5,
        item_bytes=item_bytes,
        nodes=Limit(items=20, bytes=limit),
        reduction=Reduction(state_bytes=state_bytes),
    )
    items = offered(Fraction(sources, 2), plan.widths)
    for number, (layer, expected) in enumerate(zip(plan.layers, items, strict=True)):
        size = state_bytes if number else item_bytes
        assert layer.width == max(ceil(expected / 20), ceil(expected * size / limit))
        assert layer.items == pytest.approx(float(expected))
        assert layer.bytes == pytest.approx(float(expected * size))


@pytest.mark.parametrize("margin", [None, 0.1, 0.5])
def test_where_only_bytes_are_limited_items_need_a_size(margin: float | None) -> None:
    nodes = topology.KAFKA_PARTITION
    with pytest.raises(InputError, match=r"item_bytes=0: .* give their size"):
        topology.plan(500, rate=0.5, nodes=nodes, margin=margin)
    asked = partial(topology.plan, 500, rate=0.5, item_bytes=50_000, nodes=nodes, margin=margin)
    # States are as large as items unless told, and a partition takes a hundred of these.
    assert asked().widths == topology.plan(500, rate=0.5, nodes=100, margin=margin).widths
    small = asked(reduction=Reduction(state_bytes=1))
    assert small.widths == (ceil(500 * 0.5 * 50_000 / (5_000_000 * (1 - (margin or 0)))), 1)


def test_states_are_as_large_as_an_average_item() -> None:
    plan = topology.plan((Sources(10, 1, 100), Sources(5, 6, 300)), nodes=Limit(bytes=1e4))
    assert plan.state_bytes == 250
    assert plan.reduction.state_bytes is None
    assert plan.adapt(Sources(10, 1, 700)).plan.state_bytes == 700


@given(st.lists(st.tuples(st.integers(1, 1_000), RATES), min_size=1, max_size=5))
def test_classes_send_what_they_send_together(classes: list[tuple[int, float]]) -> None:
    sources = tuple(Sources(count, rate) for count, rate in classes)
    load = sum((count * Fraction(str(rate)) / 20 for count, rate in classes), Fraction(0))
    plan = topology.plan(sources, nodes=20)
    assert plan.widths == assigned(load)
    assert plan.rate == pytest.approx(float(load * 20))


def test_each_layer_may_have_nodes_of_its_own_and_the_last_kind_goes_on() -> None:
    small, large = Node(Limit(items=20), 0.01, 0.1), Node(Limit(items=30), 0.05, 0.2)
    plan = topology.plan(500, rate=0.5, nodes=(small, large))
    items = offered(Fraction(250), plan.widths)
    assert [layer.node for layer in plan.layers] == [small] + [large] * (len(plan.layers) - 1)
    assert plan.widths[0] == ceil(items[0] / 20)
    assert plan.widths[1:] == tuple(ceil(one / 30) for one in items[1:])
    assert plan.cost == pytest.approx(0.01 * plan.widths[0] + 0.05 * sum(plan.widths[1:]))


def test_a_cost_needs_all_prices() -> None:
    kinds = (Node(Limit(items=20), 0.01), Node(Limit(items=20)))
    assert topology.plan(500, rate=0.5, nodes=kinds).cost is None


def test_a_period_takes_a_pane_and_a_delay_in_each_further_layer() -> None:
    node = Node(Limit(items=20), delay_s=0.2)
    plan = topology.plan(500, rate=0.5, nodes=node, reduction=Reduction(period_s=60, states=6))
    assert plan.latency_s == pytest.approx(5 * 0.2 + 13 / 250 + 4 * 10)


@given(
    st.integers(1, 10**6),
    RATES,
    st.sampled_from([20, 100.5, 1_000]),  # smaller ones leave chance no room
    st.sampled_from([1.0, 1.7, 2.0, 60.0]),
    st.sampled_from([0.1, 0.001, 1e-6]),
)
def test_a_plan_for_a_chance_of_loss_loses_no_oftener(
    sources: int, rate: float, limit: float, burst: float, loss: float
) -> None:
    arrivals = topology.Arrivals(burst)
    rate = min(rate, limit)
    plan = topology.plan(sources, rate=rate, nodes=limit, arrivals=arrivals, loss=loss)
    assert plan.widths[-1] == 1
    assert chance_of_loss(plan) <= loss * (1 + 1e-6)
    # By the clock a node hands on one state a period, over a period.
    for above, layer in pairwise(plan.layers):
        assert layer.items <= above.width / 60 * (1 + 1e-9)


def test_the_published_plan_would_lose_by_chance_and_the_planned_one_does_not() -> None:
    assert chance_of_loss(topology.plan(500, rate=0.5, nodes=20)) > 1
    plan = topology.plan(500, rate=0.5, nodes=20, loss=0.01)
    assert plan.nodes > 27
    assert chance_of_loss(plan) <= 0.01


def test_a_smaller_chance_and_a_larger_burst_need_more_nodes() -> None:
    chances = [topology.plan(500, rate=0.5, nodes=20, loss=x).nodes for x in (0.1, 1e-3, 1e-12)]
    assert chances == sorted(set(chances))
    bursts = [
        topology.plan(500, rate=0.5, nodes=20, loss=0.01, arrivals=topology.Arrivals(x)).nodes
        for x in (1, 2, 10)
    ]
    assert bursts == sorted(set(bursts))


def test_sources_hashed_as_a_whole_need_more_nodes() -> None:
    whole = topology.plan(500, rate=0.5, nodes=20, loss=0.01, routing=Routing.SOURCE)
    assert [layer.routing for layer in whole.layers[:2]] == [Routing.SOURCE, Routing.ITEM]
    assert whole.widths[0] > topology.plan(500, rate=0.5, nodes=20, loss=0.01).widths[0]


def test_at_close_each_node_hands_on_one_state_a_period() -> None:
    reduction = Reduction(period_s=60, emission=Emission.AT_CLOSE, spread_s=2)
    plan = topology.plan(5_000, rate=0.5, nodes=20, reduction=reduction)
    assert plan.widths == (125, ceil(125 / 2 / 20), 1)
    assert plan.layers[1].items == pytest.approx(125 / 2)
    assert plan.layers[1].usual_items == pytest.approx(125 / 60)


def test_numbers_of_numpy_are_numbers() -> None:
    numbers: Any = (np.int32(500), np.int64(1), np.int64(20), np.float32(0.5), np.float64(0.01))
    count, one, twenty, half, cents = numbers
    plan = topology.plan(
        Sources(count, half, np.float64(0)),
        nodes=(Node(Limit(items=twenty), cents),),
        reduction=Reduction(keys=one),
    )
    assert plan.widths == (13, 7, 4, 2, 1)
    assert topology.plan(count, rate=half, nodes=twenty).widths == plan.widths
    assert topology.from_json(topology.to_json(plan)) == plan


@pytest.mark.parametrize("widths", [(13, 7, 4, 2), (3, 2), (2, 2, 2)])
def test_nodes_that_are_acted_out_hand_on_more_than_theorem_1_allows(
    widths: tuple[int, ...],
) -> None:
    """Its proof overlooks that a node's next items are the sooner from one sender the fewer it has.

    Between neighbours of n and m nodes 1 + 1 / (n + 2 m - 2) comes in place of
    1 + 1 / (n (2 m - 1)): exactly so for the first two layers, a little more below them.
    """
    random, seconds = np.random.default_rng(0), 1_000
    items = through(random, mixed_items(random, 250, seconds, [1.0]), widths[0])
    expected = 250 / 2
    assert len(items) / seconds == pytest.approx(expected, rel=0.02)
    published = offered(Fraction(250), (*widths, 1))[2:]
    for above, width, bound in zip(widths, widths[1:], published, strict=False):
        items = through(random, items, width)
        expected *= (1 + 1 / (above + 2 * width - 2)) / 2
        assert len(items) / seconds == pytest.approx(expected, rel=0.04)
        assert len(items) / seconds > float(bound)
