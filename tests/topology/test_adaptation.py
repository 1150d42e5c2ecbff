"""From one plan to the next: the fewest moves, against all ways to match layers."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import topology
from windrow.errors import InputError
from windrow.topology import Limit, Node, Reduction, Routing, Sources
from windrow.topology.adaptation import fewest_moves

WIDTHS = st.lists(st.integers(1, 30), min_size=1, max_size=5)


def changes(before: list[int], after: list[int]) -> Iterator[tuple[int, int]]:
    """Of each way to match layers in order: nodes that change, and layers."""
    for matched in range(min(len(before), len(after)) + 1):
        for ours in combinations(range(len(before)), matched):
            for theirs in combinations(range(len(after)), matched):
                pairs = [(before[i], after[j]) for i, j in zip(ours, theirs, strict=True)]
                pairs += [(w, 0) for i, w in enumerate(before) if i not in ours]
                pairs += [(0, w) for j, w in enumerate(after) if j not in theirs]
                yield sum(abs(a - b) for a, b in pairs), sum(a != b for a, b in pairs)


@given(WIDTHS, WIDTHS)
def test_no_way_to_match_layers_moves_fewer(before: list[int], after: list[int]) -> None:
    moves = fewest_moves(before, after)
    found = (
        sum(move.started + move.stopped for move in moves),
        sum(move.nodes_before != move.nodes_after for move in moves),
    )
    assert found == min(changes(before, after))


@given(WIDTHS, WIDTHS)
def test_moves_lead_from_all_layers_before_to_all_after(
    before: list[int], after: list[int]
) -> None:
    moves = fewest_moves(before, after)
    left = [(move.before, move.nodes_before) for move in moves if move.before is not None]
    right = [(move.after, move.nodes_after) for move in moves if move.after is not None]
    assert left == list(enumerate(before, start=1))
    assert right == list(enumerate(after, start=1))
    assert all(move.nodes_before == 0 for move in moves if move.before is None)
    assert all(move.nodes_after == 0 for move in moves if move.after is None)


def test_the_same_sources_change_nothing() -> None:
    adaptation = topology.plan(500, rate=0.5, nodes=20).adapt(500)
    assert adaptation.plan == adaptation.before
    assert adaptation.changed == ()
    assert (adaptation.started, adaptation.stopped) == (0, 0)


@given(st.integers(1, 5_000), st.integers(1, 5_000), st.sampled_from([None, 0.01]))
def test_there_and_back_is_where_it_was(here: int, there: int, loss: float | None) -> None:
    plan = topology.plan(here, rate=0.5, nodes=20, loss=loss)
    away = plan.adapt(there)
    back = away.plan.adapt(here)
    assert away.plan == topology.plan(there, rate=0.5, nodes=20, loss=loss)
    assert back.plan == plan
    assert (back.started, back.stopped) == (away.stopped, away.started)
    assert away.plan.nodes == plan.nodes + away.started - away.stopped


def test_growing_from_500_to_950_starts_what_is_missing() -> None:
    adaptation = topology.plan(500, rate=0.5, nodes=20).adapt(950)
    assert adaptation.plan.widths == (24, 12, 6, 3, 2, 1)
    assert (adaptation.started, adaptation.stopped) == (48 - 27, 0)


def test_all_else_stays_as_it_was() -> None:
    shard = Node(topology.KINESIS_SHARD.limit, price=0.015, delay_s=0.2, name="shard")
    plan = topology.plan(
        (Sources(900, 10.0, 700, "small"), Sources(3, 500.0, 90, "large")),
        nodes=(shard, topology.GATEWAY),
        reduction=Reduction(period_s=30, state_bytes=100),
        arrivals=topology.Arrivals(1.3, 0.5),
        routing=Routing.ITEM,
        loss=0.05,
    )
    new = plan.adapt((Sources(10, 10.0, 700), Sources(2, 500.0, 90))).plan
    assert (new.reduction, new.arrivals, new.loss) == (plan.reduction, plan.arrivals, 0.05)
    assert new.layers[0].node == shard
    assert new.kinds == plan.kinds


def test_one_class_may_be_given_alone() -> None:
    plan = topology.plan(500, rate=0.5, nodes=20)
    assert plan.adapt(Sources(950, 0.5)).plan.widths == (24, 12, 6, 3, 2, 1)


def test_more_sources_are_like_those_before_in_all_else() -> None:
    before = Sources(500, 0.5, 100.0, "meters", largest_bytes=5_000.0)
    plan = topology.plan(before, nodes=Node(Limit(items=20, bytes=1e6)), loss=0.001)
    assert plan.adapt(950).plan.sources == (replace(before, count=950),)


@pytest.mark.parametrize("new", [(), []])
def test_classes_that_follow_are_at_least_one(new: tuple[Sources, ...]) -> None:
    with pytest.raises(InputError, match="new_sources is empty; give at least one class"):
        topology.plan(500, rate=0.5, nodes=20).adapt(new)


def test_nodes_of_one_kind_do_not_serve_as_another() -> None:
    kinds = (Node(Limit(items=100), name="large"), Node(Limit(items=20), name="small"))
    plan = topology.plan(500, rate=0.5, nodes=kinds)
    assert plan.widths[0] == 3
    first, *others = plan.adapt(100).moves
    assert (first.nodes_before, first.nodes_after) == (3, 1)
    assert [move.after for move in others] == [None] * (len(plan.widths) - 1)


@pytest.mark.parametrize("value", [0, -5, 1.5, "many", None, True])
def test_new_sources_are_a_whole_number(value: int) -> None:
    with pytest.raises(InputError, match=r"^new_sources=.* is not a whole number above 0"):
        topology.plan(500, rate=0.5, nodes=20).adapt(value)


def test_a_number_does_not_tell_of_several_classes() -> None:
    plan = topology.plan((Sources(5, 1), Sources(5, 2)), nodes=20)
    with pytest.raises(InputError, match=r"new_sources=7 .* 2 classes .* give the classes"):
        plan.adapt(7)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ((13,), (14,), ["layer 1: start 1"]),
        ((13,), (12,), ["layer 1: stop 1"]),
        ((13, 1), (1,), ["layer 1 goes: stop 13", "layer 2: all 1 stay, layer 1 from now on"]),
        ((1,), (13, 1), ["layer 1 is new: start 13", "layer 1: all 1 stay, layer 2 from now on"]),
    ],
)
def test_moves_tell_what_to_do(
    before: tuple[int, ...], after: tuple[int, ...], told: list[str]
) -> None:
    assert [str(move) for move in fewest_moves(before, after)] == told
