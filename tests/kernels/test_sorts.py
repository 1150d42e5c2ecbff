"""Sorting by counting equals numpy's stable sort."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.kernels.grouping import (
    from_places,
    places_by_code,
    sort_by_time,
    to_places,
)

pytestmark = pytest.mark.usefixtures("interpreted_and_compiled")

FIRST, LAST = -(1 << 63), (1 << 63) - 1
times = (
    st.integers(FIRST, LAST)
    | st.integers(-3, 3)
    | st.sampled_from((FIRST, FIRST + 1, -1, 0, LAST - 1, LAST))
)


@given(st.lists(st.lists(times, max_size=60), max_size=4))
def test_each_group_is_sorted_by_time_ties_as_they_came(groups: list[list[int]]) -> None:
    borders = np.cumsum([0, *map(len, groups)])
    ticks = np.array([time for group in groups for time in group], np.int64)
    rows = np.arange(len(ticks))[::-1].copy()
    expected = []
    for first, end in pairwise(borders):
        expected.extend(first + np.argsort(ticks[first:end], kind="stable"))
    order = np.array(expected, np.int64)
    sorted_ticks, sorted_rows = ticks[order], rows[order]
    sort_by_time(ticks, rows, borders)
    np.testing.assert_array_equal(ticks, sorted_ticks)
    np.testing.assert_array_equal(rows, sorted_rows)


def test_many_rows_are_sorted_stably() -> None:
    random = np.random.default_rng(1)
    for span in (1, 2000, 5_000_000, 1 << 62):
        ticks = random.integers(-span, span, 100_000)
        order = np.argsort(ticks, kind="stable")
        rows, sorted_ticks = np.arange(100_000), ticks[order]
        sort_by_time(ticks, rows, np.array([0, 100_000]))
        np.testing.assert_array_equal(rows, order)
        np.testing.assert_array_equal(ticks, sorted_ticks)


@given(st.lists(st.integers(0, 9)))
def test_places_by_code_are_those_of_a_stable_sort(codes: list[int]) -> None:
    given_codes = np.array(codes, np.int32)
    places, borders = places_by_code(given_codes)
    order = np.argsort(given_codes, kind="stable")
    moved = to_places(given_codes, places)
    np.testing.assert_array_equal(moved, given_codes[order])
    np.testing.assert_array_equal(from_places(moved, places), given_codes)
    for code in range(len(borders) - 1):
        assert (moved[borders[code] : borders[code + 1]] == code).all()
    assert borders[-1] == len(codes)
