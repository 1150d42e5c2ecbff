"""Complexity, by counting: inserts, evictions and queries never pass their bounds of combines."""

from collections.abc import Callable

import pytest

from tests.structures.counting import KINDS, SIZES, Watched, logarithm
from tests.structures.support import SEARCHING
from windrow import agg
from windrow.structures import (
    Aggregator,
    Amta,
    Daba,
    FlatFat,
    LogMta,
    Recompute,
    SubtractOnEvict,
    TwoStacks,
)

LARGE = 100_000


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


def test_many_evictions_at_once_are_cheaper_than_one_by_one() -> None:
    bulk, single = Watched(Amta), Watched(Amta)
    bulk.fill(5000)
    single.fill(5000)
    assert bulk.evict(4000) * 10 < sum(single.evict() for _ in range(4000))


def test_recompute_combines_nothing_until_it_is_asked() -> None:
    watched = Watched(Recompute)
    assert [watched.insert() for _ in range(10)] == [0] * 10
    assert watched.evict(3) == 0
    assert watched.query() == 6
