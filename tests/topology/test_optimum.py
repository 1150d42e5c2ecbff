"""The optimum of the published problem against every topology there is, where they can be tried."""

from fractions import Fraction
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.published import assigned, best_weight, is_feasible
from windrow import topology
from windrow.errors import InputError


def weighed(widths: tuple[int, ...], per_node: Fraction, per_layer: Fraction) -> Fraction:
    return per_node * sum(widths) + per_layer * len(widths)


@given(
    st.integers(1, 600),
    st.sampled_from([7, 9, 10, 16, 60, 97, 100]),
    st.sampled_from(["1", "0.3", "2", "7"]),
    st.sampled_from(["0.01", "1", "5", "12"]),
)
def test_no_topology_is_better(sources: int, limit: int, per_node: str, per_layer: str) -> None:
    load = Fraction(sources, limit)
    if load > 8:
        load, sources = Fraction(sources % (8 * limit) + 1, limit), sources % (8 * limit) + 1
    node, layer = Fraction(per_node), Fraction(per_layer)
    found = topology.optimum(
        sources, 1, limit, per_node=float(per_node), per_layer=float(per_layer)
    )
    assert is_feasible(load, found)
    assert weighed(found, node, layer) == best_weight(load, node, layer)


@given(st.integers(1, 10**9), st.integers(1, 10**4), st.sampled_from([0.01, 1, 3]))
def test_it_is_never_above_the_published_algorithm(
    sources: int, limit: int, per_layer: float
) -> None:
    load, weight = Fraction(sources, limit), Fraction(str(per_layer))
    found = topology.optimum(sources, 1, limit, per_layer=per_layer)
    assert is_feasible(load, found)
    assert weighed(found, Fraction(1), weight) <= weighed(assigned(load), Fraction(1), weight)


@pytest.mark.parametrize(
    ("sources", "limit", "per_layer", "nodes", "layers"),
    [
        (795, 100, 30, 38, 4),  # 8, 18, 11, 1 where CSA has 8, 4, 3, 2, 1
        (310, 10, 30, 68, 6),
    ],
)
def test_it_saves_a_layer_where_layers_weigh_much(
    sources: int, limit: int, per_layer: float, nodes: int, layers: int
) -> None:
    found = topology.optimum(sources, 1, limit, per_layer=per_layer)
    assert is_feasible(Fraction(sources, limit), found)
    assert len(found) == layers < len(topology.csa(sources, 1, limit))
    assert sum(found) <= nodes


def test_it_may_be_better_than_the_published_algorithm() -> None:
    assert topology.csa(37, 1, 10) == (4, 2, 2, 1)
    assert topology.optimum(37, 1, 10) == (4, 3, 1)


@pytest.mark.parametrize("power", [10, 22, 30, 50])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_loads_about_a_power_of_two_are_searched_too(power: int, more: int) -> None:
    load = 2**power + more
    found = topology.optimum(load, 1, 1)
    assert is_feasible(Fraction(load), found)
    assert sum(found) + len(found) <= sum(assigned(Fraction(load))) + len(assigned(Fraction(load)))


@pytest.mark.parametrize("rate", [0.5, 0.419430, 0.4194304, 1 / 60])
def test_as_many_devices_as_there_are_can_be_planned(rate: float) -> None:
    load = 10**8 * Fraction(str(rate)) / 20
    assert is_feasible(load, topology.optimum(10**8, rate, 20))


def test_a_load_that_is_a_power_of_two_ends_even_if_layers_weigh_anything() -> None:
    assert topology.optimum(4, 1, 1, per_layer=1e9) == (4, 2, 2, 1)


def test_what_cannot_be_searched_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module(topology.optimum.__module__), "_MOST_TRIES", 1_000)
    with pytest.raises(InputError, match=r"per_layer=1e\+06 .* give at most per_layer=10"):
        topology.optimum(63_990, 1, 1_000, per_layer=1e6)


@pytest.mark.parametrize("argument", ["per_node", "per_layer"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), True, "1"])
def test_weights_are_numbers_above_0(argument: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{argument}={value!r} is not a number above 0"):
        topology.optimum(500, 0.5, 20, **{argument: value})
