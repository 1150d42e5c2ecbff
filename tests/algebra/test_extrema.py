"""Extrema, where they are, how often they occur, and the largest few, against sorting."""

import math
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.drawn import column, few, floats, integers, numbers, rank, same, there
from windrow import agg
from windrow.errors import AggregateError
from windrow.testing import fold


def ordered(values: list[Any]) -> list[Any]:
    return sorted(there(values), key=rank)


@given(numbers | column(st.text(max_size=2)) | column(st.dates()))
def test_min_and_max_are_the_ends_of_the_sorted_values(values: list[Any]) -> None:
    low, *_, high = ordered(values) * 2 or (None, None)
    assert same(fold(agg.min(), values), low)
    assert same(fold(agg.max(), values), high)


@given(column(integers) | column(floats))
def test_the_range_is_the_distance_of_the_ends(values: list[Any]) -> None:
    low, *_, high = ordered(values) * 2 or (None, None)
    expected = None if low is None or high is None else high - low
    assert same(fold(agg.range(), values), expected)


def test_nan_is_the_largest_number() -> None:
    assert fold(agg.min(), [math.nan, 1.0, math.nan]) == 1.0
    assert math.isnan(fold(agg.max(), [1.0, math.nan, math.inf]))
    assert math.isnan(fold(agg.min(), [math.nan, None]))


@given(numbers | column(st.text(max_size=1)))
def test_extrema_are_counted_as_the_sorted_values_say(values: list[Any]) -> None:
    in_order = ordered(values)
    lows = sum(rank(value) == rank(in_order[0]) for value in in_order)
    highs = sum(rank(value) == rank(in_order[-1]) for value in in_order)
    assert fold(agg.min_count(), values) == lows
    assert fold(agg.max_count(), values) == highs


def test_the_extrema_of_nothing_occur_never() -> None:
    for aggregate in (agg.min_count(), agg.max_count()):
        assert fold(aggregate, []) == fold(aggregate, [None]) == 0


@given(st.lists(st.tuples(st.none() | st.integers(), st.none() | few | floats), max_size=30))
def test_argmin_and_argmax_take_from_the_oldest_extreme_row(
    rows: list[tuple[int | None, float | None]],
) -> None:
    known = [(taken, by) for taken, by in rows if by is not None]
    # Python's min and max answer with the first of equal items, too.
    lowest = min(known, key=lambda row: rank(row[1]), default=(None, None))
    highest = max(known, key=lambda row: rank(row[1]), default=(None, None))
    assert fold(agg.argmin(), rows) == lowest[0]
    assert fold(agg.argmax(), rows) == highest[0]


def test_argmax_reads_columns_of_any_type() -> None:
    rows = [
        {"sensor": "a", "day": date(2024, 1, 2)},
        {"sensor": "b", "day": date(2024, 1, 3)},
        {"sensor": "c", "day": date(2024, 1, 3)},
        {"sensor": "d", "day": None},
    ]
    assert fold(agg.argmax("sensor", by="day"), rows) == "b"
    assert fold(agg.argmin("sensor", by="day"), rows) == "a"


def test_a_null_at_the_extremum_is_the_result() -> None:
    assert fold(agg.argmax(), [(1, 10), (None, 20)]) is None
    assert fold(agg.argmin(), [(1, 10), (None, 20)]) == 1


def test_argmin_takes_nan_only_where_there_is_nothing_else() -> None:
    assert fold(agg.argmin(), [("a", math.nan), ("b", math.inf)]) == "b"
    assert fold(agg.argmin(), [("a", math.nan), ("b", math.nan)]) == "a"
    assert fold(agg.argmax(), [("a", math.inf), ("b", math.nan), ("c", math.nan)]) == "b"


@pytest.mark.parametrize("factory", [agg.argmin, agg.argmax])
def test_a_column_without_the_one_to_order_by_is_refused(factory: Any) -> None:
    with pytest.raises(AggregateError, match="got column='sensor', by=None; name both"):
        factory("sensor")
    with pytest.raises(AggregateError, match="got column=None, by='temp'"):
        factory(by="temp")


@given(numbers | column(st.text(max_size=2)), st.integers(1, 8))
def test_the_top_are_the_last_of_the_sorted_values(values: list[Any], k: int) -> None:
    result = fold(agg.top_k(k), values)
    assert isinstance(result, list)
    assert same(result, ordered(values)[::-1][:k])


@pytest.mark.parametrize("k", [0, -1, 2.0, None])
def test_a_k_that_is_no_positive_integer_is_refused(k: Any) -> None:
    with pytest.raises(AggregateError, match="is not a positive integer"):
        agg.top_k(k)
