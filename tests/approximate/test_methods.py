"""What the methods say of where buckets begin, and of what they learn."""

import math
from collections.abc import Iterable
from functools import reduce
from operator import getitem, setitem
from typing import Any

import numpy as np
import pytest
from scipy import stats

from windrow import agg, window
from windrow.approximate import ApproximateAmta, Footprint, Hop, MaxLike, SumLike
from windrow.approximate.layout import Layout
from windrow.approximate.max_like import fit_sorted, quantile_of
from windrow.approximate.method import ALLOWED, Bounded, method_cells
from windrow.approximate.method_code import CellAccess, Told, method_code
from windrow.approximate.prediction import (
    NO_NUMBERS,
    Sample,
    added,
    mean_of,
    nearest_to_zero,
    place_in_table,
    radius,
    spread_of,
    student_table,
)
from windrow.errors import EmptyWindowError, InputError, WindowError


@pytest.mark.parametrize("shape", [-0.3, -0.1, 0.0, 0.2, 0.4])
def test_extreme_values_are_fitted_by_their_l_moments(shape: float) -> None:
    drawn = stats.genextreme.rvs(shape, 10.0, 2.0, size=500, random_state=5)
    found = fit_sorted(sorted(drawn.tolist()))
    location, scale, curved = found
    # The moments of the fitted distribution, by scipy's quadrature, are those of the sample.
    grid = (np.arange(200_000) + 0.5) / 200_000
    values = stats.genextreme.ppf(grid, curved, location, scale)
    assert stats.lmoment(values, [1, 2], standardize=False) == pytest.approx(
        stats.lmoment(drawn, [1, 2], standardize=False), rel=2e-3
    )
    assert stats.lmoment(values, 3) == pytest.approx(stats.lmoment(drawn, 3), abs=0.01)
    for share in (0.01, 0.5, 0.99):
        expected = stats.genextreme.ppf(share, curved, location, scale)
        assert quantile_of(found, share) == pytest.approx(expected)


def test_extremes_that_are_all_alike_are_their_own_distribution() -> None:
    assert quantile_of(fit_sorted([4.0] * 30), 0.01) == 4.0


def test_a_prediction_holds_as_often_as_it_says() -> None:
    rng, inside, rounds = np.random.default_rng(3), 0, 2_000
    for _ in range(rounds):
        *known, coming = rng.normal(50.0, 4.0, 41)
        sample = _sample(known)
        reach = radius(sample[0], spread_of(sample), 1.0, _student(0.9, sample[0]))
        inside += abs(coming - mean_of(sample)) <= reach
    assert 0.88 <= inside / rounds <= 0.94  # Student's t is that of a power of two, no more


def _sample(numbers: Iterable[float]) -> Sample:
    return reduce(added, numbers, NO_NUMBERS)


def _student(confidence: float, number: float) -> float:
    return student_table(confidence)[place_in_table(number)]


def test_a_sample_of_two_parts_is_that_of_all() -> None:
    numbers = np.random.default_rng(1).normal(9.0, size=100)
    one, other = _sample(numbers[:40]), _sample(numbers[40:])
    reach = stats.t.ppf(0.975, 63) * math.sqrt(1 + 1 / 100) * numbers.std(ddof=1)
    nearest = nearest_to_zero(one, other, _student(0.95, 100))
    assert nearest == pytest.approx(numbers.mean() - reach)


def _allowed(results: Iterable[tuple[float, int]]) -> float:
    """What a bucket may cause for each update held, after these results of so many updates."""
    kinds, numbers, _ = method_cells([SumLike(relative=1.0)], Layout(agg.sum(), None))
    (bounded,) = kinds
    assert isinstance(bounded, Bounded)
    (dimension,) = bounded.dimensions
    window: list[Any] = list(numbers)
    held = 0
    for result, held in results:
        told = [Told(None, lambda *_, now=result * held: now, None)]
        access = CellAccess(getitem, getitem, setitem, setitem, None)
        method_code(kinds, told, access, 0, None).inserted(window, None, None, held, True)
    allowed: float = window[dimension.cell + ALLOWED] / held
    return allowed


def test_nothing_is_predicted_of_results_that_may_be_zero() -> None:
    assert _allowed(((-1.0) ** number, 50) for number in range(100)) == 0.0


def test_a_window_that_grows_forgets_its_beginnings() -> None:
    assert _allowed((float(number), number) for number in range(1, 20_001)) > 2_000


def _filled(
    asked: Any, values: Any, held: int, *methods: Any, policy: Any = None
) -> ApproximateAmta:
    kept = ApproximateAmta(asked, *methods, policy=policy)
    for value in values:
        kept.insert(value)
        if policy is not None:
            kept.slide()
        elif len(kept) > held:
            kept.evict()
    return kept


def test_a_relative_bound_makes_key_groups_of_that_share_of_the_window() -> None:
    values = (20 + np.random.default_rng(2).normal(size=20_000)).tolist()
    kept = _filled(agg.mean(), values, 5_000, SumLike(relative=0.01))
    found, exact = kept.query(), np.mean(values[-5_000:])
    assert 100 <= kept.buckets <= 130
    assert found.low <= exact <= found.high
    assert abs(found.value - exact) <= 0.01 * exact


