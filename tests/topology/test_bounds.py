"""Bounds: those published, transcribed again, and those that hold for every load."""

from fractions import Fraction
from math import ceil, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.published import assigned
from windrow import topology

LOADS = st.tuples(st.integers(1, 10**7), st.integers(1, 10**4))


def most_layers(load: Fraction) -> int:
    """Lemma 1: the first layer at which f is no more than 1."""
    layer = 1
    while load * Fraction(72, 49) * Fraction(7, 12) ** layer > 1:
        layer += 1
    return layer


@given(LOADS)
def test_they_are_the_published_ones(drawn: tuple[int, int]) -> None:
    sources, limit = drawn
    load = Fraction(sources, limit)
    found = topology.bounds(sources, 1, limit)
    assert found.layers == most_layers(load)
    assert found.nodes == sum(
        ceil(load * Fraction(72, 49) * Fraction(7, 12) ** layer)
        for layer in range(1, found.layers + 1)
    )
    logarithm = log(limit / sources) / log(7 / 12)
    assert found.ratio_nodes == pytest.approx(72 / 49 * ceil(load) + logarithm + 1)
    assert found.fewest_nodes == ceil(load)


@pytest.mark.parametrize(("sources", "limit", "layers"), [(2, 1, 2), (24, 7, 3), (288, 49, 4)])
def test_a_load_at_the_very_bound_is_not_rounded_to_a_layer_more(
    sources: int, limit: int, layers: int
) -> None:
    found = topology.bounds(sources, 1, limit)
    assert found.layers == layers
    assert Fraction(sources, limit) * Fraction(72, 49) * Fraction(7, 12) ** layers == 1


@given(LOADS)
def test_the_safe_ones_hold_for_every_load(drawn: tuple[int, int]) -> None:
    sources, limit = drawn
    widths = assigned(Fraction(sources, limit))
    found = topology.bounds(sources, 1, limit)
    assert len(widths) <= found.safe_layers
    assert sum(widths) <= found.safe_nodes
    assert sum(widths) <= found.safe_ratio_nodes + 1e-9
    assert sum(found.optimum) + len(found.optimum) <= sum(widths) + len(widths)


def test_the_published_example_has_more_nodes_than_the_published_ratio_allows() -> None:
    widths, found = assigned(Fraction(25, 2)), topology.bounds(500, 0.5, 20)
    assert widths == (13, 7, 4, 2, 1)
    assert sum(widths) == 27 > found.ratio_nodes == pytest.approx(24.79, abs=0.01)
    assert sum(widths) <= found.safe_ratio_nodes


def test_a_load_just_above_one_node_has_more_layers_than_published() -> None:
    found = topology.bounds(11, 1, 10)
    assert assigned(Fraction(11, 10)) == (2, 1)
    assert found.layers == 1
    assert (found.safe_layers, found.safe_nodes) == (2, 3)


@given(st.integers(1, 10**5), st.sampled_from([None, 0.07, 0.1, 0.3, 0.9]))
def test_those_of_a_plan_are_of_the_limit_without_its_margin(
    sources: int, margin: float | None
) -> None:
    plan = topology.plan(sources, rate=0.1, nodes=20, margin=margin)
    load = sources * Fraction(1, 10) / (20 * (1 - Fraction(str(margin or 0))))
    assert plan.bounds is not None
    assert plan.widths == assigned(load)
    assert plan.bounds.layers == most_layers(load)
    assert plan.bounds.fewest_nodes == ceil(load)


@pytest.mark.parametrize(
    "plan",
    [
        topology.plan((topology.Sources(5, 1), topology.Sources(5, 2)), nodes=20),
        topology.plan(500, rate=0.5, nodes=topology.KINESIS_SHARD),
        topology.plan(500, rate=0.5, nodes=20, reduction=topology.Reduction(keys=2)),
        topology.plan(500, rate=0.5, nodes=20, routing=topology.Routing.SOURCE),
        topology.plan(500, rate=0.5, nodes=20, loss=0.001),
        topology.plan(500, rate=0.5, nodes=20, loss=0.001, reduction=topology.Reduction()),
    ],
)
def test_what_is_not_the_published_problem_has_none(plan: topology.Plan) -> None:
    assert plan.bounds is None
