"""Sums without drift, integers without rounding, overflow without silence."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow import agg, roll, window
from windrow.errors import InputError, ResultOverflowError
from windrow.windows import Check

pytestmark = pytest.mark.xdist_group("other kernels")

TWO = window.trailing(rows=2)
LARGEST, SMALLEST = (1 << 63) - 1, -(1 << 63)


def test_a_sum_of_zeros_is_exactly_zero_whatever_left_before() -> None:
    found = roll(np.array([2.06, 0.888889, 0.0, 0.0, 0.0, 0.0]), agg.sum(), TWO)
    assert found.tolist() == [2.06, 2.06 + 0.888889, 0.888889, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("width", [1, 3, 512, 600])
def test_large_values_leave_nothing_behind(width: int) -> None:
    values = np.full(2000, 0.1)
    values[::700] = 1e16
    found = roll(values, {"sum": agg.sum(), "mean": agg.mean()}, window.trailing(rows=width))
    small = [r for r in range(width, 2000) if values[r - width + 1 : r + 1].max() < 1]
    assert small or width >= 700
    np.testing.assert_allclose(found["sum"][small], 0.1 * width, rtol=1e-13)
    np.testing.assert_allclose(found["mean"][small], 0.1, rtol=1e-13)


def test_infinities_and_nan_leave_nothing_behind() -> None:
    values = np.array([1.0, np.inf, 2.0, 3.0, np.nan, 4.0, 5.0, -np.inf, 6.0, 7.0])
    found = roll(values, agg.sum(), TWO)
    assert found[[0, 3, 6, 9]].tolist() == [1.0, 5.0, 9.0, 13.0]


def test_integers_are_summed_exactly_beyond_53_bits() -> None:
    large = (1 << 53) + 1
    found = roll(np.array([large, 1, large, -large]), agg.sum(), TWO)
    assert found.tolist() == [large, large + 1, large + 1, 0]


@examples(60)
@given(st.lists(st.integers(SMALLEST, LARGEST), max_size=20), st.integers(1, 6))
def test_integer_sums_are_exact_or_refused(values: list[int], rows: int) -> None:
    sums = [sum(values[max(r + 1 - rows, 0) : r + 1]) for r in range(len(values))]
    wrong = [row for row, total in enumerate(sums) if not SMALLEST <= total <= LARGEST]
    trailing, column = window.trailing(rows=rows), np.array(values, np.int64)
    if wrong:
        with pytest.raises(
            ResultOverflowError, match=rf"sum\(\) of values does not .* row {wrong[0]};"
        ):
            roll(column, agg.sum(), trailing)
    else:
        assert roll(column, agg.sum(), trailing).tolist() == sums


@pytest.mark.parametrize("check", Check)
def test_overflow_names_the_row_of_the_input_in_groups_and_under_policies(check: Check) -> None:
    last_two = window.policy(keep=lambda w: w.n <= 2, using={"n": agg.count()}, check=check)
    column = np.array([1, LARGEST, 2, 3, LARGEST])
    with pytest.raises(ResultOverflowError, match=r"at row 4; make the column floats") as caught:
        roll(column, agg.sum(), last_two, by=["a", "b", "a", "a", "b"])
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, OverflowError)


def test_sums_of_python_integers_have_no_limit() -> None:
    found = roll([LARGEST, LARGEST, 1 << 70], agg.sum(), TWO)
    assert found.tolist() == [LARGEST, 2 * LARGEST, LARGEST + (1 << 70)]


@pytest.mark.parametrize(
    ("unsigned", "expected"),
    [([1, 2, 3], [1, 3, 5]), ([LARGEST, 1, 0], [LARGEST, LARGEST + 1, 1])],
)
def test_unsigned_integers_are_summed_exactly(unsigned: list[int], expected: list[Any]) -> None:
    column = np.array(unsigned, np.uint64)
    if max(expected) > LARGEST:
        with pytest.raises(ResultOverflowError):
            roll(column, agg.sum(), TWO)
    else:
        assert roll(column, agg.sum(), TWO).tolist() == expected


def test_numbers_beyond_63_bits_keep_their_type() -> None:
    column = pa.array([1, (1 << 64) - 1, 2], pa.uint64())
    assert roll(column, agg.max(), TWO).to_pylist() == [1, (1 << 64) - 1, (1 << 64) - 1]
    assert roll(column, agg.first(), TWO).type == pa.uint64()
