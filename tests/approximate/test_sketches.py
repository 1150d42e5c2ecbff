"""Sketches say how wrong they may be, and so do windows of buckets of them."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.aggregators.support import Slide, from_maximum, last_from_maximum, total_up_to
from tests.algebra.drawn import rank, there
from tests.approximate.oracle import check, followed, results
from windrow import agg
from windrow.aggregators import ApproximateAmta, Footprint, Interval, SumLike
from windrow.aggregators.approximate.interval import interval_of
from windrow.aggregators.approximate.sketched import SketchedCount, SketchedQuantile
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue import sketches
from windrow.algebra.monoid import Kind, Monoid
from windrow.algebra.registry import registered

QUANTILES = [0.0, 0.01, 0.5, 0.9, 1.0]
COUNTS = [agg.distinct_sketch(lg_k=7), agg.distinct_sketch()]
MISSED = 0.01  # how often the exact result may lie outside


def exact_quantile(q: float, values: Sequence[Any]) -> float | None:
    ordered = sorted(value for value in there(list(values)) if not math.isnan(value))
    return ordered[max(math.ceil(q * len(ordered)), 1) - 1] if ordered else None


def exact_count(values: Sequence[Any]) -> int:
    return len(set(map(rank, there(list(values)))))


# Sketches that count, or find quantiles, and what is exact of a list.
SKETCHED: dict[str, tuple[Aggregate[Any], Callable[[Sequence[Any]], Any]]] = {
    "distinct": (COUNTS[0], exact_count),
    **{
        f"quantile {q}": (agg.quantile_sketch(q, k=64), partial(exact_quantile, q))
        for q in QUANTILES
    },
}

METHODS: dict[str, Callable[[], Any]] = {
    "absolute": lambda: SumLike(absolute=7),
    "footprint": lambda: Footprint(4),
    "one bucket": lambda: Footprint(1),
}


def of(aggregate: Aggregate[Any], values: Sequence[Any], part: int = 1) -> Any:
    """The state of the values: parts of so many are folded, then put together."""
    monoid = aggregate.monoid
    lifted = [monoid.lift_row(value) for value in values]
    starts = range(0, len(lifted), part)
    parts = [reduce(monoid.combine, lifted[start : start + part]) for start in starts]
    return reduce(monoid.combine, parts, monoid.identity)


def is_seldom(missed: int, rounds: int) -> bool:
    """Whether one in a hundred may well be missed: a test that says no is wrong once in 10^9."""
    return missed <= int(stats.binom.isf(1e-9, rounds, MISSED))


def missed_counts(aggregate: Aggregate[Any], number: int, rounds: int) -> int:
    missed = 0
    for seed in range(rounds):
        rng = random.Random(seed)
        values = [rng.getrandbits(50) for _ in range(number)]
        found = interval_of(aggregate, of(aggregate, [*values, *values[::5]], 60))
        missed += not found.low <= number <= found.high
        assert found.low <= found.value <= found.high
    return missed


def missed_quantiles(aggregates: dict[float, Aggregate[Any]], number: int, rounds: int) -> int:
    """How often the worst missed quantile was missed."""
    missed = dict.fromkeys(aggregates, 0)
    for seed in range(rounds):
        values = np.random.default_rng(seed).normal(size=number).tolist()
        state = of(aggregates[0.5], values, 60)
        for q, aggregate in aggregates.items():
            found = interval_of(aggregate, state)
            missed[q] += not found.low <= exact_quantile(q, values) <= found.high
            assert found.low <= found.value <= found.high
    return max(missed.values())


@pytest.mark.parametrize("aggregate", COUNTS, ids=repr)
@pytest.mark.parametrize("number", [70, 300, 2_000])
def test_exact_counts_lie_within_the_bounds_of_a_sketch(
    aggregate: Aggregate[Any], number: int
) -> None:
    assert is_seldom(missed_counts(aggregate, number, 100), 100)


@pytest.mark.parametrize("k", [64, 200])
@pytest.mark.parametrize("number", [300, 3_000])
def test_exact_quantiles_lie_within_the_bounds_of_a_sketch(k: int, number: int) -> None:
    aggregates = {q: agg.quantile_sketch(q, k=k) for q in QUANTILES}
    assert is_seldom(missed_quantiles(aggregates, number, 60), 60)


def test_bounds_that_are_too_narrow_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def certain(aggregate: Aggregate[Any]) -> Aggregate[Any]:
        lower = aggregate.monoid.lower
        return Aggregate(replace(aggregate.monoid, bounds=lambda state: (lower(state),) * 2))

    quantiles = {q: certain(agg.quantile_sketch(q, k=64)) for q in QUANTILES}
    assert not is_seldom(missed_quantiles(quantiles, 1_000, 60), 60)
    monkeypatch.setattr(sketches, "_DEVIATIONS", 1)
    assert not is_seldom(missed_counts(COUNTS[0], 1_000, 100), 100)


def test_bounds_are_no_wider_than_the_errors_that_are_documented() -> None:
    values = np.random.default_rng(1).permutation(20_000).tolist()
    counted = interval_of(COUNTS[1], of(COUNTS[1], values, 60))
    assert counted.high - counted.low < 2 * 3 * 0.017 * 20_000
    middle = agg.quantile_sketch(0.5)
    found = interval_of(middle, of(middle, values, 60))
    # Each value is its own rank; what a sketch retains has gaps of its own.
    assert found.high - found.low < 2 * 2 * 0.0165 * 20_000


@pytest.mark.parametrize("name", SKETCHED)
@pytest.mark.parametrize("values", [[], [None, None], [7], [None, 7, None], [math.nan], [3.5] * 40])
def test_a_few_values_are_known_exactly(name: str, values: list[Any]) -> None:
    aggregate, exact = SKETCHED[name]
    assert interval_of(aggregate, of(aggregate, values)) == Interval.of_exact(exact(values))


@pytest.mark.parametrize("name", SKETCHED)
def test_equal_values_are_known_exactly_however_many(name: str) -> None:
    aggregate, exact = SKETCHED[name]
    many = [2.5] * 5_000
    assert interval_of(aggregate, of(aggregate, many, 60)) == Interval.of_exact(exact(many))


@given(st.lists(st.floats(-1e9, 1e9), min_size=65, max_size=150), st.sampled_from(QUANTILES))
def test_a_sketch_that_still_has_all_values_is_exact(values: list[float], q: float) -> None:
    aggregate = agg.quantile_sketch(q)
    state = of(aggregate, values)
    assert not state.native.is_estimation_mode()
    assert interval_of(aggregate, state) == Interval.of_exact(exact_quantile(q, values))


def test_ends_that_meet_are_not_taken_for_certainty() -> None:
    values = [5.0] * 9_990 + list(range(10))
    aggregate = agg.quantile_sketch(0.5)
    found = interval_of(aggregate, of(aggregate, values, 60))
    assert found == Interval(5.0, 5.0, 5.0, False)


def test_a_hash_may_collide_so_that_no_large_count_is_exact() -> None:
    found = interval_of(COUNTS[1], of(COUNTS[1], range(65)))
    assert (found.value, found.exact) == (65, False)
    assert found.low <= 65 <= found.high <= 66


@pytest.mark.parametrize("name", sorted(registered()))
def test_only_sketches_are_in_doubt(name: str) -> None:
    aggregate = registered()[name].example
    monoid = aggregate.monoid
    found = interval_of(aggregate, monoid.identity)
    assert found.exact == (monoid.kind is not Kind.SKETCH or monoid.bounds is not None)
    assert monoid.kind is Kind.SKETCH or monoid.bounds is None


def test_nothing_is_known_of_a_filter() -> None:
    window = ApproximateAmta(agg.bloom(), Footprint(2))
    for value in [1, 2, 3, 4, 5, 6]:
        window.insert(value)
    found = window.query()
    assert found == Interval.unknown(found.value)
    window.evict()
    assert window.query().low is None


def test_a_sketch_of_ones_own_bounds_whole_windows_alone() -> None:
    rounded: Monoid[int, int] = Monoid(
        name="rounded",
        lift=int,
        combine=lambda older, newer: older + newer,
        lower=lambda total: round(total, -1),
        identity=0,
        kind=Kind.SKETCH,
        bounds=lambda total: (total - 5, total + 5) if total > 100 else None,
    )
    window = ApproximateAmta(rounded, Footprint(1))
    window.insert(100)
    assert window.query() == Interval.of_exact(100)
    window.insert(41)
    assert window.query() == Interval(140, 136, 146, False)
    window.evict()
    assert window.query().low is None


# Updates, nulls among them, or numbers of updates that leave.  So few that sketches keep them all:
# then bounds hold for certain.
numbers = st.one_of(st.none(), st.just(math.nan), st.integers(-3, 3), st.floats(-1e3, 1e3))
steps = st.lists(st.one_of(numbers, st.tuples(st.integers(1, 9))), max_size=60)


def _window(method: str, slide: Slide | None = None) -> ApproximateAmta:
    asked = {name: aggregate for name, (aggregate, _) in SKETCHED.items()}
    policy = None if slide is None else slide.policy()
    return ApproximateAmta(asked, METHODS[method](), policy=policy)


def _check_all(window: ApproximateAmta, values: list[Any]) -> None:
    for name, found in results(window).items():
        check(found, SKETCHED[name][1](values))


@pytest.mark.parametrize("method", METHODS)
@given(steps=steps)
def test_what_is_gone_of_a_bucket_is_reckoned_with(method: str, steps: list[Any]) -> None:
    window = _window(method)
    for values in followed(window, steps):
        _check_all(window, values)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "slide", [total_up_to(40), from_maximum(), last_from_maximum(9)], ids=lambda slide: slide.name
)
@given(values=st.lists(st.integers(0, 20), max_size=60))
def test_so_is_what_a_policy_may_have_let_go(method: str, slide: Slide, values: list[int]) -> None:
    window, held = _window(method, slide), list[int]()
    for value in values:
        window.insert(value)
        window.slide()
        held.append(value)
        del held[: slide.leaving(held)]
        _check_all(window, held)


def _after(asked: Any, method: Any, values: Sequence[Any], evicted: int) -> Any:
    window = ApproximateAmta(asked, method)
    for value in values:
        window.insert(value)
    window.evict(evicted)
    return window.query()


def test_families_that_count_a_bucket_whole_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(
        self: Any, bucket: Any, trace: Any, rest: Any, rest_trace: Any, left: Any
    ) -> Interval:
        return interval_of(aggregate, aggregate.monoid.combine(bucket, rest))

    monkeypatch.setattr(SketchedCount, "interval", whole)
    monkeypatch.setattr(SketchedQuantile, "interval", whole)
    for name in ("distinct", "quantile 0.5"):
        aggregate, exact = SKETCHED[name]
        found = _after(aggregate, Footprint(2), range(20), 3)
        with pytest.raises(AssertionError, match="Interval"):
            check(found, exact(range(3, 20)))


def test_a_bucket_that_does_not_matter_leaves_a_result_exact() -> None:
    assert _after(COUNTS[0], SumLike(absolute=3), [1, 2, 3, 4] * 2, 1) == Interval.of_exact(4)
    assert _after(agg.quantile_sketch(0.5), Footprint(2), [4] * 8, 1) == Interval.of_exact(4)


def test_a_count_moves_by_no_more_than_the_updates_that_are_in_doubt() -> None:
    twice = [*range(25), *range(25)]
    assert _after(COUNTS[0], Footprint(1), twice, 2) == Interval(25, 23, 25, False)
    assert _after(COUNTS[0], Footprint(1), twice, 48) == Interval(0, 0, 2, False)
    # Where all are different, so are those that are left.
    assert _after(COUNTS[0], Footprint(1), range(50), 2) == Interval.of_exact(48)


def test_a_window_that_may_be_without_values_has_no_quantile_for_certain() -> None:
    found = _after(agg.quantile_sketch(0.5), Footprint(1), [1, None, None], 1)
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
        for name, found in _after(asked, method, values, evicted).items():
            exact = SKETCHED[name][1](values[evicted:])
            assert not found.exact
            assert found.low <= found.value <= found.high
            missed[name] += not found.low <= exact <= found.high
    assert all(is_seldom(count, rounds) for count in missed.values()), missed


@pytest.mark.parametrize("name", SKETCHED)
def test_a_window_that_starts_with_a_bucket_has_the_bounds_of_its_sketch(name: str) -> None:
    found = _after(SKETCHED[name][0], Footprint(1), range(3_000), 0)
    assert not found.exact
    assert found.low <= found.value <= found.high
    assert 0 < found.high - found.low < 0.7 * 3_000
