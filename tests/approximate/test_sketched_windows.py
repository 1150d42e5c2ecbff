"""Windows of buckets of sketches: what may be gone of a bucket is reckoned with."""

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.approximate.oracle import after, check, check_all, followed, slid, window_of
from tests.approximate.sketched import COUNTS, SKETCHED, is_seldom
from tests.structures.support import Slide, from_maximum, last_from_maximum, total_up_to
from windrow import agg
from windrow.approximate import ApproximateAmta, Footprint, Interval, SumLike
from windrow.approximate.interval import interval_of
from windrow.approximate.sketched import SketchedCount, SketchedQuantile

METHODS: dict[str, Callable[[], Any]] = {
    "absolute": lambda: SumLike(absolute=7),
    "footprint": lambda: Footprint(4),
    "one bucket": lambda: Footprint(1),
}


# Updates, nulls among them, or numbers of updates that leave.  So few that sketches keep them all:
# then bounds hold for certain.
numbers = st.one_of(st.none(), st.just(math.nan), st.integers(-3, 3), st.floats(-1e3, 1e3))
steps = st.lists(st.one_of(numbers, st.tuples(st.integers(1, 9))), max_size=60)


def _window(method: str, slide: Slide | None = None) -> ApproximateAmta:
    return window_of(SKETCHED, METHODS[method](), slide=slide)


@pytest.mark.parametrize("method", METHODS)
@given(steps=steps)
def test_what_is_gone_of_a_bucket_is_reckoned_with(method: str, steps: list[Any]) -> None:
    window = _window(method)
    for values in followed(window, steps):
        check_all(window, SKETCHED, values)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "slide", [total_up_to(40), from_maximum(), last_from_maximum(9)], ids=lambda slide: slide.name
)
@given(values=st.lists(st.integers(0, 20), max_size=60))
def test_so_is_what_a_policy_may_have_let_go(method: str, slide: Slide, values: list[int]) -> None:
    window = _window(method, slide)
    for held in slid(window, slide, values):
        check_all(window, SKETCHED, held)


def test_families_that_count_a_bucket_whole_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(
        self: Any, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Any
    ) -> Interval:
        return interval_of(aggregate, aggregate.monoid.combine(bucket, rest))

    monkeypatch.setattr(SketchedCount, "interval", whole)
    monkeypatch.setattr(SketchedQuantile, "interval", whole)
    for name in ("distinct", "quantile 0.5"):
        aggregate, exact = SKETCHED[name]
        found = after(aggregate, Footprint(2), range(20), 3)
        with pytest.raises(AssertionError, match="Interval"):
            check(found, exact(range(3, 20)))


def test_a_bucket_that_does_not_matter_leaves_a_result_exact() -> None:
    assert after(COUNTS[0], SumLike(absolute=3), [1, 2, 3, 4] * 2, 1) == Interval.of_exact(4)
    assert after(agg.quantile_sketch(0.5), Footprint(2), [4] * 8, 1) == Interval.of_exact(4)


def test_a_count_moves_by_no_more_than_the_updates_that_are_in_doubt() -> None:
    twice = [*range(25), *range(25)]
    assert after(COUNTS[0], Footprint(1), twice, 2) == Interval(25, 23, 25, False)
    assert after(COUNTS[0], Footprint(1), twice, 48) == Interval(0, 0, 2, False)
    # Where all are different, so are those that are left.
    assert after(COUNTS[0], Footprint(1), range(50), 2) == Interval.of_exact(48)


def test_a_window_that_may_be_without_values_has_no_quantile_for_certain() -> None:
    found = after(agg.quantile_sketch(0.5), Footprint(1), [1, None, None], 1)
    assert found.low is None
    assert not found.exact


@pytest.mark.parametrize("method", [SumLike(absolute=60), Footprint(12), Footprint(1)], ids=repr)
def test_large_windows_of_buckets_hold_as_often_as_one_sketch(method: Any) -> None:
    rounds, missed = 40, dict.fromkeys(SKETCHED, 0)
    asked = {name: aggregate for name, (aggregate, _) in SKETCHED.items()}
    for seed in range(rounds):
        rng = random.Random(seed)
        # They rise, so that it matters which of them are gone, and some come twice.
        values = [place // 3 * 2 + rng.randrange(300) for place in range(900)]
        evicted = rng.randrange(1, 700)
        for name, found in after(asked, method, values, evicted).items():
            exact = SKETCHED[name][1](values[evicted:])
            assert not found.exact
            assert found.low <= found.value <= found.high
            missed[name] += not found.low <= exact <= found.high
    assert all(is_seldom(count, rounds) for count in missed.values()), missed


@pytest.mark.parametrize("name", SKETCHED)
def test_a_window_that_starts_with_a_bucket_has_the_bounds_of_its_sketch(name: str) -> None:
    found = after(SKETCHED[name][0], Footprint(1), range(3_000), 0)
    assert not found.exact
    assert found.low <= found.value <= found.high
    assert 0 < found.high - found.low < 0.7 * 3_000
