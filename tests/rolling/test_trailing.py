"""Trailing windows over whole columns equal a fold of each window, for every aggregate."""

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.rolling.support import (
    NUMBERS,
    Table,
    arrow_table,
    floats,
    integers,
    lists,
    long_table,
    require_folds,
    taking,
    window_at,
)
from windrow import agg, roll, window
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Kind
from windrow.algebra.registry import Takes
from windrow.testing import fold
from windrow.windows import TrailingRows, TrailingTime

pytestmark = pytest.mark.xdist_group("kernels of numbers")
whole_catalogue = pytest.mark.usefixtures("interpreted_then_compiled")
compiled = pytest.mark.usefixtures("always_compiled")

OF_NUMBERS = taking(*NUMBERS)
OF_BOOLEANS = taking(Takes.ANYTHING, Takes.BOOLEANS)
EXACT = {n: part for n, part in OF_NUMBERS.items() if part.monoid.kind is not Kind.SKETCH}
FLOATS = {"v": pa.float64(), "w": pa.float64()}
INTEGERS = {"v": pa.int64(), "w": pa.int64()}
TELLING = {name: OF_NUMBERS[name] for name in ("first", "last", "sum")}  # order shows in these
# States of a number, of a count and a number, of several, and of what overflows or is located.
SHAPES = {
    name: OF_NUMBERS[name]
    for name in ("max", "mean", "variance", "histogram", "argmin", "longest_increasing_run", "last")
}
AROUND_A_BLOCK = (511, 512, 513, 1023, 1024, 1025)


@st.composite
def tables(draw: st.DrawFn, values: st.SearchStrategy[Any], max_size: int = 30) -> Table:
    rows = draw(st.lists(st.tuples(values, values, st.integers(0, 9)), max_size=max_size))
    rows = [(None, None, 0), *rows]  # kernels for columns without nulls are others
    times = np.cumsum([step if step < 8 else 1000 for *_, step in rows]).astype(int).tolist()
    return {"v": [v for v, *_ in rows], "w": [w for _, w, _ in rows], "time": times}


def check(
    table: Table,
    trailing: TrailingRows | TrailingTime,
    types: dict[str, pa.DataType],
    aggregates: dict[str, Any],
    rows: Sequence[int] | None = None,
) -> None:
    columns = arrow_table({"v": table["v"], "w": table["w"]}, **types)
    times = np.array(table["time"], np.int64)
    found = lists(roll(columns, aggregates, trailing, times=times))
    asked = range(len(times)) if rows is None else rows
    windows = {row: window_at(row, trailing, table["time"]) for row in asked}
    require_folds(found, aggregates, table, windows)
    assert all(len(answers) == len(times) for answers in found.values())


def test_no_aggregate_of_the_catalogue_is_left_out() -> None:
    tested = {*OF_NUMBERS, *OF_BOOLEANS, "bloom", "concat"}
    assert tested == set(registered())


@whole_catalogue
@given(tables(floats), st.integers(1, 35))
def test_every_aggregate_of_floats_folds_the_last_rows(table: Table, rows: int) -> None:
    check(table, window.trailing(rows=rows), FLOATS, OF_NUMBERS)


@whole_catalogue
@given(tables(floats), st.integers(1, 2000))
def test_every_aggregate_of_floats_folds_the_last_stretch_of_time(
    table: Table, microseconds: int
) -> None:
    check(table, window.trailing(f"{microseconds} us"), FLOATS, OF_NUMBERS)


@whole_catalogue
@examples(50)
@given(tables(integers), st.integers(1, 35))
def test_aggregates_with_a_form_for_integers_fold_the_last_rows(table: Table, rows: int) -> None:
    names = ("sum", "max", "min", "last", "max_count", "argmin", "histogram", "median", "range")
    check(table, window.trailing(rows=rows), INTEGERS, {n: OF_NUMBERS[n] for n in names})


@whole_catalogue
@examples(30)
@given(st.lists(st.none() | st.booleans(), max_size=30), st.integers(1, 10))
def test_aggregates_of_booleans_fold_the_last_rows(values: list[Any], rows: int) -> None:
    values = [None, *values]
    table = {"v": values, "w": values, "time": list(range(len(values)))}
    some = {name: OF_BOOLEANS[name] for name in ("any", "all", "max", "first", "distinct")}
    check(table, window.trailing(rows=rows), {"v": pa.bool_(), "w": pa.bool_()}, some)


@whole_catalogue
@examples(30)
@given(st.lists(st.none() | st.text("abz é", max_size=3), max_size=20), st.integers(1, 8))
def test_every_aggregate_of_text_folds_the_last_rows(values: list[Any], rows: int) -> None:
    table = {"v": values, "w": values, "time": list(range(len(values)))}
    aggregates = taking(Takes.ANYTHING, Takes.TEXT)
    check(table, window.trailing(rows=rows), {"v": pa.string(), "w": pa.string()}, aggregates)


@examples(20)
@given(st.lists(st.none() | st.integers(0, 5), max_size=12), st.integers(1, 6))
def test_results_without_an_arrow_type_come_as_objects(values: list[Any], rows: int) -> None:
    filters = roll(values, agg.bloom(), window.trailing(rows=rows))
    for row, found in enumerate(filters):
        assert found == fold(agg.bloom(), values[max(row + 1 - rows, 0) : row + 1])


def check_last_rows(width: int, aggregates: dict[str, Any]) -> None:
    table = long_table(3000, seed=width % 97)
    rows = sorted({0, 511, 512, 513, 1024, 1535, 2047, 2561, 2999, width % 3000})
    check(table, window.trailing(rows=width), FLOATS, aggregates, rows)


