"""Sums, means, products and variances against fractions, numpy and statistics."""

import math
import statistics
from datetime import timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.drawn import column, integers, moderate, there
from windrow import agg
from windrow.algebra.numeric import INT, NULL, OVERFLOW, VALUE, Numeric
from windrow.errors import AggregateError
from windrow.testing import fold

SUMMING = [agg.sum(), agg.mean(), agg.product(), agg.geometric_mean(), agg.variance(), agg.stddev()]


def close(result: float, expected: float, scale: float = 0.0) -> bool:
    return math.isclose(result, expected, rel_tol=1e-9, abs_tol=1e-9 * scale)


@pytest.mark.parametrize("aggregate", SUMMING, ids=repr)
def test_nothing_and_nulls_alone_are_null(aggregate: Any) -> None:
    assert fold(aggregate, []) is None
    assert fold(aggregate, [None, None]) is None


@pytest.mark.parametrize("aggregate", SUMMING, ids=repr)
@pytest.mark.parametrize("values", [[1.0, math.nan], [math.nan, None, 2.0]])
def test_one_nan_makes_the_result_nan(aggregate: Any, values: list[Any]) -> None:
    assert math.isnan(fold(aggregate, values))


@given(column(integers))
def test_integers_add_up_exactly(values: list[Any]) -> None:
    assert fold(agg.sum(), values) == (sum(there(values)) if there(values) else None)


@given(column(moderate))
def test_floats_add_up_and_average_as_fractions_do(values: list[Any]) -> None:
    numbers = there(values)
    if numbers:
        exact = float(sum(map(Fraction, numbers)))
        scale = max(map(abs, numbers))
        assert close(fold(agg.sum(), values), exact, scale)
        assert close(fold(agg.mean(), values), exact / len(numbers), scale)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([math.inf, 1.0], math.inf), ([-math.inf, 1.0], -math.inf), ([math.inf, -math.inf], math.nan)],
)
def test_infinities_add_up_as_floats_do(values: list[float], expected: float) -> None:
    for aggregate in (agg.sum(), agg.mean()):
        assert fold(aggregate, values) == pytest.approx(expected, nan_ok=True)


def test_durations_add_up() -> None:
    hours = [timedelta(hours=1), None, timedelta(hours=2)]
    assert fold(agg.sum(), hours) == timedelta(hours=3)


def test_what_is_left_after_subtracting_all_values_is_null_not_zero() -> None:
    monoid = agg.sum().monoid
    five = monoid.lift_row(5)
    window = monoid.combine(five, monoid.lift_row(None))
    assert monoid.lower(monoid.subtract(window, five)) is None
    zeros = monoid.combine(window, monoid.lift_row(0))
    assert monoid.lower(monoid.subtract(zeros, five)) == 0


def test_an_infinite_sum_cannot_be_undone() -> None:
    for monoid in (agg.sum().monoid, agg.mean().monoid):
        infinite = monoid.lift_row(math.inf)
        total = monoid.combine(infinite, monoid.lift_row(1.0))
        assert monoid.subtract(total, infinite) is NotImplemented


def test_integers_beyond_floats_can_be_subtracted() -> None:
    monoid = agg.sum().monoid
    huge = monoid.lift_row(10**400)
    total = monoid.combine(huge, monoid.lift_row(1))
    assert monoid.lower(monoid.subtract(total, huge)) == 1


@given(column(st.floats(-4.0, 4.0), max_size=12))
def test_products_are_those_of_the_standard_library(values: list[Any]) -> None:
    numbers = there(values)
    if numbers:
        assert close(fold(agg.product(), values), math.prod(numbers))


@given(column(st.floats(1e-3, 1e6)))
def test_geometric_means_are_those_of_the_standard_library(values: list[Any]) -> None:
    numbers = there(values)
    if numbers:
        assert close(fold(agg.geometric_mean(), values), statistics.geometric_mean(numbers))


def test_geometric_means_do_not_overflow() -> None:
    assert close(fold(agg.geometric_mean(), [1e300] * 100), 1e300)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([4.0, 0.0], 0.0), ([4.0, -1.0], math.nan), ([0.0, math.inf], math.nan)],
)
def test_geometric_means_of_zero_and_negative_values(values: list[float], expected: float) -> None:
    assert fold(agg.geometric_mean(), values) == pytest.approx(expected, nan_ok=True)


@given(column(moderate), st.sampled_from([0, 1]))
def test_variances_are_those_of_numpy(values: list[Any], ddof: int) -> None:
    numbers = there(values)
    variance = fold(agg.variance(ddof=ddof), values)
    stddev = fold(agg.stddev(ddof=ddof), values)
    if len(numbers) <= ddof:
        assert variance is None
        assert stddev is None
    else:
        scale = max(map(abs, numbers))
        assert close(variance, float(np.var(numbers, ddof=ddof)), scale)
        assert close(stddev, float(np.std(numbers, ddof=ddof)), scale)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=40))
def test_variances_far_from_zero_lose_no_digits(steps: list[int]) -> None:
    shifted = fold(agg.variance(), [1e9 + step / 64 for step in steps])
    exact = statistics.variance([Fraction(step, 64) for step in steps])
    # The textbook formula, a difference of squares near 1e18, would keep no digit at all.
    assert math.isclose(shifted, exact, rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("values", [[math.inf, 1.0], [1.0, 2.0, -math.inf], [math.inf] * 2])
def test_an_infinity_makes_variances_nan(values: list[float], ddof: int) -> None:
    assert math.isnan(fold(agg.variance(ddof=ddof), values))
    assert math.isnan(fold(agg.stddev(ddof=ddof), values))


def test_a_single_infinity_has_population_variance_nan_as_in_spark() -> None:
    assert math.isnan(fold(agg.variance(ddof=0), [math.inf]))


def test_a_ddof_other_than_0_and_1_is_refused() -> None:
    with pytest.raises(AggregateError, match="ddof=2; use 1 for a sample"):
        agg.variance(ddof=2)


def numeric_sum(values: list[int]) -> tuple[Any, ...]:
    form: Numeric = agg.sum().monoid.numeric((INT,))  # type: ignore[assignment, misc]
    state = form.identity
    for value in values:
        state = form.combine(state, form.lift(value))
    return form.lower(state)


LARGEST = (1 << 63) - 1


@pytest.mark.parametrize(
    ("values", "lowered"),
    [
        ([], (0, NULL)),
        ([LARGEST], (LARGEST, VALUE)),
        ([-LARGEST - 1], (-LARGEST - 1, VALUE)),
        ([LARGEST, 1], (0, OVERFLOW)),
        ([-LARGEST - 1, -1], (0, OVERFLOW)),
        ([LARGEST, LARGEST, -LARGEST], (LARGEST, VALUE)),
        ([LARGEST] * 9 + [-LARGEST] * 9, (0, VALUE)),
    ],
)
def test_integer_sums_that_do_not_fit_are_refused_not_wrapped(
    values: list[int], lowered: tuple[int, int]
) -> None:
    assert numeric_sum(values) == lowered


@given(st.lists(integers, min_size=1, max_size=20))
def test_integer_sums_of_numbers_are_exact_or_refused(values: list[int]) -> None:
    fits = -LARGEST - 1 <= sum(values) <= LARGEST
    assert numeric_sum(values) == ((sum(values), VALUE) if fits else (0, OVERFLOW))
