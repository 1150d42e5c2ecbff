"""Every refusal names the argument, its value and a way out."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from windrow import agg, roll, window
from windrow.algebra.aggregate import TIME
from windrow.errors import AggregateError, InputError, WindowError
from windrow.windows import Order

pytestmark = pytest.mark.xdist_group("other kernels")

V = [1.0, 2.0, 3.0]
ROWS = window.trailing(rows=2)
HOUR = window.trailing("1 hour")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (5, "values is a int, not a column; give a numpy array, an Arrow array or a list"),
        ("abc", "values is a str, not a column"),
        (b"abc", "values is a bytes, not a column"),
        (None, "values is a NoneType, not a column"),
        (np.zeros((2, 3)), r"values has 2 dimensions, shape \(2, 3\); give one column at a time"),
        (np.float64(3.0), "values has 0 dimensions"),
        ({1, 2}, "values is a set, not a column"),
        (np.array([1, 2], "M8[fs]"), r"values has type datetime64\[fs\]; give times in units of"),
        (np.array([1, 2], "m8[M]"), r"values has type timedelta64\[M\]; give times in units of"),
    ],
)
def test_what_is_no_column_is_refused(values: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        roll(values, agg.max(), ROWS)


@pytest.mark.parametrize(
    ("values", "aggregate", "said"),
    [
        (
            {"v": V},
            agg.max("w"),
            r"values has no column 'w', which max\('w'\) reads; name one of \['v'\]",
        ),
        ({"v": V}, agg.max(), r"max\(\) names no column, but values has \['v'\]; name the column"),
        (V, agg.max("v"), r"max\('v'\) reads column 'v', but values is one column without a name"),
        ({}, agg.count(), "values names no column; give at least one"),
        ({"v": V, "w": [1.0]}, agg.max("v"), r"values\['w'\] has 1 rows, but values\['v'\] has 3"),
        ({"v": 3}, agg.max("v"), r"values\['v'\] is a int, not a column"),
        ({"v": np.zeros((3, 2))}, agg.max("v"), r"values\['v'\] has 2 dimensions"),
        (V, agg.argmax(), r"argmax\(\) reads \('taken', 'by'\), but names no columns for them"),
        (V, agg.max(TIME), r"times is missing; max\(TIME\) needs the time of each row"),
        (V, agg.longest_increasing_run(), r"times is missing; longest_increasing_run\(\) needs"),
    ],
)
def test_aggregates_that_do_not_fit_the_columns_are_refused(
    values: Any, aggregate: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        roll(values, aggregate, ROWS)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ([0, 2, 1], r"times is not sorted: row 2 at 1 comes after 2 .*order=Order.TIME"),
        ([0, None, 1], "times is null at row 1; drop rows without a time first"),
        (np.array([1, "NaT", 3], "M8[s]"), "times is null at row 1"),
        ([0.0, 1.0, 2.0], "times has type double; give timestamps"),
        (["a", "b", "c"], "times has type string; give timestamps"),
        ([True, False, True], "times has type bool; give timestamps"),
        ([object(), 1, "a"], "times has type object; give timestamps"),
        (np.array([1, 2, 3], "m8[s]"), r"times has type duration\[s\]; give timestamps"),
        ([0, 1], "times has 2 rows, but values has 3; all must be as long"),
        (np.zeros((3, 1), int), "times has 2 dimensions"),
        (3, "times is a int, not a column"),
        (
            np.array([0, 1, 1 << 60], "M8[s]"),
            r"times at row 2 is \d+ s, which does not fit 64 bits",
        ),
    ],
)
def test_wrong_times_are_refused(times: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        roll(V, agg.max(), HOUR, times=times)


def test_times_that_go_back_within_a_key_are_refused_by_row() -> None:
    with pytest.raises(InputError, match=r"row 3 at 4 comes after 5"):
        roll([1.0] * 4, agg.max(), HOUR, times=[5, 9, 7, 4], by=["a", "b", "c", "a"])


def test_times_may_go_back_from_key_to_key() -> None:
    found = roll([1.0] * 4, agg.count(), HOUR, times=[5, 1, 6, 2], by=["a", "b", "a", "b"])
    assert found.tolist() == [1, 1, 2, 2]


def test_times_are_checked_even_where_no_window_needs_them() -> None:
    with pytest.raises(InputError, match="times is not sorted"):
        roll(V, agg.max(), ROWS, times=[3, 2, 1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"window": HOUR}, r"times is missing; window=trailing\('1 hour'\) needs the time"),
        ({"window": ROWS, "order": Order.TIME}, "times is missing; order=Order.TIME needs"),
        (
            {"window": ROWS, "order": "late"},
            r"order='late' is not a valid value for order; use Order.ARRIVAL \('arrival'\) or",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        roll(V, agg.max(), **arguments)


@pytest.mark.parametrize("kept", [window.tumbling("1 hour"), window.session("1 s"), "1 hour", None])
def test_windows_without_a_result_for_every_row_are_refused(kept: Any) -> None:
    with pytest.raises(WindowError, match=r"window=.* has no result for every row; roll takes"):
        roll(V, agg.max(), kept)


@pytest.mark.parametrize("aggregate", ["max", None, max, {"peak": "max"}])
def test_what_is_no_aggregate_is_refused(aggregate: Any) -> None:
    with pytest.raises(AggregateError, match=r"is not an aggregate; use one of windrow.agg"):
        roll(V, aggregate, ROWS)


@pytest.mark.parametrize("threads", ["0", "-1", "two", "1.5", "²", ""])
def test_a_wrong_number_of_threads_is_refused(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDROW_THREADS", threads)
    with pytest.raises(InputError, match=r"WINDROW_THREADS='.*'; set it to a whole number"):
        roll(V, agg.max(), ROWS)


def test_results_without_an_arrow_type_are_refused_with_a_way_out() -> None:
    with pytest.raises(InputError, match=r"results have no Arrow type .* give values as numpy"):
        roll(pa.array(V), agg.bloom(), ROWS)


@pytest.mark.parametrize(
    "times",
    [
        np.array([1 << 62], "M8[h]"),
        np.array([1 << 33], "M8[D]"),
        np.array([1 << 50], "M8[W]"),
        np.array([1 << 60], "M8[Y]"),
        pa.array([-(1 << 63)], pa.timestamp("s")),
        pa.array([(1 << 31) - 1], pa.int32()).cast(pa.date32()),
    ],
    ids=lambda times: str(getattr(times, "dtype", getattr(times, "type", None))),
)
def test_times_that_do_not_fit_microseconds_are_refused(times: Any) -> None:
    with pytest.raises(InputError, match=r"times at row 0 .* does not fit 64 bits"):
        roll(np.array([1.0]), agg.sum(), window.trailing("1 s"), times=times)


def test_dates_beyond_those_of_arrow_are_taken_as_seconds() -> None:
    days = np.array([1 << 33, "NaT"], "M8[D]")
    found = roll(days, agg.max(), window.trailing(rows=1))
    assert found[0] == days[0]
    assert np.isnat(found[1])


@pytest.mark.parametrize(
    "aggregate", [agg.mean(), agg.concat(), agg.any(), agg.quantile_sketch(0.5)]
)
def test_numbers_too_long_to_write_are_named_by_their_size(aggregate: Any) -> None:
    with pytest.raises(InputError, match="an int of 16,610 bits"):
        roll([10**5000, 1], aggregate, window.trailing(rows=2))


UNION = pa.dense_union([pa.field("a", pa.int8())])


@pytest.mark.parametrize(
    "values",
    [
        np.ma.masked_array(np.zeros(2, "i4,f8")),
        pa.chunked_array([], UNION),
        pa.chunked_array([], pa.dictionary(pa.int32(), pa.timestamp("us"))),
        pa.RunEndEncodedArray.from_arrays([2], pa.array(["a"], pa.string_view())),
    ],
    ids=["masked records", "empty union", "empty dictionary", "runs of views"],
)
def test_columns_that_their_library_cannot_read_are_counted(values: Any) -> None:
    assert len(roll(values, agg.count(), ROWS)) == len(values)
    assert len(roll(values, agg.count(), ROWS, by=values)) == len(values)


def test_a_column_may_be_called_missing() -> None:
    frame = pd.DataFrame({"v": [1.0], pd.NA: [2]})
    assert roll(frame, agg.max("v"), ROWS, by=frame).tolist() == [1.0]


@pytest.mark.parametrize(
    ("values", "aggregate", "said"),
    [
        (
            pa.array([1], pa.timestamp("us", "Nowhere/Land")),
            agg.collect(),
            r"values of type .* has values that Python cannot represent \(.Nowhere.Land.\)",
        ),
        ({"a": [1]}, agg.max([1]), r"values has no column \[1\], which .* name one of \['a'\]"),
        (
            {"v": np.array([2**62] * 2, "m8[us]")},
            agg.sum("v"),
            r"sum\('v'\) of values\['v'\] does not fit 64 bits at row 1; .* coarser unit",
        ),
    ],
    ids=["zone", "name", "sum"],
)
def test_what_other_libraries_refuse_is_refused_by_windrow(
    values: Any, aggregate: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        roll(values, aggregate, ROWS)
