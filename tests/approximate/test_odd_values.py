"""Values that are no numbers, have many digits or no order: results still hold the exact one."""

import math
import operator
import random
import statistics
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from tests.approximate.oracle import after, check
from windrow import agg
from windrow.algebra.aggregate import as_monoid
from windrow.algebra.optional import same
from windrow.approximate import ApproximateAmta, Footprint, SumLike
from windrow.structures import Amta


def test_a_value_that_is_no_number_leaves_again() -> None:
    window = ApproximateAmta(agg.sum(), SumLike(absolute=3))
    for value in [math.nan, *[1] * 100]:
        window.insert(value)
        if len(window) > 10:
            window.evict()
    found = window.query()
    assert (found.low, found.high) != (None, None)
    assert found.low <= 10 <= found.high


def test_large_whole_numbers_and_decimals_lose_no_digit() -> None:
    large = 10**18 + 1
    assert after(agg.sum(), SumLike(absolute=0), [0, 0, 0, large], 1).value == large
    found = after(agg.sum(), Footprint(2), [1, 2, 10**400, 3], 1)
    assert found.low <= 10**400 + 5 <= found.high
    found = after(agg.mean(), Footprint(1), [Decimal(1), Decimal(2), Decimal(4)], 1)
    assert found.low <= 3 <= found.high


def test_of_equal_maxima_the_oldest_must_be_known() -> None:
    rows = [("x", 5), ("a", 5), ("b", 5), ("a", 5)]
    assert not after(agg.argmax(), SumLike(absolute=2), rows, 2).exact


def test_results_without_an_order_have_no_ends() -> None:
    rows = [(5, 0), (1, 1), (2, 2), (3, 3), (0, 4), (9, 5), (1, 6)]
    assert after(agg.longest_increasing_run(), Footprint(2), rows, 1).low is None
    assert after(agg.max(), Footprint(2), [1, math.nan, 7, 8, 5, 4], 2).low is None
    assert after(agg.geometric_mean(), Footprint(1), [1e300] * 10, 5).high is None


def test_variances_far_from_zero_hold() -> None:
    rng = random.Random(136)
    for _ in range(200):
        values = [1e8 + rng.random() for _ in range(8)]
        found = after(agg.variance(), Footprint(2), values, 4)
        check(found, statistics.variance(map(Fraction, values[4:])))


def test_a_monoid_of_ones_own_has_no_bounds_whatever_its_name() -> None:
    own = replace(as_monoid(agg.sum()), lift=float, combine=operator.add, identity=0.0)
    assert after(replace(own, lower=same), Footprint(1), [1, 2, 3], 1).low is None


def test_decimals_of_any_length_are_rounded_as_in_exact_windows() -> None:
    held, exact = ApproximateAmta(agg.sum(), Footprint(1)), Amta(agg.sum())
    for text in ("12345678901234567890.12345678", "0.000000001", "0.000000002", "0.000000003"):
        held.insert(Decimal(text))
        exact.insert(Decimal(text))
    held.evict(2)
    exact.evict(2)
    found = held.query()
    assert found.low <= exact.query() <= found.high
    assert not found.exact or found.value == exact.query()


def test_a_decimal_that_is_no_number_is_told() -> None:
    held = ApproximateAmta(agg.sum(), SumLike(absolute=10))
    for value in (Decimal(1), Decimal("NaN"), Decimal(2), Decimal(3)):
        held.insert(value)
    assert held.query().value.is_nan()
    held.evict(2)
    assert held.query() == (Decimal(5), Decimal(5), Decimal(5), True)


def test_what_was_rounded_before_it_left_is_allowed_for() -> None:
    held = ApproximateAmta(agg.sum(), Footprint(8))
    values = [0.5, -2.9, -5.0, -0.5, -0.5, 1.1, -9007199254740992.0, -1.1317578839129592]
    for value in values:
        held.insert(value)
    held.max_buckets = 1
    held.evict(7)
    found = held.query()
    assert found.low <= values[-1] <= found.high
