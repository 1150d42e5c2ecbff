"""Windows by key, and rows applied in the order of time; results stand in that of the input."""

from datetime import date
from math import nan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.rolling.support import Table, lists, require_folds, taking, window_at
from windrow import agg, roll, window
from windrow.algebra.registry import Takes
from windrow.errors import InputError
from windrow.windows import Order, TrailingRows, TrailingTime

pytestmark = pytest.mark.xdist_group("other kernels")

# Order shows in these.
TELLING = {"first": agg.first("v"), "last": agg.last("v"), "sum": agg.sum("v")}

KEYS: dict[str, st.SearchStrategy[Any]] = {
    "small integers": st.integers(-2, 2) | st.none(),
    "far integers": st.sampled_from([-(1 << 63), 0, (1 << 63) - 1]),
    "text": st.sampled_from(["a", "b", "", None]),
    "floats": st.sampled_from([0.0, -0.0, 1.5, nan, None]),
    "booleans": st.sampled_from([True, False, None]),
    "dates": st.sampled_from([date(2024, 2, 29), date(1969, 1, 1), None]),
}


@st.composite
def keyed(draw: st.DrawFn, keys: st.SearchStrategy[Any]) -> tuple[Table, list[Any]]:
    quarters = st.integers(-40, 40).map(lambda n: n / 4) | st.none()
    rows = draw(st.lists(st.tuples(quarters, keys, st.integers(0, 6)), max_size=40))
    times = np.cumsum([step for *_, step in rows]).astype(int).tolist()
    return {"v": [v for v, *_ in rows], "time": times}, [key for _, key, _ in rows]


def check(
    table: Table,
    keys: list[Any],
    by: Any,
    trailing: TrailingRows | TrailingTime,
    order: Order = Order.ARRIVAL,
) -> None:
    columns = pa.table({"v": pa.array(table["v"], pa.float64())})
    times = np.array(table["time"], np.int64)
    found = lists(roll(columns, TELLING, trailing, times=times, by=by, order=order))
    windows = {
        row: window_at(row, trailing, table["time"], keys, order) for row in range(len(times))
    }
    require_folds(found, TELLING, table, windows)


@examples(40)
@given(st.data(), st.integers(1, 8))
@pytest.mark.parametrize("kind", KEYS)
def test_each_key_has_a_window_of_its_own(kind: str, data: st.DataObject, rows: int) -> None:
    table, keys = data.draw(keyed(KEYS[kind]))
    check(table, keys, keys, window.trailing(rows=rows))


@examples(40)
@given(keyed(KEYS["text"]), st.integers(1, 30))
def test_each_key_has_a_window_of_time(case: tuple[Table, list[Any]], width: int) -> None:
    table, keys = case
    check(table, keys, keys, window.trailing(f"{width} us"))


@examples(60)
@given(keyed(st.tuples(KEYS["small integers"], KEYS["text"], KEYS["floats"])), st.integers(1, 8))
def test_several_columns_make_a_key(case: tuple[Table, list[Any]], rows: int) -> None:
    table, keys = case
    by = {name: [key[k] for key in keys] for k, name in enumerate(("a", "b", "c"))}
    check(table, keys, by, window.trailing(rows=rows))


@examples(60)
@given(keyed(KEYS["text"]), st.randoms(use_true_random=False), st.integers(1, 30))
def test_rows_out_of_order_are_applied_by_time(
    case: tuple[Table, list[Any]], random: Any, width: int
) -> None:
    table, keys = case
    shuffled = list(range(len(keys)))
    random.shuffle(shuffled)
    mixed = {name: [column[row] for row in shuffled] for name, column in table.items()}
    mixed_keys = [keys[row] for row in shuffled]
    for trailing in (window.trailing(f"{width} us"), window.trailing(rows=width)):
        check(mixed, mixed_keys, mixed_keys, trailing, Order.TIME)
        check(mixed, [0] * len(keys), None, trailing, Order.TIME)


def test_sorting_first_and_unsorting_after_gives_the_same() -> None:
    random = np.random.default_rng(5)
    times, values = random.integers(-(10**6), 10**6, 5000), random.normal(size=5000)
    keys = random.integers(0, 7, 5000)
    trailing = window.trailing("20 ms")
    found = roll(values, agg.last(), trailing, times=times, by=keys, order=Order.TIME)
    order = np.argsort(times, kind="stable")
    expected = np.empty(5000)
    expected[order] = roll(values[order], agg.last(), trailing, times=times[order], by=keys[order])
    np.testing.assert_array_equal(found, expected)


