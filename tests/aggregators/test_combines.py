"""Complexity, by counting: combines, predicate calls and states alive never pass their bounds."""

import gc
from collections.abc import Callable
from math import log2
from typing import Any

import pytest

from tests.aggregators.support import (
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
from windrow.aggregators import (
    Aggregator,
    Amta,
    Daba,
    FlatFat,
    LogMta,
    Recompute,
    SubtractOnEvict,
    TwoStacks,
)
from windrow.algebra.monoid import Kind, Monoid

SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 127, 128, 129, 1000, 1023, 1024, 1025, 4097]
LARGE = 100_000

NOTHING: Monoid[None, None] = Monoid(
    name="nothing",
    lift=lambda value: None,
    combine=lambda older, newer: None,
    lower=lambda state: None,
    identity=None,
)

# A sketch in small: the ten least hashes stand for the set.
SKETCH: Monoid[frozenset[int], int] = Monoid(
    name="least hashes",
    lift=lambda value: frozenset([value * 2654435761 % 2**32]),
    combine=lambda older, newer: frozenset(sorted(older | newer)[:10]),
    lower=len,
    identity=frozenset(),
    kind=Kind.SKETCH,
    commutative=True,
)

KINDS: dict[str, Any] = {
    "distributive": agg.sum(),
    "algebraic": agg.variance(),
    "holistic": agg.collect(),
    "sketch": SKETCH,
}


def logarithm(size: int) -> float:
    return log2(max(size, 1))


class Watched:
    """A window, and how many combines each of its operations took."""

    def __init__(self, structure: type[Aggregator], aggregate: Any = NOTHING) -> None:
        monoid, self.combines = counted(aggregate)
        self.window = structure(monoid)
        self.inserted = 0

    def insert(self) -> int:
        self.inserted += 1
        return self.combines.since(lambda: self.window.insert(self.inserted))

    def evict(self, count: int = 1) -> int:
        return self.combines.since(lambda: self.window.evict(count))

    def query(self) -> int:
        # The state alone: what `lower` does with it is the aggregate's affair.
        return self.combines.since(self.window._total)

    def fill(self, size: int) -> None:
        while len(self.window) < size:
            self.insert()

    def steps(self, size: int, repeat: int) -> list[int]:
        """Combines of insert + evict + query, each at a window of `size`."""
        self.fill(size)
        return [self.insert() + self.evict() + self.query() for _ in range(repeat)]


