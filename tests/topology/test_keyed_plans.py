"""Plans for many keys: the last layer is by key, its largest key fits, and flows are bounded."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.examples import examples
from tests.topology.walk import mixed_items, through
from windrow import topology
from windrow.errors import InputError
from windrow.topology import (
    Arrivals,
    Emission,
    Layer,
    Limit,
    Plan,
    Reduction,
    Routing,
    Sources,
)
from windrow.topology.flow import Mixing, handed_on, sent

KEYS = st.integers(2, 10**6)


def reductions() -> st.SearchStrategy[Reduction]:
    def of(keys: int, part: float, emission: Emission) -> Reduction:
        hottest = None if part == 0 else max(part, 1 / keys)
        return Reduction(keys=keys, hottest=hottest, emission=emission)

    return st.builds(of, KEYS, st.sampled_from([0, 0.001, 0.03, 0.3]), st.sampled_from(Emission))


def planned(sources: int, reduction: Reduction, loss: float | None) -> Plan | None:
    try:
        return topology.plan(sources, rate=0.5, nodes=20, reduction=reduction, loss=loss)
    except InputError as error:
        if "cannot be gathered" not in str(error):
            raise
        return None


def hottest_of(plan: Plan) -> list[float]:
    """Items a second of the largest key that reach each layer, computed once more."""
    reduction = plan.reduction
    hot = [plan.rate * reduction.hottest_share]
    for layer in plan.layers[:-1]:
        here = hot[-1] / layer.width
        if reduction.emission is Emission.AT_CLOSE:
            hot.append(min(hot[-1], layer.width / reduction.spreading_s))
        else:
            hot.append(hot[-1] * (1 + (1 - exp(-here)) / here) / 2)
    return hot


def fullest(layer: Layer, hottest: float) -> float:
    """What the node of the largest key is offered, with its part of all others."""
    return hottest + (layer.items - hottest) / layer.width


@given(
    st.integers(1, 2_000),
    st.floats(0.01, 2),
    st.floats(2, 2_000),
    st.sampled_from([None, 1e5, 1e6]),
    st.integers(1, 500),
    st.sampled_from([None, 0.5, 3.0]),
    st.sampled_from([0.0, 0.5, 20.0]),
    st.sampled_from([0.0, 100.0, 20_000.0]),
)
def test_whatever_is_asked_there_is_a_plan_or_a_reason_and_no_key_has_more_than_all(
    sources: int,
    rate: float,
    items: float,
    size: float | None,
    keys: int,
    spread_s: float | None,
    skew_s: float,
    state_bytes: float,
) -> None:
    reduction = Reduction(
        emission=Emission.AT_CLOSE,
        keys=keys,
        period_s=5,
        spread_s=spread_s,
        state_bytes=state_bytes,
    )
    arrivals = Arrivals(skew_s=skew_s)
    limit = Limit(items, size)
    try:
        plan = topology.plan(
            Sources(sources, rate, 2_000),
            nodes=limit,
            loss=0.001,
            reduction=reduction,
            arrivals=arrivals,
        )
    except InputError:
        return
    flow = sent(plan.sources, reduction, arrivals)
    for number in range(1, len(plan.widths)):
        flow = handed_on(flow, plan.widths[:number], reduction, skew_s, Mixing.LONG)
        assert 0 < flow.hottest <= flow.items


@given(st.integers(1, 10**5), reductions())
def test_only_the_last_layer_is_by_key_and_its_largest_key_fits(
    sources: int, reduction: Reduction
) -> None:
    plan = planned(sources, reduction, None)
    if plan is None:
        return
    *above, last = plan.layers
    assert last.routing is Routing.KEY
    assert all(layer.routing is Routing.ITEM for layer in above)
    assert all(layer.items <= 20 * layer.width * (1 + 1e-9) for layer in plan.layers)
    hottest = hottest_of(plan)[-1]
    assert fullest(last, hottest) <= 20 * (1 + 1e-9)
    if last.width > 1:
        assert hottest + (last.items - hottest) / (last.width - 1) > 20 * (1 - 1e-9)


@given(st.integers(1, 10**5), reductions())
def test_flows_from_layer_to_layer_are_those_computed_once_more(
    sources: int, reduction: Reduction
) -> None:
    plan = planned(sources, reduction, None)
    if plan is None:
        return
    assert plan.layers[0].items == pytest.approx(sources / 2)
    for layer, below in zip(plan.layers, plan.layers[1:], strict=False):
        keys = reduction.keys
        if reduction.emission is Emission.AT_CLOSE:
            seen = stats.poisson.sf(0, layer.usual_items * 60 / layer.width / keys) * keys
            expected = min(layer.items, layer.width * seen / 60)
        else:
            here = layer.items / layer.width
            expected = (layer.items + layer.width * keys * stats.poisson.sf(0, here / keys)) / 2
        assert below.items == pytest.approx(expected, rel=1e-6)


@examples(8)
@given(st.integers(1, 1_000), reductions(), st.sampled_from([0.1, 1e-4]))
def test_with_a_chance_of_loss_the_node_of_the_largest_key_overruns_no_oftener(
    sources: int, reduction: Reduction, loss: float
) -> None:
    plan = planned(sources, reduction, loss)
    if plan is None:
        return
    last = plan.layers[-1]
    # Others come on average here; that whole keys are hashed only makes it worse.
    chance = stats.poisson.sf(20, fullest(last, hottest_of(plan)[-1]))
    assert chance <= loss / (3600 * plan.nodes) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("rate", "widths", "shares"),
    [
        (200, (4, 2, 2), [1 / 50] * 50),
        (200, (10, 8, 6), [0.3, *[0.7 / 9] * 9]),
        (200, (10, 6, 4, 2), [0.9, 0.1]),
        (50, (5, 5), [1 / 1000] * 1000),
    ],
)
def test_nodes_that_are_acted_out_hand_on_no_more_than_the_bound(
    rate: int, widths: tuple[int, ...], shares: list[float]
) -> None:
    seconds, random = 200, np.random.default_rng(1)
    reduction = Reduction(keys=len(shares), hottest=max(shares))
    flow = sent([topology.Sources(rate, 1.0)], reduction, topology.POISSON)
    items = mixed_items(random, rate, seconds, shares)
    for layer, width in enumerate(widths, start=1):
        flow = handed_on(flow, widths[:layer], reduction, 0.0, Mixing.LONG)
        items = through(random, items, width)
        hottest = sum(key == 0 for key, _ in items)
        for measured, bound in ((len(items), flow.items), (hottest, flow.hottest)):
            most = float(bound) * seconds
            assert measured <= most + 4 * most**0.5


def test_a_key_that_would_fill_its_node_is_halved_first() -> None:
    plan = topology.plan(
        100, rate=1, nodes=20, reduction=Reduction(keys=100, hottest=0.19, period_s=60)
    )
    assert len(plan.layers) > 1
    assert fullest(plan.layers[-1], hottest_of(plan)[-1]) <= 20 * (1 + 1e-9)


def test_keys_that_all_fit_one_node_have_one() -> None:
    plan = topology.plan(30, rate=0.5, nodes=20, reduction=Reduction(keys=1_000))
    assert plan.widths == (1,)
    assert plan.layers[0].routing is Routing.KEY


def test_a_key_that_is_all_there_is_needs_a_node_that_takes_all() -> None:
    plan = topology.plan(
        500, rate=0.5, nodes=20, reduction=Reduction(keys=2, hottest=1, emission=Emission.AT_CLOSE)
    )
    assert plan.widths == (13, 1)


def test_states_of_bytes_are_limited_by_bytes() -> None:
    reduction = Reduction(keys=100, state_bytes=1_000, emission=Emission.AT_CLOSE, spread_s=1)
    plan = topology.plan(
        5_000,
        rate=1,
        item_bytes=10,
        nodes=Limit(items=500, bytes=5_000),
        reduction=reduction,
    )
    first, *others = plan.layers
    assert first.bytes == pytest.approx(50_000)
    assert all(layer.bytes == pytest.approx(1_000 * layer.items) for layer in others)
    assert all(layer.load <= 1 + 1e-9 for layer in plan.layers)
