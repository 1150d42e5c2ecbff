"""Conservative Sequential Assignments: published answers, and the published formula."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.published import assigned, is_feasible, most_offered
from windrow import topology

RATES = st.decimals("0.001", "1000", places=3, allow_nan=False).map(float)


@pytest.mark.parametrize(
    ("sources", "rate", "limit", "widths"),
    [
        (500, 0.5, 20, (13, 7, 4, 2, 1)),
        (950, 0.5, 20, (24, 12, 6, 3, 2, 1)),
        (40, 0.5, 20, (1,)),
        (41, 0.5, 20, (2, 1)),
        (1, 1e-9, 1e12, (1,)),
    ],
)
def test_known_answers(sources: int, rate: float, limit: float, widths: tuple[int, ...]) -> None:
    assert topology.csa(sources, rate, limit) == widths


@given(st.integers(1, 10**9), RATES, RATES)
def test_widths_are_those_of_the_published_formula(sources: int, rate: float, limit: float) -> None:
    load = sources * Fraction(str(rate)) / Fraction(str(limit))
    assert topology.csa(sources, rate, limit) == assigned(load)


@given(st.integers(1, 10**6), RATES, RATES)
def test_no_node_is_offered_too_much_and_no_layer_could_do_with_one_fewer(
    sources: int, rate: float, limit: float
) -> None:
    load = sources * Fraction(str(rate)) / Fraction(str(limit))
    widths = topology.csa(sources, rate, limit)
    assert is_feasible(load, widths)
    for layer, width in enumerate(widths):
        assert width == 1 or most_offered(load, (*widths[:layer], width - 1)) > 1
    assert 1 not in widths[:-1]


@pytest.mark.parametrize(
    ("sources", "rate", "limit"), [(200, 0.1, 20), (30, 0.7, 21), (3, 0.1, 0.3)]
)
def test_a_load_of_exactly_one_node_needs_one(sources: int, rate: float, limit: float) -> None:
    assert topology.csa(sources, rate, limit) == (1,)


def test_a_load_of_a_whole_number_is_not_rounded_up() -> None:
    assert topology.csa(10**8, 0.1, 20)[:2] == (500_000, 250_000)


def test_as_many_devices_as_there_are_can_be_planned() -> None:
    widths = topology.csa(10**8, 0.5, 20)
    assert widths[0] == 2_500_000
    assert widths[-1] == 1
