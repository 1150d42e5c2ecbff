"""The choice of a structure follows what is known of the aggregate and asked of the window."""

from typing import Any

import pytest

from tests.structures.support import last, last_from_maximum
from windrow import agg
from windrow.errors import AggregateError, InputError
from windrow.structures import (
    Aggregator,
    Amta,
    Daba,
    Drift,
    Eviction,
    Latency,
    LogMta,
    Needs,
    SubtractOnEvict,
    TwoStacks,
    choose,
)

BULK, AT_WORST = Eviction.BULK, Latency.WORST_CASE


@pytest.mark.parametrize(
    ("aggregate", "needs", "expected"),
    [
        (agg.max(), Needs(), TwoStacks),
        (agg.sum(), Needs(), TwoStacks),
        (agg.sum(), Needs(drift=Drift.ACCEPT), SubtractOnEvict),
        (agg.max(), Needs(drift=Drift.ACCEPT), TwoStacks),
        (agg.several(n=agg.count(), s=agg.sum()), Needs(drift=Drift.ACCEPT), SubtractOnEvict),
        (agg.several(n=agg.count(), m=agg.max()), Needs(drift=Drift.ACCEPT), TwoStacks),
        (agg.max(), Needs(latency=AT_WORST), Daba),
        (agg.sum(), Needs(latency=AT_WORST, drift=Drift.ACCEPT), Daba),
        (agg.max(), Needs(eviction=BULK), Amta),
        (agg.sum(), Needs(eviction=BULK, drift=Drift.ACCEPT), Amta),
        (agg.max(), Needs(eviction=BULK, latency=AT_WORST), LogMta),
        (agg.max(), Needs(policy=last(3).policy()), Amta),
        (agg.max(), Needs(policy=last_from_maximum(3).policy(), latency=AT_WORST), LogMta),
    ],
)
def test_the_structure_follows_from_the_needs(
    aggregate: Any, needs: Needs, expected: type[Aggregator]
) -> None:
    choice = choose(aggregate, needs)
    assert choice.aggregator is expected
    assert choice.why
    assert "\n" not in choice.why
    window = choice.aggregator(aggregate, needs.policy)
    window.insert(3)
    assert len(window) == 1


def test_every_structure_but_the_slow_ones_is_chosen_for_a_reason_of_its_own() -> None:
    reasons = {
        choose(agg.sum(), Needs(eviction=eviction, latency=latency, drift=drift)).why
        for eviction in Eviction
        for latency in Latency
        for drift in Drift
    }
    assert len(reasons) == 5


def test_needs_are_enums_not_flags() -> None:
    flag: Any = True
    with pytest.raises(
        InputError, match=r"eviction=True is not a valid value for eviction; use Eviction\."
    ):
        Needs(eviction=flag)


def test_what_is_no_aggregate_is_refused() -> None:
    nothing: Any = 3
    with pytest.raises(AggregateError, match="monoid=3 is not an aggregate"):
        choose(nothing)