def test_the_order_of_time_reaches_policies() -> None:
    shuffled = [3, 0, 2, 1]
    last_two = window.policy(keep=lambda w: w.n <= 2, using={"n": agg.count()})
    found = roll(np.array(shuffled), agg.first(), last_two, times=shuffled, order=Order.TIME)
    assert found.tolist() == [2, 0, 1, 0]


def test_holistic_aggregates_are_grouped_too() -> None:
    keys = ["a", "b"] * 10
    holistic = {n: part for n, part in taking(Takes.ANYTHING).items() if n in ("distinct", "top_k")}
    several = {**holistic, "median": agg.median("v"), "collect": agg.collect("v")}
    table: Table = {"v": [float(n * 7 % 5) for n in range(20)], "time": list(range(20))}
    for trailing in (window.trailing(rows=3), window.trailing("5 us")):
        for order in Order:
            found = roll(
                pa.table({"v": table["v"]}),
                several,
                trailing,
                times=table["time"],
                by=keys,
                order=order,
            )
            windows = {r: window_at(r, trailing, table["time"], keys) for r in range(20)}
            require_folds(lists(found), several, table, windows)


COUNTED = [1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    "by",
    [
        pytest.param([1, "a", 1, "a", 1], id="mixed types"),
        pytest.param([(0, 1), (1, 0), (0, 1), (1, 0), (0, 1)], id="tuples as a list"),
        pytest.param(np.array([1, 1 << 63, 1, 1 << 63, 1], np.uint64), id="beyond 63 bits"),
        pytest.param(np.array(["x", "y", "x", "y", "x"]), id="numpy text"),
        pytest.param(pa.array(list("xyxyx")).dictionary_encode(), id="dictionary"),
        pytest.param(
            pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1, 0], pa.uint64()), list("xyx")),
            id="dictionary that repeats itself",
        ),
        pytest.param(
            pa.DictionaryArray.from_arrays([0, 1, None, 1, 0], pa.array([None, "y"])),
            id="dictionary with nulls of both kinds",
        ),
        pytest.param(
            pa.chunked_array(
                [
                    pa.array(["x", "y"]).dictionary_encode(),
                    pa.array(list("xyx")).dictionary_encode(),
                ]
            ),
            id="chunks with dictionaries of their own",
        ),
        pytest.param(pa.array(list("-xyxyx-"))[1:6], id="slice"),
        pytest.param(pd.Series(list("xyxyx"), dtype="category"), id="pandas category"),
        pytest.param(pd.Series([1, None, 1, None, 1], dtype="Int64"), id="pandas nullable"),
        pytest.param(pl.Series(list("xyxyx")), id="polars"),
        pytest.param(pd.DataFrame({"a": [1] * 5, "b": list("xyxyx")}), id="pandas frame"),
        pytest.param(pl.DataFrame({"a": [1] * 5, "b": list("xyxyx")}), id="polars frame"),
        pytest.param(pa.table({"a": [1] * 5, "b": list("xyxyx")}), id="Arrow table"),
        pytest.param(np.array([1, 2, 1, 2, 1], "M8[h]"), id="times"),
    ],
)
def test_keys_may_be_of_any_kind(by: Any) -> None:
    found = roll([0.0] * 5, agg.count(), window.trailing(rows=9), by=by)
    assert found.tolist() == COUNTED


def test_keys_of_no_rows_are_no_groups() -> None:
    empty: list[float] = []
    assert roll(empty, agg.count(), window.trailing(rows=2), by=empty).tolist() == []


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ([1, 2], r"by has 2 rows, but values has 3; give a key for each row"),
        ({"a": [1, 2, 3], "b": [1]}, r"by\['b'\] has 1 rows, but values has 3"),
        ({}, r"by names no column; leave it out"),
        (7, r"by is a int, not a column; give a numpy array"),
        ("sensor", r"by is a str, not a column"),
        ([SimpleNamespace()] * 3, r"by has keys that cannot be compared .*give numbers"),
    ],
)
def test_wrong_keys_are_refused(by: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        roll([1.0, 2.0, 3.0], agg.count(), window.trailing(rows=2), by=by)


def test_all_kinds_of_nan_are_one_key_and_one_value() -> None:
    nans = np.array([0x7FF8 << 48, 0xFFF8 << 48, 0x7FF8 << 48], np.uint64).view(np.float64)
    assert roll(nans, agg.distinct(), window.trailing(rows=3)).tolist() == [1, 1, 1]
    assert roll(nans, agg.count(), window.trailing(rows=3), by=nans).tolist() == [1, 2, 3]
    mixed = [float("nan"), "a", float("nan")]
    assert roll(nans, agg.count(), window.trailing(rows=3), by=mixed).tolist() == [1, 1, 2]