@pytest.mark.parametrize("relative", [0.0, 0.5])
def test_zeros_share_a_bucket_whatever_the_bound(relative: float) -> None:
    kept = _filled(agg.sum(), [0] * 300, 100, SumLike(relative=relative))
    assert kept.buckets <= 32  # until there is a sample, each has its own
    assert kept.query()[:3] == (0, 0, 0)


def test_signs_that_alternate_have_no_relative_bound_and_stay_exact() -> None:
    values = [1e9 * (-1) ** number for number in range(400)]
    kept = _filled(agg.sum(), values, 101, SumLike(relative=0.1))
    assert kept.buckets == 101
    assert kept.query().exact


def test_only_candidates_for_the_maximum_open_buckets() -> None:
    rng = np.random.default_rng(4)
    values = rng.gumbel(size=12_000).tolist()
    held = 1_500
    by_content = window.policy(
        keep=lambda view: view.n <= held,
        drop=lambda evicted, after, before: evicted.peak <= after.peak,
        using={"n": agg.count(), "peak": agg.max()},
    )
    kept = ApproximateAmta(agg.max(), MaxLike(), policy=by_content)
    right = exact = 0
    for number, value in enumerate(values):
        kept.insert(value)
        kept.slide()
        found, truth = kept.query(), max(values[max(number + 1 - held, 0) : number + 1])
        right += found.value == truth
        exact += found.exact
        assert not found.exact or found.value == truth
    assert right >= 0.98 * len(values)
    assert exact >= 0.9 * len(values)
    assert kept.buckets <= 0.04 * held


@pytest.mark.parametrize(
    ("asked", "row"),
    [
        (agg.min(), lambda x: -x),
        (agg.argmax(), lambda x: (f"{x:.3f}", x)),
        (agg.argmin(), lambda x: (f"{x:.3f}", -x)),
        (agg.max_count(), lambda x: x),
        (agg.min_count(), lambda x: -x),
    ],
)
def test_all_extrema_have_candidates(asked: Any, row: Any) -> None:
    values = np.random.default_rng(6).gumbel(size=6_000).tolist()
    kept = _filled(asked, map(row, values), 1_000, MaxLike(block=50))
    assert kept.buckets < 500


def test_updates_that_leave_together_share_a_bucket() -> None:
    rng, exact, asked = np.random.default_rng(7), 0, 0
    kept = ApproximateAmta(agg.sum(), Hop())
    evictions = most = 0
    for number in range(60_000):
        kept.insert(number)
        if len(kept) >= 3_000:
            kept.evict(round(rng.normal(1_000, 0.5)))
            evictions += 1
        if evictions > 34:
            most = max(most, kept.buckets)
            asked += 1
            exact += kept.query().exact
    assert exact == asked > 0
    assert most <= 50


def test_a_footprint_may_be_lowered_and_raised_and_comes_to_use_all_of_it() -> None:
    kept = _filled(agg.sum(), range(5_000), 1_000, Footprint(100))
    assert 50 <= kept.buckets <= 100
    kept.max_buckets = 10
    assert kept.buckets <= 10
    kept.max_buckets = 200
    for number in range(3_000):
        kept.insert(number)
        kept.evict()
    assert 100 <= kept.buckets <= 200


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (SumLike, "give one of them"),
        (lambda: SumLike(absolute=1, relative=1), "give one of them"),
        (lambda: SumLike(absolute=-1), "absolute=-1; give a number"),
        (lambda: SumLike(relative=math.nan), "relative=nan; give a number"),
        (lambda: SumLike(relative=0.1, confidence=1.0), "confidence=1.0"),
        (lambda: MaxLike(block=0), "block=0"),
        (lambda: MaxLike(block="often"), "block='often'"),
        (lambda: Hop(confidence=95.0), "confidence=95.0"),
        (lambda: Footprint(0), "buckets=0"),
        (lambda: Footprint(2.5), "buckets=2.5"),  # type: ignore[arg-type]
        (lambda: SumLike(absolute={}), "bounds nothing"),
        (lambda: SumLike(absolute={"load": -2}), r"absolute\['load'\]=-2"),
        (lambda: MaxLike(confidence=1e-17), "confidence=1e-17"),
        (lambda: ApproximateAmta(agg.sum()), "without a method"),
        (lambda: ApproximateAmta(agg.sum(), SumLike), "is no method"),  # type: ignore[arg-type]
        (lambda: ApproximateAmta(agg.max(), MaxLike()).insert("a"), "'a' is none"),
        (lambda: ApproximateAmta(agg.sum(), MaxLike()), "needs an extremum"),
        (lambda: ApproximateAmta(agg.sum(), SumLike(absolute={"x": 1})), "called 'x'"),
        (lambda: ApproximateAmta(agg.sum(), Footprint(1), Footprint(2)), "give one of them"),
    ],
)
def test_bad_settings_are_named(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_what_a_window_cannot_do_is_told() -> None:
    kept = ApproximateAmta(agg.sum(), SumLike(absolute=1))
    with pytest.raises(EmptyWindowError):
        kept.evict()
    with pytest.raises(WindowError, match="without a policy"):
        kept.slide()
    with pytest.raises(WindowError, match="without a footprint"):
        kept.max_buckets = 3