@pytest.mark.parametrize("size", [*SIZES, LARGE])
@pytest.mark.parametrize(
    ("structure", "amortised"), [(SubtractOnEvict, 1), (TwoStacks, 3), (Amta, 4)]
)
def test_steps_of_a_steady_window_take_constantly_many_combines_on_average(
    structure: type[Aggregator], amortised: int, size: int
) -> None:
    # Whole turns of the window, so that what is paid ahead is used up.
    repeat = size * -(-2000 // size)
    watched = Watched(structure, agg.count())
    steps = watched.steps(size, repeat)
    assert sum(steps) <= amortised * repeat + 2 * logarithm(size) + 2
    if structure is Amta:
        assert max(steps) <= 2 * logarithm(size) + 6


@pytest.mark.parametrize("size", [*SIZES, 30_000])
@pytest.mark.parametrize(
    ("structure", "bound"),
    [
        (SubtractOnEvict, lambda size: 1),
        (TwoStacks, lambda size: size + 2),
        (Daba, lambda size: 8),
        (Amta, lambda size: 2 * logarithm(size) + 6),
        (LogMta, lambda size: 2 * logarithm(size + 1) + 5),
        (FlatFat, lambda size: 4 * (logarithm(size) + 3) + 1),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_no_step_of_a_steady_window_takes_more_combines_than_promised(
    structure: type[Aggregator], bound: Callable[[int], float], size: int
) -> None:
    watched = Watched(structure, agg.count())
    # A front is rebuilt within one turn of the window; the others show all they do much sooner.
    repeat = size + 1 if structure in (TwoStacks, Amta) else min(size, 3000)
    assert max(watched.steps(size, max(repeat, 2000))) <= bound(size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("structure", [TwoStacks, Daba, Amta, LogMta, FlatFat])
def test_combines_do_not_depend_on_the_aggregate(structure: type[Aggregator], kind: str) -> None:
    assert Watched(structure, KINDS[kind]).steps(100, 300) == Watched(structure).steps(100, 300)


@pytest.mark.parametrize("size", SIZES)
def test_each_call_of_daba_takes_constantly_many_combines(size: int) -> None:
    watched = Watched(Daba)
    for _ in range(3):
        while len(watched.window) < size:
            assert watched.insert() <= 4
            assert watched.query() <= 1
        while len(watched.window) > size // 3:
            assert watched.evict() <= 3
            assert watched.query() <= 1


@pytest.mark.parametrize("size", SIZES)
def test_each_call_of_log_mta_takes_logarithmically_many_combines(size: int) -> None:
    watched = Watched(LogMta)
    watched.fill(size - 1000)
    while len(watched.window) < size:
        assert watched.insert() <= logarithm(len(watched.window)) + 2
        assert watched.query() <= 1
    for _ in range(200):
        assert watched.insert() <= logarithm(size + 1) + 2
        assert watched.evict() <= logarithm(size) + 2


def test_the_tree_of_log_mta_is_as_high_as_the_window_is_long_not_the_stream() -> None:
    watched = Watched(LogMta)
    watched.fill(5000)
    for size in (1000, 100, 10, 3, 1):
        watched.evict(len(watched.window) - size)
        for _ in range(300):
            assert watched.insert() <= logarithm(size + 1) + 2
            assert watched.evict() <= logarithm(size + 1) + 2


@pytest.mark.parametrize("size", [*SIZES, LARGE])
@pytest.mark.parametrize(
    ("structure", "bound"),
    [
        (Amta, lambda size: 4 * logarithm(size) + 6),
        (LogMta, lambda size: logarithm(size) + 2),
        # A window that lost many updates also moves to a smaller tree.
        (FlatFat, lambda size: 4 * (logarithm(size) + 3)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_bulk_eviction_takes_logarithmically_many_combines_whatever_its_size(
    structure: type[Aggregator], bound: Callable[[int], float], size: int
) -> None:
    watched = Watched(structure)
    watched.steps(size, min(size, 3000) // 3)  # neither start nor split lie at a round number
    snapshot = watched.window.snapshot()
    for share in (1, 10, 33, 50, 66, 90, 99, 100):
        count = -(-size * share // 100)
        watched.window.restore(snapshot)
        assert watched.evict(count) <= bound(size)
        left = size - count
        for _ in range(5):  # and the pieces that are left cost no more than they should
            assert watched.insert() + watched.query() <= 4 * (logarithm(left + 5) + 3) + 6


@pytest.mark.parametrize("structure", SEARCHING)
def test_any_schedule_of_evictions_stays_within_the_bounds_of_a_step(
    structure: type[Aggregator],
) -> None:
    watched, largest = Watched(structure), 0
    for number in range(4000):
        watched.insert()
        largest = max(largest, len(watched.window))
        if number % 7 == 3:
            count = number * 2654435761 % (len(watched.window) + 1)
            count = count if number % 5 == 0 else count % 9
            bound = 4 * (logarithm(len(watched.window)) + 3) + 6
            assert watched.evict(min(count, len(watched.window))) + watched.query() <= bound
    assert largest > 30


def test_recompute_combines_nothing_until_it_is_asked() -> None:
    watched = Watched(Recompute)
    assert [watched.insert() for _ in range(10)] == [0] * 10
    assert watched.evict(3) == 0
    assert watched.query() == 6


# What is alive ------------------------------------------------------------------------------------


class Node:
    """A state that counts how many of its kind are alive."""

    alive = 0

    def __init__(self) -> None:
        Node.alive += 1

    def __del__(self) -> None:
        type(self).alive -= 1


ALIVE: Monoid[Node, None] = Monoid(
    name="alive",
    lift=lambda value: Node(),
    combine=lambda older, newer: Node(),
    lower=lambda state: None,
    identity=Node(),
)


@pytest.mark.parametrize("size", [*SIZES, 20_000])
@pytest.mark.parametrize("structure", [TwoStacks, Daba, LogMta, Amta])
def test_a_window_stores_two_states_for_each_update(structure: type[Aggregator], size: int) -> None:
    gc.collect()
    others = Node.alive
    window = structure(ALIVE)
    for number in range(2 * size + 100):
        window.insert(None)
        if number >= size:
            window.evict()
    assert Node.alive - others <= 2 * size + 6 * logarithm(size) + 6


@pytest.mark.parametrize("structure", [TwoStacks, Daba, FlatFat, LogMta, Amta])
def test_a_window_that_shrank_lets_its_past_go(structure: type[Aggregator]) -> None:
    gc.collect()
    others = Node.alive
    window = structure(ALIVE)
    for _ in range(10_000):
        window.insert(None)
    window.evict(9_990)
    for _ in range(200):
        window.insert(None)
        window.evict()
    assert Node.alive - others <= 100


# Slides -------------------------------------------------------------------------------------------


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


def test_many_evictions_at_once_are_cheaper_than_one_by_one() -> None:
    bulk, single = Watched(Amta), Watched(Amta)
    bulk.fill(5000)
    single.fill(5000)
    assert bulk.evict(4000) * 10 < sum(single.evict() for _ in range(4000))
