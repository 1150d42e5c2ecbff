"""How unevenly sources send, and the nodes whose limits are documented."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import topology
from windrow.errors import InputError
from windrow.topology import Arrivals, Sources, common_tick


def busiest(sources: list[Sources], size: bool) -> float:
    """Of all seconds of many, if each source sends at 0, 1 / rate, 2 / rate, and so on."""
    sent = [0.0] * 60
    for one in sources:
        number, at = 0, 0.0
        while at < 60:
            sent[int(at + 1e-9)] += one.count * (one.item_bytes if size else 1)
            number += 1
            at = number / one.rate
    return max(sent)


@given(
    st.lists(
        st.builds(
            Sources,
            st.integers(1, 1_000),
            st.sampled_from([0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 2.5, 10.0]),
            st.sampled_from([0.0, 10.0, 5_000.0]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_common_tick_covers_the_busiest_second(sources: list[Sources]) -> None:
    arrivals = common_tick(sources)
    usual = sum(one.items for one in sources)
    assert arrivals.burst * usual == pytest.approx(busiest(sources, size=False))
    heaviest = sum(
        burst * one.items * one.item_bytes
        for burst, one in zip(arrivals.bursts, sources, strict=True)
    )
    assert heaviest == pytest.approx(busiest(sources, size=True))


@pytest.mark.parametrize(("rate", "burst"), [(0.5, 2), (1, 1), (3, 1), (1 / 60, 60), (2.5, 1.2)])
def test_of_one_class_it_is_the_busiest_second(rate: float, burst: float) -> None:
    assert common_tick([Sources(500, rate)]).burst == pytest.approx(burst)


def test_a_common_tick_may_have_a_skew() -> None:
    assert common_tick([Sources(5, 0.5)], skew_s=0.25).skew_s == 0.25


@pytest.mark.parametrize("skew_s", [0.0, 0.25])
def test_sources_that_follow_others_at_common_ticks_tick_too(skew_s: float) -> None:
    before, after = [Sources(500, 0.5)], [Sources(300, 0.5), Sources(200, 1 / 60)]
    plan = topology.plan(before, nodes=20, arrivals=common_tick(before, skew_s))
    assert plan.adapt(after).plan.arrivals == common_tick(after, skew_s)


def test_other_arrivals_stay_as_they_are() -> None:
    plan = topology.plan(500, rate=0.5, nodes=20, arrivals=Arrivals(3.0, 0.1, "measured", (3.0,)))
    assert plan.adapt(Sources(900, 0.1)).plan.arrivals == plan.arrivals


def test_other_classes_bunch_as_the_worst_before() -> None:
    arrivals = Arrivals(3.0, 0.5, "measured", bursts=(3.5,), byte_bursts=(4.5,))
    plan = topology.plan(500, rate=0.5, nodes=20, arrivals=arrivals)
    adapted = plan.adapt([Sources(5, 0.5), Sources(5, 0.1)]).plan
    worst = Arrivals(3.0, 0.5, "measured", bursts=(3.5, 3.5), byte_bursts=(4.5, 4.5))
    assert adapted.arrivals == worst


def test_a_storm_of_all_counts_even_if_no_class_shows_it() -> None:
    classes = [Sources(10, 1.0), Sources(30, 1.0)]
    calm, stormy = (Arrivals(burst, bursts=(1.0, 1.2)).of_classes(classes) for burst in (1.0, 4.6))
    assert [busy.items for busy in calm] == [1.0, 1.2]
    assert [busy.items for busy in stormy] == pytest.approx([4.0, 4.8])
    assert sum(one.items * busy.items for one, busy in zip(classes, stormy, strict=True)) == (
        pytest.approx(4.6 * 40)
    )


def test_the_busiest_source_counts_at_least_as_much_as_its_class() -> None:
    classes = [Sources(10, 1.0), Sources(30, 1.0)]
    found = Arrivals(1.0, bursts=(5.0, 1.0), source_bursts=(1.0, 7.0)).of_classes(classes)
    assert [busy.items_of_one for busy in found] == [5.0, 7.0]


def test_bursts_of_another_number_of_classes_tell_nothing() -> None:
    classes = [Sources(5, 0.5), Sources(5, 0.1)]
    with pytest.raises(InputError, match=r"bursts of 1 classes .* are 2; .* Arrivals\(burst=3.5\)"):
        topology.plan(classes, nodes=20, arrivals=Arrivals(3.0, bursts=(3.5,)), loss=0.01)


@pytest.mark.parametrize("burst", [0, -1, 0.5, float("nan"), float("inf"), True, "2", None])
def test_a_burst_is_a_number_of_1_or_more(burst: float) -> None:
    with pytest.raises(InputError, match="burst="):
        Arrivals(burst)


@pytest.mark.parametrize("skew", [-1, float("nan"), float("inf"), "2"])
def test_a_skew_is_a_number_of_0_or_more(skew: float) -> None:
    with pytest.raises(InputError, match="skew_s="):
        Arrivals(skew_s=skew)


def test_presets_have_documented_limits_and_can_be_adjusted() -> None:
    shard = topology.PRESETS["kinesis"]
    assert (shard.limit.items, shard.limit.bytes) == (1_000, 1_000_000)
    assert all(node.limit.bytes for node in topology.PRESETS.values())
    assert all(node.price is None for node in topology.PRESETS.values())
    cheap = replace(shard, price=0.015)
    assert topology.plan(5_000, rate=1, nodes=cheap).cost == pytest.approx(
        0.015 * topology.plan(5_000, rate=1, nodes=shard).nodes
    )
