"""Slide policies: every structure evicts what the definition of a policy says."""

from collections.abc import Callable
from itertools import accumulate
from math import isnan
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.structures.support import (
    ALL,
    FOR_ANY_MONOID,
    FREE,
    Slide,
    from_maximum,
    last,
    last_from_maximum,
    span_up_to,
    total_up_to,
)
from windrow import agg
from windrow.errors import WindowError
from windrow.structures import Aggregator, Amta, Recompute, TwoStacks
from windrow.window import policy as define_policy

Steps = list[list[int]]

# Values inserted between slides: mostly one, sometimes many.
STEPS: st.SearchStrategy[Steps] = st.lists(
    st.lists(st.integers(0, 20), min_size=0, max_size=12), max_size=30
)


def weight_between(low: int, high: int) -> Slide:
    """Both predicates: never more than `high` in total, never more than needed for `low`."""
    return Slide(
        name=f"total between {low} and {high}",
        using={"total": agg.sum()},
        keep=lambda window: window.total <= high,
        drop=lambda evicted, after, before: after.total >= low,
        keeps=lambda values: sum(values) <= high,
        drops=lambda evicted, after: sum(after) >= low,
    )


SLIDES: dict[str, Callable[[int], Slide]] = {
    "count": last,
    "total": total_up_to,
    "maximum": lambda limit: from_maximum(),
    "last from their maximum": last_from_maximum,
    "between": lambda limit: weight_between(limit, 3 * limit),
}


def check(structure: type[Aggregator], slide: Slide, steps: Steps) -> None:
    """Slide after each step, and compare the count and the contents with the definition."""
    window, held = structure(agg.collect(), slide.policy()), list[int]()
    for values in steps:
        for value in values:
            window.insert(value)
        held += values
        leaving = slide.leaving(held)
        assert window.slide() == leaving, slide.name
        del held[:leaving]
        assert window.query() == held, slide.name


@pytest.mark.parametrize("kind", SLIDES)
@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
@examples(40)
@given(limit=st.integers(0, 40), steps=STEPS)
def test_a_slide_evicts_what_the_definition_says(
    structure: type[Aggregator], kind: str, limit: int, steps: Steps
) -> None:
    check(structure, SLIDES[kind](limit), steps)


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
@examples(40)
@given(limit=st.integers(0, 40), steps=STEPS)
def test_a_span_of_time_is_kept_by_its_first_and_last_value(
    structure: type[Aggregator], limit: int, steps: Steps
) -> None:
    times = iter(accumulate(value for values in steps for value in values))
    check(structure, span_up_to(limit), [[next(times) for _ in values] for values in steps])


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
@pytest.mark.parametrize("limit", [1, 2, 3, 16, 33])
def test_a_window_slid_after_every_insert_holds_the_last_updates(
    structure: type[Aggregator], limit: int
) -> None:
    check(structure, last(limit), [[number % 7] for number in range(120)])
    check(structure, last_from_maximum(limit), [[number * 37 % 101] for number in range(120)])


@pytest.mark.parametrize("structure", ALL)
@examples(40)
@given(steps=STEPS, limit=st.integers(0, 40))
@example(steps=[[1, 1, 1], [20]], limit=10)
def test_groups_slide_by_groups(structure: type[Aggregator], steps: Steps, limit: int) -> None:
    slide = weight_between(limit, 2 * limit)
    window, oracle = structure(FREE, slide.policy()), Recompute(FREE, slide.policy())
    for values in steps:
        for value in values:
            window.insert(value)
            oracle.insert(value)
        assert window.slide() == oracle.slide()
        assert window.query() == oracle.query()


@pytest.mark.parametrize("structure", ALL)
def test_keep_may_empty_the_window_and_is_never_asked_about_an_empty_one(
    structure: type[Aggregator],
) -> None:
    slide = last(0)
    window = structure(FREE, slide.policy())
    assert window.slide() == 0
    assert slide.calls.calls == 0
    for letter in "abc":
        window.insert(letter)
    assert window.slide() == 3
    assert window.query() == ""
    window.insert("d")
    assert window.slide() == 1


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
def test_the_newest_update_survives_drop(structure: type[Aggregator]) -> None:
    everything = Slide(
        name="everything", using={"n": agg.count()}, drop=lambda evicted, after, before: True
    )
    window = structure(FREE, everything.policy())
    for letter in "abcdefghij":
        window.insert(letter)
    assert window.slide() == 9
    assert window.query() == "j"
    assert window.slide() == 0


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
def test_drop_sees_the_prefix_the_rest_and_both_together(structure: type[Aggregator]) -> None:
    seen: list[tuple[str, str, str]] = []

    def drop(evicted: Any, after: Any, before: Any) -> bool:
        seen.append((evicted.text, after.text, before.text))
        return len(evicted.text) <= 4

    window = structure(FREE, Slide(name="text", using={"text": FREE}, drop=drop).policy())
    for letter in "abcdefghijk":
        window.insert(letter)
    assert window.slide() == 4
    assert seen
    for evicted, after, before in seen:
        assert evicted + after == before == "abcdefghijk"
        assert evicted
        assert after


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
def test_predicates_see_neutral_numbers_where_there_are_only_nulls(
    structure: type[Aggregator],
) -> None:
    window = structure(agg.collect(), from_maximum().policy())
    for value in (None, None, 3, None):
        window.insert(value)
    assert window.slide() == 2
    assert len(window) == 2


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
def test_drop_is_judged_on_the_window_as_it_was_before_keep_shortened_it(
    structure: type[Aggregator],
) -> None:
    window = structure(agg.collect(), last_from_maximum(2).policy())
    for value in (1, 0, 0):
        window.insert(value)
    assert window.slide() == 1
    assert window.query() == [0, 0], "no prefix was as small as what came after it"
    assert window.slide() == 1
    assert window.query() == [0], "now the older zero is"


@pytest.mark.parametrize("structure", [TwoStacks, Amta])
def test_a_window_without_a_policy_does_not_slide(structure: type[Aggregator]) -> None:
    with pytest.raises(WindowError, match=f"{structure.__name__} was built without a policy"):
        structure(FREE).slide()


@pytest.mark.parametrize("structure", FOR_ANY_MONOID)
def test_a_struct_over_nothing_but_nulls_has_neutral_fields(structure: type[Aggregator]) -> None:
    seen: list[Any] = []

    def keep(view: Any) -> bool:
        seen.append(view.run)
        return True

    policy = define_policy(keep, using={"run": agg.longest_increasing_run()})
    window = structure(agg.count(), policy)
    window.insert((None, 7))
    assert window.slide() == 0
    assert all(map(isnan, seen[0][:3]))
    assert seen[0].length == 0
