"""The share of a crowd that a node may be offered, against exact chances of an overrun."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from windrow.topology.margin import Crowd, largest_share
from windrow.topology.model import Limit

CHANCES = st.sampled_from([1e-3, 1e-6, 1e-9, 1e-12])
ROUNDING = 1 + 1e-6


def together(crowd: Crowd, limit: float, share: float, besides: float = 0.0) -> float:
    """The chance of an overrun by sources of which each is hashed here as a whole, or is not."""
    here = np.arange(int(crowd.count) + 1)
    is_here = stats.binom.pmf(here, int(crowd.count), share)
    return float((is_here * stats.poisson.sf(limit, besides + here * crowd.rate)).sum())


def of_two_sizes(means: tuple[float, float], sizes: tuple[int, int], limit: int) -> float:
    """The chance that items of two sizes, each Poisson's, have more bytes than the limit."""
    few = np.arange(limit // sizes[0] + 1)
    room = (limit - few * sizes[0]) // sizes[1]
    fits = stats.poisson.pmf(few, means[0]) * stats.poisson.sf(room, means[1])
    return float(fits.sum() + stats.poisson.sf(few[-1], means[0]))


@given(st.floats(1, 500), st.floats(0.1, 1e6), CHANCES)
def test_items_of_poisson_use_a_limit_up_to_the_very_chance(
    limit: float, mean: float, chance: float
) -> None:
    share = largest_share([Crowd(mean, 1.0, 0.0)], Limit(items=limit), chance)
    assert stats.poisson.sf(np.floor(limit), share * mean) <= chance * ROUNDING
    assert share == 1 or stats.poisson.sf(np.floor(limit), share * mean * 1.001) > chance


@pytest.mark.parametrize("limit", [1e4, 1e6])
def test_large_limits_are_used_nearly_up_to_the_chance(limit: float) -> None:
    share = largest_share([Crowd(1e10, 1.0, 0.0)], Limit(items=limit), 1e-9)
    assert stats.poisson.sf(limit, share * 1e10) <= 1e-9 * (1 + 1e-4)
    assert stats.poisson.sf(limit, share * 1e10 * (1 + limit**-0.5 / 10)) > 1e-9


@pytest.mark.parametrize("limit", [1e9, 1e11])
def test_huge_limits_are_used_as_the_normal_law_has_it(limit: float) -> None:
    offered = 1e12 * largest_share([Crowd(1e12, 1.0, 0.0)], Limit(items=limit), 1e-9)
    deviations = (limit - offered) / np.sqrt(offered)
    assert stats.norm.sf(deviations) == pytest.approx(1e-9, rel=0.1)


@given(st.integers(1, 50), st.integers(1, 50), st.integers(50, 2_000), CHANCES)
def test_items_of_one_size_fill_bytes_as_they_fill_items(
    count: int, size: int, limit: int, chance: float
) -> None:
    crowds = [Crowd(count, 20.0, size)]
    assert largest_share(crowds, Limit(bytes=limit), chance) == pytest.approx(
        largest_share(crowds, Limit(items=limit // size), chance)
    )


@given(
    st.tuples(st.floats(1, 500), st.floats(1, 500)),
    st.tuples(st.integers(1, 9), st.integers(1, 40)),
    st.integers(40, 1_000),
    CHANCES,
)
def test_items_of_two_sizes_overrun_no_oftener_than_asked(
    rates: tuple[float, float], sizes: tuple[int, int], limit: int, chance: float
) -> None:
    crowds = [Crowd(1, rate, size) for rate, size in zip(rates, sizes, strict=True)]
    share = largest_share(crowds, Limit(bytes=limit), chance)
    assert share > 0
    means = (share * rates[0], share * rates[1])
    assert of_two_sizes(means, sizes, limit) <= chance * ROUNDING


def test_the_bound_for_two_sizes_wastes_less_than_a_tenth_of_a_limit() -> None:
    share = largest_share([Crowd(1, 300, 1), Crowd(1, 100, 3)], Limit(bytes=300), 1e-6)
    assert of_two_sizes((share * 330, share * 110), (1, 3), 300) > 1e-6


@given(st.integers(1, 300), st.floats(0.01, 3), st.integers(5, 60), CHANCES)
def test_sources_hashed_as_a_whole_overrun_no_oftener_than_asked(
    count: int, rate: float, limit: int, chance: float
) -> None:
    crowd = Crowd(count, rate, 0.0, together=True)
    share = largest_share([crowd], Limit(items=limit), chance)
    assert together(crowd, limit, share) <= chance * ROUNDING


@given(st.integers(1, 300), st.floats(0.01, 3), st.integers(5, 60), CHANCES)
def test_hashed_as_a_whole_they_need_no_fewer_nodes_than_item_by_item(
    count: int, rate: float, limit: int, chance: float
) -> None:
    whole = largest_share([Crowd(count, rate, 0.0, together=True)], Limit(items=limit), chance)
    assert whole <= largest_share([Crowd(count, rate, 0.0)], Limit(items=limit), chance)


@given(st.integers(1, 200), st.floats(0.01, 2), st.floats(0.1, 60), st.integers(5, 60), CHANCES)
def test_what_a_node_has_for_sure_leaves_less_for_others(
    count: int, rate: float, for_sure: float, limit: int, chance: float
) -> None:
    crowd = Crowd(count, rate, 0.0, together=True)
    sure = Crowd(1, for_sure, 0.0, together=True)
    share = largest_share([crowd], Limit(items=limit), chance, sure)
    if share:
        assert together(crowd, limit, share, besides=for_sure) <= chance * ROUNDING
    if stats.poisson.sf(limit, for_sure) > chance * ROUNDING:
        assert share == 0


def test_items_of_several_sizes_are_bounded_and_not_reckoned_as_the_largest_alone() -> None:
    # Of a limit of two of the largest, three of 0.7 overrun it: more often than three largest do.
    mixed = Crowd(1_000, 1.0, 0.7, largest_bytes=1.0)
    share = largest_share([mixed], Limit(bytes=2.0), 1e-9)
    assert 0 < stats.poisson.sf(2, share * 1_000) <= 1e-9


@given(st.floats(1, 100), st.floats(1, 1_000), CHANCES)
def test_of_two_limits_the_scarcer_counts_and_they_share_the_chance(
    items: float, size: float, chance: float
) -> None:
    crowds = [Crowd(100, 1.0, 7.0)]
    both = largest_share(crowds, Limit(items=items, bytes=size + 7), chance)
    alone = (Limit(items=items), Limit(bytes=size + 7))
    assert both == min(largest_share(crowds, one, chance / 2) for one in alone)


def test_bytes_are_no_limit_for_items_without_any() -> None:
    assert largest_share([Crowd(1e9, 1.0, 0.0)], Limit(bytes=1), 1e-9) == 1


def test_a_crowd_that_fits_goes_to_one_node() -> None:
    assert largest_share([Crowd(2, 0.5, 0.0)], Limit(items=20), 1e-6) == 1
