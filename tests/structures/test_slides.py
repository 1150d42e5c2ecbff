"""Slides, by counting: judgements and combines of one slide never pass their bounds."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.structures.counting import KINDS, NOTHING, logarithm
from tests.structures.support import (
    SEARCHING,
    Counter,
    Slide,
    counted,
    from_maximum,
    last,
    last_from_maximum,
    span_up_to,
    total_up_to,
)
from windrow import agg
from windrow.structures import Aggregator, Daba, SubtractOnEvict, TwoStacks


def zigzag(number: int) -> int:
    return number * 2654435761 % 1000


def never_falling(number: int) -> int:
    return number // 3


SLIDES: dict[str, tuple[Callable[[int], Slide], Callable[[int], int]]] = {
    "keep: count": (last, zigzag),
    "keep: total": (lambda size: total_up_to(500 * size), zigzag),
    "drop: span": (lambda size: span_up_to(size // 3), never_falling),
    "drop: maximum": (lambda size: from_maximum(), zigzag),
    "both: maximum": (last_from_maximum, zigzag),
}


@pytest.mark.parametrize("size", [10, 64, 1000, 10_000])
@pytest.mark.parametrize("slide", SLIDES)
@pytest.mark.parametrize("structure", SEARCHING)
def test_a_slide_takes_logarithmically_many_judgements_and_combines(
    structure: type[Aggregator], slide: str, size: int
) -> None:
    make, value = SLIDES[slide]
    policy = make(size)
    judged, combined = most_expensive_slide(structure, policy, value, size)
    longest = size + 50  # what piles up between two slides
    assert judged <= 4 * logarithm(longest) + 4
    assert combined <= 5 * logarithm(longest) + 12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("structure", SEARCHING)
def test_a_slide_costs_the_same_for_every_kind_of_aggregate(
    structure: type[Aggregator], kind: str
) -> None:
    costs = {
        most_expensive_slide(structure, last_from_maximum(100), zigzag, 100, aggregate)
        for aggregate in (NOTHING, KINDS[kind])
    }
    assert len(costs) == 1


def most_expensive_slide(
    structure: type[Aggregator],
    slide: Slide,
    value: Callable[[int], int],
    size: int,
    aggregate: Any = NOTHING,
) -> tuple[int, int]:
    """The most judgements and combines that one slide took."""
    monoid, combines = counted(aggregate)
    window = structure(monoid, slide.policy())
    judged = combined = 0
    # Updates pile up between slides, so that slides evict one, some and many.
    for number in range(2 * size + 1000):
        window.insert(value(number))
        if number in (size // 2, size - 1) or (number > size and number % 50 < 20):
            calls = Counter(slide.calls.calls)
            combined = max(combined, combines.since(window.slide))
            judged = max(judged, slide.calls.calls - calls.calls)
    return judged, combined


@pytest.mark.parametrize("structure", [TwoStacks, Daba, SubtractOnEvict])
def test_a_slide_one_by_one_takes_as_many_judgements_as_updates_leave(
    structure: type[Aggregator],
) -> None:
    slide = last(10)
    window = structure(agg.count(), slide.policy())
    for number in range(1000):
        window.insert(number)
        if number % 7 == 0:
            before = slide.calls.calls
            gone = window.slide()
            assert slide.calls.calls - before == gone + 1
