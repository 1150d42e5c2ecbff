"""Counts, distinct values, histograms and logic against Python's own and numpy."""

import math
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.drawn import column, floats, integers, numbers, rank, there
from windrow import agg
from windrow.algebra.numeric import BOOL, FLOAT, INT, VALUE
from windrow.errors import AggregateError, InputError
from windrow.testing import fold


@given(numbers)
def test_rows_are_all_counted_and_values_unless_null(values: list[Any]) -> None:
    rows = [{"v": value} for value in values]
    assert fold(agg.count(), values) == len(values)
    assert fold(agg.count("v"), rows) == len(there(values))


@given(column(st.booleans()))
def test_any_and_all_skip_nulls_and_are_null_of_nothing(values: list[Any]) -> None:
    present = there(values)
    assert fold(agg.any(), values) is (any(present) if present else None)
    assert fold(agg.all(), values) is (all(present) if present else None)


@given(numbers | column(st.text(max_size=1)) | column(st.dates()))
def test_distinct_counts_what_a_counter_holds(values: list[Any]) -> None:
    assert fold(agg.distinct(), values) == len(Counter(map(rank, there(values))))


def test_values_that_count_as_one() -> None:
    assert fold(agg.distinct(), [0.0, -0.0]) == 1
    assert fold(agg.distinct(), [math.nan, -math.nan, float("nan"), Decimal("NaN")]) == 1
    assert fold(agg.distinct(), [1, 1.0, Decimal("1.0"), np.float32(1)]) == 1
    assert fold(agg.distinct(), [b"a", bytearray(b"a")]) == 1
    noon = datetime(2024, 1, 1, 12, tzinfo=UTC)
    assert fold(agg.distinct(), [noon, noon.astimezone(timezone(timedelta(hours=2)))]) == 1
    assert fold(agg.distinct(), ["1", 1, b"1"]) == 3


def test_a_value_without_a_hash_is_refused() -> None:
    with pytest.raises(InputError, match="a list has no hash; turn it into a tuple"):
        fold(agg.distinct(), [[1]])


edges = st.lists(
    st.integers(-5, 5) | st.sampled_from([-math.inf, -0.5, 0.5, math.inf]),
    unique=True,
    min_size=2,
    max_size=8,
).map(sorted)


@given(column(st.integers(-6, 6) | st.sampled_from([math.inf, -math.inf, 0.5])), edges)
def test_histograms_are_those_of_numpy(values: list[Any], edges: list[float]) -> None:
    counts, _ = np.histogram(np.array(there(values), dtype=float), np.array(edges, dtype=float))
    assert fold(agg.histogram(edges), values) == tuple(counts.tolist())


@given(column(floats))
def test_infinite_edges_count_all_numbers(values: list[Any]) -> None:
    below, above = fold(agg.histogram([-math.inf, 0, math.inf]), values)
    assert below + above == sum(not math.isnan(value) for value in there(values))


def test_a_histogram_takes_an_array_of_edges() -> None:
    assert fold(agg.histogram(np.linspace(0, 1, 3)), [0.0, 0.5, 1.0]) == (1, 2)
    assert fold(agg.histogram(np.arange(3)), [0, 1, 2]) == (1, 2)


@given(st.lists(integers, max_size=12), edges)
def test_histograms_of_integer_columns_divide_exactly(
    values: list[int], edges: list[float]
) -> None:
    assert lowered(edges, INT, values) == (*fold(agg.histogram(edges), values), VALUE)


def lowered(edges: list[float], dtype: np.dtype[Any], values: list[Any]) -> tuple[int, ...] | None:
    monoid = agg.histogram(edges).monoid
    form = monoid.numeric((dtype,)) if monoid.numeric else None
    if form is None:
        return None
    state = form.identity
    for value in values:
        state = form.combine(state, form.lift(value))
    return form.lower(state)


def test_large_integers_are_not_rounded_into_a_bin() -> None:
    # As floats, 2**53 and 2**53 + 1 are one number.
    assert lowered([0, 2**53, 2**60], INT, [2**53 - 1, 2**53 + 1]) == (1, 1, VALUE)
    assert lowered([0, 2**53 + 1, 2**60], FLOAT, []) is None
    assert lowered([0.5, 1e300], INT, [1, 0]) == (1, VALUE)
    assert lowered([0, 10**400], FLOAT, []) is None
    assert lowered([0, 1e300, 2e300], INT, []) is None


def test_booleans_fall_into_bins() -> None:
    assert lowered([0, 1, 2], BOOL, [True, False, True]) == (1, 2, VALUE)


def test_many_bins_have_no_numeric_form() -> None:
    assert lowered(list(range(33)), FLOAT, []) is not None
    assert lowered(list(range(34)), FLOAT, []) is None


@pytest.mark.parametrize("edges", [[], [1], [0, "1"], [0, None]])
def test_edges_that_make_no_bin_are_refused(edges: Any) -> None:
    with pytest.raises(AggregateError, match="give at least two numbers"):
        agg.histogram(edges)


@pytest.mark.parametrize("edges", [[1, 0], [0, 0], [0, math.nan], [math.nan, 0]])
def test_edges_that_do_not_increase_are_refused(edges: Any) -> None:
    with pytest.raises(AggregateError, match="do not increase; sort them"):
        agg.histogram(edges)
