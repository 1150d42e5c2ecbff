"""Sketches say how wrong they may be, and so do windows of buckets of them."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.approximate.sketched import (
    COUNTS,
    QUANTILES,
    SKETCHED,
    exact_quantile,
    is_seldom,
)
from windrow import agg
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue import sketches
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Kind, Monoid
from windrow.approximate import ApproximateAmta, Footprint, Interval
from windrow.approximate.interval import interval_of


def of(aggregate: Aggregate[Any], values: Sequence[Any], part: int = 1) -> Any:
    """The state of the values: parts of so many are folded, then put together."""
    monoid = aggregate.monoid
    lifted = [monoid.lift_row(value) for value in values]
    starts = range(0, len(lifted), part)
    parts = [reduce(monoid.combine, lifted[start : start + part]) for start in starts]
    return reduce(monoid.combine, parts, monoid.identity)


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