def check_last_stretch(microseconds: int, aggregates: dict[str, Any]) -> None:
    table = long_table(3000, seed=microseconds % 89)
    rows = [0, 511, 512, 513, 1023, 1024, 1025, 2047, 2999]
    check(table, window.trailing(f"{microseconds} us"), FLOATS, aggregates, rows)


@whole_catalogue
@pytest.mark.parametrize("width", [1, 100, 512, 513, 10**12])
def test_long_columns_fold_the_last_rows(width: int) -> None:
    check_last_rows(width, EXACT)


@whole_catalogue
@pytest.mark.parametrize("microseconds", [1, 700, 10**6])
def test_long_columns_fold_the_last_stretch_of_time(microseconds: int) -> None:
    check_last_stretch(microseconds, EXACT)


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("width", [2, *AROUND_A_BLOCK, 2999])
def test_the_whole_catalogue_folds_any_number_of_last_rows(width: int) -> None:
    check_last_rows(width, EXACT)


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("microseconds", [2, 50_000])
def test_the_whole_catalogue_folds_any_last_stretch_of_time(microseconds: int) -> None:
    check_last_stretch(microseconds, EXACT)


@compiled
@pytest.mark.parametrize("width", [1, 2, 100, *AROUND_A_BLOCK, 2999, 10**12])
def test_compiled_kernels_fold_the_last_rows(width: int) -> None:
    check_last_rows(width, SHAPES)


@compiled
@pytest.mark.parametrize("microseconds", [1, 2, 700, 50_000, 10**6])
def test_compiled_kernels_fold_the_last_stretch_of_time(microseconds: int) -> None:
    check_last_stretch(microseconds, SHAPES)


@compiled
@pytest.mark.parametrize("length", [0, 1, 2, *AROUND_A_BLOCK])
def test_columns_of_any_length_fold_the_last_rows(length: int) -> None:
    table = long_table(length)
    rows = [row for row in (0, 1, 510, 511, 512, length - 2, length - 1) if 0 <= row < length]
    for width in (1, 512, 513, length + 1):
        check(table, window.trailing(rows=width), FLOATS, TELLING, rows)


@compiled
@pytest.mark.parametrize("width", [1, 3, *AROUND_A_BLOCK, 4000])
def test_the_first_and_last_of_each_window_are_its_ends(width: int) -> None:
    values = np.arange(4000.0)
    found = roll(values, {"first": agg.first(), "last": agg.last()}, window.trailing(rows=width))
    np.testing.assert_array_equal(found["first"], np.maximum(values - width + 1, 0))
    np.testing.assert_array_equal(found["last"], values)


@compiled
@pytest.mark.parametrize("width", [1, 7, 512, 1000])
def test_pandas_agrees_on_rows(width: int) -> None:
    values = np.random.default_rng(2).normal(size=3000)
    several = {"max": agg.max(), "min": agg.min(), "sum": agg.sum(), "mean": agg.mean()}
    found = roll(values, several, window.trailing(rows=width))
    rolling = pd.Series(values).rolling(width, min_periods=1)
    np.testing.assert_array_equal(found["max"], rolling.max())
    np.testing.assert_array_equal(found["min"], rolling.min())
    np.testing.assert_allclose(found["sum"], rolling.sum(), atol=1e-9)
    np.testing.assert_allclose(found["mean"], rolling.mean(), atol=1e-12)


@compiled
@pytest.mark.parametrize("seconds", [1, 30, 2000])
def test_pandas_agrees_on_time(seconds: int) -> None:
    random = np.random.default_rng(3)
    values = random.normal(size=3000)
    index = pd.Timestamp("2024-02-27") + pd.to_timedelta(
        np.cumsum(random.integers(0, 4, 3000)), unit="s"
    )
    several = {"max": agg.max(), "min": agg.min(), "sum": agg.sum(), "mean": agg.mean()}
    found = roll(values, several, window.trailing(f"{seconds} s"), times=index.to_numpy())
    rolling = pd.Series(values, index).rolling(f"{seconds}s")
    np.testing.assert_array_equal(found["max"], rolling.max())
    np.testing.assert_array_equal(found["min"], rolling.min())
    np.testing.assert_allclose(found["mean"], rolling.mean(), atol=1e-9)


def test_a_row_exactly_one_duration_old_has_left() -> None:
    found = roll([1, 2, 3], agg.sum(), window.trailing("10 us"), times=[0, 9, 10])
    assert found.tolist() == [1, 3, 5]


def test_rows_of_the_same_time_that_come_later_are_not_in_yet() -> None:
    found = roll([1, 2, 4], agg.sum(), window.trailing("1 us"), times=[5, 5, 5])
    assert found.tolist() == [1, 3, 7]


def test_windows_reach_from_one_end_of_time_to_the_other() -> None:
    ends = [-(1 << 63), -(1 << 62), 0, (1 << 63) - 1]
    several: dict[str, Any] = {
        "n": agg.count(),
        "kinds": agg.distinct("v"),
        "held": agg.collect("v"),
    }
    longest = TrailingTime(duration_us=(1 << 63) - 1)
    for trailing, counts in ((window.trailing("1 hour"), [1, 1, 1, 1]), (longest, [1, 2, 2, 1])):
        found = roll({"v": [1, 2, 3, 4]}, several, trailing, times=ends)
        assert found["n"].tolist() == counts
        assert found["kinds"].tolist() == counts
        assert [len(held) for held in found["held"]] == counts


def test_nan_is_a_value_and_null_is_none() -> None:
    found = roll(pa.array([1.0, None, nan, None]), agg.max(), window.trailing(rows=2))
    assert found.to_pylist()[:2] == [1.0, 1.0]
    assert found.null_count == 0
    nulls = roll(pa.array([1.0, None, None]), agg.max(), window.trailing(rows=2))
    assert nulls.to_pylist() == [1.0, 1.0, None]
