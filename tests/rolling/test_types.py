"""Columns of every type, from every library, and the types of their results."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from windrow import agg, roll, window
from windrow.errors import ResultOverflowError

pytestmark = pytest.mark.xdist_group("other kernels")

TWO = window.trailing(rows=2)
NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
)
def test_a_maximum_of_numbers_has_their_type(dtype: str) -> None:
    found = roll(np.array([3, 1, 4, 1, 5], dtype), agg.max(), TWO)
    assert found.dtype == dtype
    assert found.tolist() == [3, 3, 4, 4, 5]


@pytest.mark.parametrize("dtype", ["i1", "i4", "u1", "u8"])
def test_a_sum_of_integers_has_64_bits(dtype: str) -> None:
    found = roll(np.array([100, 100, 27], dtype), agg.sum(), TWO)
    assert found.dtype == np.int64
    assert found.tolist() == [100, 200, 127]


@pytest.mark.parametrize("dtype", [">f8", ">i4", "<i4"])
def test_foreign_byte_orders_are_read(dtype: str) -> None:
    assert roll(np.array([3, 1, 4], dtype), agg.max(), TWO).tolist() == [3, 3, 4]


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_a_maximum_of_times_has_their_unit(unit: str) -> None:
    moments = np.array([5, 3, "NaT", "NaT", -7], f"M8[{unit}]")
    found = roll(moments, agg.max(), TWO)
    np.testing.assert_array_equal(found, np.array([5, 5, 3, "NaT", -7], f"M8[{unit}]"))
    assert found.dtype == moments.dtype


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_minimum_of_durations_has_their_unit(unit: str) -> None:
    found = roll(np.array([5, 3, "NaT", "NaT"], f"m8[{unit}]"), agg.min(), TWO)
    np.testing.assert_array_equal(found, np.array([5, 3, 3, "NaT"], f"m8[{unit}]"))


@pytest.mark.parametrize(("unit", "seconds"), [("h", 3600), ("m", 60), ("10s", 10), ("W", 604_800)])
def test_units_that_arrow_does_not_know_become_seconds(unit: str, seconds: int) -> None:
    for kind in "mM":
        found = roll(np.array([2, 5, 3], f"{kind}8[{unit}]"), agg.max(), TWO)
        assert found.dtype == f"{kind}8[s]"
        assert found.astype(int).tolist() == [2 * seconds, 5 * seconds, 5 * seconds]


ARROW: dict[str, tuple[Any, list[Any]]] = {
    **{
        str(kind): (kind, [3, 1, None, 4])
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16())
    },
    **{str(kind): (kind, [3, 1, None, 4]) for kind in (pa.uint32(), pa.uint64())},
    **{str(kind): (kind, [3.5, 1, None, 4]) for kind in (pa.float32(), pa.float64())},
    "beyond 63 bits": (pa.uint64(), [3, 1 << 63, None, 4]),
    "bool": (pa.bool_(), [True, False, None, True]),
    "string": (pa.string(), ["wind", "row", None, "é"]),
    "large string": (pa.large_string(), ["wind", "row", None, "é"]),
    "binary": (pa.binary(), [b"wind", b"row", None, b"x"]),
    "decimal": (pa.decimal128(20, 3), [Decimal("3.5"), Decimal("1.25"), None, Decimal(4)]),
    "date32": (pa.date32(), [date(2024, 2, 29), date(1969, 7, 20), None, date(2024, 3, 1)]),
    "date64": (pa.date64(), [date(2024, 2, 29), date(1969, 7, 20), None, date(2024, 3, 1)]),
    "time": (pa.time64("us"), [time(3), time(1), None, time(4)]),
    "duration": (pa.duration("us"), [timedelta(3), timedelta(1), None, timedelta(4)]),
    **{
        f"timestamp {unit} {zone}": (
            pa.timestamp(unit, zone),
            [NOON, NOON - timedelta(1), None, NOON + timedelta(1)],
        )
        for unit, zone in (("s", None), ("ms", "UTC"), ("us", "Europe/Berlin"), ("ns", "UTC"))
    },
}


@pytest.mark.parametrize("name", ARROW)
def test_arrow_columns_keep_their_type_and_their_nulls(name: str) -> None:
    kind, values = ARROW[name]
    if pa.types.is_timestamp(kind) and kind.tz is None:
        values = [None if v is None else v.replace(tzinfo=None) for v in values]
    column = pa.array([None, *values], kind)
    expected = pa.array([None, values[0], max(values[:2]), values[1], values[3]], kind)
    whole = roll(column, agg.max(), TWO)
    assert whole.type == kind
    assert whole.equals(expected)
    # Chunks and slices are the same column.
    chunked = pa.chunked_array([column[:2], column[2:2], column[2:]])
    assert roll(chunked, agg.max(), TWO).equals(expected)
    padded = pa.concat_arrays([column[1:3], column, column[:1]])[2:7]
    assert padded.offset == 2
    assert roll(padded, agg.max(), TWO).equals(expected)
    nothing = roll(pa.nulls(3, kind), agg.max(), TWO)
    assert (nothing.type, nothing.null_count) == (kind, 3)
    assert roll(pa.array([], kind), agg.max(), TWO).equals(pa.array([], kind))


def test_dictionaries_are_the_values_they_stand_for() -> None:
    texts = pa.array(["wind", None, "row", "row"]).dictionary_encode()
    assert roll(texts, agg.max(), TWO).to_pylist() == ["wind", "wind", "row", "row"]
    numbers = pa.array([3, None, 1, 1]).dictionary_encode()
    assert roll(numbers, agg.max(), TWO).to_pylist() == [3, 3, 1, 1]


def test_a_column_of_nothing_but_null_has_null_results() -> None:
    assert roll(pa.nulls(3), agg.max(), TWO).to_pylist() == [None] * 3
    assert roll(pa.nulls(3), agg.sum(), TWO).to_pylist() == [None] * 3
    assert roll([None, None], agg.count(), TWO).tolist() == [1, 2]


def test_sums_of_decimals_are_exact_and_have_ten_digits_more() -> None:
    column = pa.array([Decimal("0.1"), Decimal("0.2"), None], pa.decimal128(5, 1))
    found = roll(column, agg.sum(), TWO)
    assert found.type == pa.decimal128(15, 1)
    assert found.to_pylist() == [Decimal("0.1"), Decimal("0.3"), Decimal("0.2")]


def test_lists_may_hold_none() -> None:
    found = roll([3.0, None, None, 1.0], agg.max(), TWO)
    np.testing.assert_array_equal(found, [3.0, 3.0, nan, 1.0])


def test_masked_values_are_null() -> None:
    column = np.ma.masked_array([3.0, 9.0, 9.0, 1.0], [False, True, True, False])
    np.testing.assert_array_equal(roll(column, agg.max(), TWO), [3.0, 3.0, nan, 1.0])


COLUMNS = [
    pytest.param(np.array([3.0, 1.0, 4.0] * 2)[::2], [3.0, 4.0, 4.0], id="strided"),
    pytest.param(pd.Series([3.0, nan, 1.0], index=[5, 6, 7]), [3.0, nan, nan], id="pandas"),
    pytest.param(pd.Series([3, None, 1], dtype="Int64"), [3, 3, 1], id="pandas nullable"),
    pytest.param(pd.array([3, None, 1], dtype="Int64"), [3, 3, 1], id="pandas array"),
    pytest.param(pd.Series(["a", None, "b"], dtype="string"), ["a", "a", "b"], id="pandas text"),
    pytest.param(pl.Series([3.0, None, 1.0]), [3.0, 3.0, 1.0], id="polars"),
    pytest.param((3, 1, 2), [3, 3, 2], id="tuple"),
    pytest.param(range(3), [0, 1, 2], id="range"),
]


@pytest.mark.parametrize(("column", "expected"), COLUMNS)
def test_columns_of_other_libraries_are_read(column: Any, expected: list[Any]) -> None:
    found = roll(column, agg.max(), TWO).tolist()
    assert [x == y or (x != x and y != y) for x, y in zip(found, expected, strict=True)] == [
        True
    ] * 3


def test_times_with_a_zone_come_from_pandas_too() -> None:
    moments = pd.Series([pd.Timestamp(NOON), pd.NaT, pd.Timestamp(NOON) - pd.Timedelta("1s")])
    found = roll(moments, agg.max(), TWO)
    assert found[0] == found[1] == np.datetime64("2024-02-29T12:00:00")
    assert found[2] < found[1]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"v": [3.0, 1.0], "w": [1, 2]}),
        pl.DataFrame({"v": [3.0, 1.0], "w": [1, 2]}),
        {"v": np.array([3.0, 1.0]), "w": [1, 2]},
    ],
    ids=["pandas", "polars", "mapping"],
)
def test_frames_and_mappings_give_a_dict_of_arrays(table: Any) -> None:
    found = roll(table, {"high": agg.max("v"), "total": agg.sum("w")}, TWO)
    assert found["high"].tolist() == [3.0, 3.0]
    assert found["total"].tolist() == [1, 3]


@pytest.mark.parametrize("batch", [False, True])
def test_arrow_tables_give_tables(batch: bool) -> None:
    table = pa.table({"v": [3.0, 1.0], "w": [1, 2]})
    given = table.to_batches()[0] if batch else table
    found = roll(given, {"high": agg.max("v"), "total": agg.sum("w")}, TWO)
    assert isinstance(found, pa.Table)
    assert found.to_pydict() == {"high": [3.0, 3.0], "total": [1, 3]}
    assert roll(given, agg.max("v"), TWO).to_pylist() == [3.0, 3.0]


def test_results_of_several_numbers_are_structs() -> None:
    columns = {"v": [1.0, 2.0, None, 0.5]}
    times = np.array([10, 20, 30, 40], "M8[us]")
    longest = agg.longest_increasing_run("v")
    found = roll(columns, longest, window.trailing(rows=1), times=times)
    assert found.dtype.names == ("start", "end", "span", "length")
    assert found["start"].dtype == "M8[us]"
    assert np.isnat(found["start"][2])
    arrow = roll(pa.table(columns), longest, window.trailing(rows=1), times=times)
    assert arrow.to_pylist()[2] is None
    assert arrow.type.field("end").type == pa.timestamp("us")
    bins = roll(np.array([1.0, 2.0, 9.0]), agg.histogram([0, 2, 4]), TWO)
    assert [tuple(row) for row in bins.tolist()] == [(1, 0), (1, 1), (0, 1)]


def test_null_numbers_are_nan_and_null_truths_are_none_in_numpy() -> None:
    assert np.isnan(roll([None, 3], agg.max(), TWO)[0])
    assert roll([None, True], agg.any(), TWO).tolist() == [None, True]


def test_times_in_any_unit_are_microseconds() -> None:
    for unit, width in (("s", "2 s"), ("ms", "2 ms"), ("us", "2 us"), ("D", "2 days")):
        moments = np.array([-1, 0, 1, 3], f"M8[{unit}]")
        found = roll([1.0] * 4, agg.count(), window.trailing(width), times=moments)
        assert found.tolist() == [1, 2, 2, 1]


def test_times_below_a_microsecond_are_cut_downwards() -> None:
    moments = np.array([-1500, -500, 500, 1500], "M8[ns]")
    found = roll([1.0] * 4, agg.count(), window.trailing("1 us"), times=moments)
    assert found.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "moments",
    [
        [NOON, NOON + timedelta(seconds=1)],
        pa.array([NOON, NOON + timedelta(seconds=1)], pa.timestamp("ms", "Europe/Berlin")),
        pd.Series([pd.Timestamp(NOON), pd.Timestamp(NOON) + pd.Timedelta("1s")]),
        pl.Series([NOON, NOON + timedelta(seconds=1)]),
        pa.array([date(2024, 2, 29), date(2024, 3, 1)], pa.date64()),
        [date(2024, 2, 29), date(2024, 3, 1)],
        np.array([5, 1_000_005], np.int32),
        np.array([5, 1_000_005], np.uint64),
    ],
    ids=["datetime", "Arrow", "pandas", "polars", "date64", "date", "int32", "uint64"],
)
def test_times_may_be_of_any_kind(moments: Any) -> None:
    found = roll([1.0, 2.0], agg.count(), window.trailing("1 s"), times=moments)
    assert found.tolist() == [1, 1]


def test_overflowing_sums_of_unsigned_integers_are_refused() -> None:
    with pytest.raises(ResultOverflowError, match="row 1"):
        roll(np.array([(1 << 63) - 1, 1], np.uint64), agg.sum(), TWO)


def test_a_sum_of_durations_is_a_duration() -> None:
    found = roll(np.array([1, 2, 3], "m8[s]"), agg.sum(), TWO)
    assert found.dtype == "m8[s]"
    assert found.astype(int).tolist() == [1, 3, 5]


@pytest.mark.parametrize("dtype", [">M8[s]", ">i4", ">f8"])
def test_columns_of_the_other_byte_order_are_read(dtype: str) -> None:
    found = roll(np.array([1, 2], dtype), agg.max(), TWO)
    np.testing.assert_array_equal(found, np.array([1, 2], dtype))
