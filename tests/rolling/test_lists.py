"""Lists of Python values: nothing in them changes on the way in, and nothing ends the process."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from windrow import agg, roll, window
from windrow.errors import InputError

pytestmark = pytest.mark.xdist_group("other kernels")

ROWS = window.trailing(rows=2)
DAY, MOMENT = date(2024, 1, 1), datetime(2024, 1, 1, 5)
NANOSECOND = pd.Timestamp("2024-01-01 00:00:00.000000001")

SCALARS = (
    1, 2**53 + 1, 2**63 - 1, 1.5, True, "a", b"a", 1 + 2j, Decimal("1.25"), MOMENT, DAY,
    time(1, 2, 3, 4), time(1, tzinfo=UTC), timedelta(1, 5), {"a": 1}, {"b": 2}, np.int8(1),
    np.int64(2**53 + 1), np.uint64(2**64 - 1), np.float16(1.5), np.float32(1.25), np.float64(1.1),
    np.longdouble(1) / 3, np.complex64(1 + 2j), np.bool_(1), np.str_("a"), np.bytes_(b"a"),
    NANOSECOND, pd.Timedelta(1, "ns"), bytearray(b"x"),
)  # fmt: skip


def holding_itself() -> list[Any]:
    itself: list[Any] = []
    itself.append(itself)
    return itself


def dictionary_holding_itself() -> dict[str, Any]:
    itself: dict[str, Any] = {}
    itself["a"] = itself
    return itself


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(20_000):
        nested = [nested]
    return nested


def boxed(value: Any) -> Any:
    array = np.empty(1, object)
    array[0] = value
    return array


CRASHING: dict[str, Callable[[], Any]] = {
    "no time and a number": lambda: [np.datetime64("NaT"), np.int64(1)],
    "a list in itself": lambda: [holding_itself()],
    "a dictionary in itself": lambda: [dictionary_holding_itself()],
    "a deep list": lambda: [deep()],
    "a deep list in an array": lambda: boxed(deep()),
    "a deep list of polars": lambda: pl.Series([deep()], dtype=pl.Object),
    **{
        f"{unit} and {type(number).__name__}": partial(list, [np.datetime64(1, unit), number])
        for unit in ("Y", "D", "h", "s", "ns")
        for number in (np.int8(1), np.float16(1), np.longdouble(1), np.bool_(1), np.void(b"a"))
    },
}


@pytest.mark.parametrize("make", CRASHING.values(), ids=list(CRASHING))
def test_what_arrow_dies_of_is_counted_as_it_is(make: Any) -> None:
    values = make()
    assert roll(values, agg.count(), ROWS)[-1] == len(values)


@pytest.mark.parametrize("make", CRASHING.values(), ids=list(CRASHING))
def test_what_arrow_dies_of_is_no_time(make: Any) -> None:
    times = make()
    with pytest.raises(InputError, match=r"times (has type object|is null)"):
        roll([1] * len(times), agg.count(), ROWS, times=times)


@pytest.mark.parametrize("make", [holding_itself, dictionary_holding_itself, deep])
def test_what_arrow_dies_of_is_no_key(make: Any) -> None:
    with pytest.raises(InputError, match="by has keys that cannot be compared"):
        roll([1], agg.count(), ROWS, by=[make()])


@pytest.mark.parametrize("pair", list(product(SCALARS, SCALARS)), ids=str)
def test_no_value_changes_beside_another(pair: tuple[Any, Any]) -> None:
    found = roll(list(pair), agg.last(), ROWS)
    for given, kept in zip(pair, found, strict=True):
        if isinstance(kept, np.datetime64 | np.timedelta64):
            assert kept == getattr(given, "asm8", np.array(given, kept.dtype)[()])
        else:  # decimals are not compared with numpy's numbers
            assert kept == (given.item() if isinstance(given, np.integer) else given)


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ([1, np.float16(1.5)], 2.5),
        ([1, np.longdouble(1.5)], 2.5),
        ([np.uint64(2**64 - 1), 1], 2**64),
        ([np.int8(100), 100], 200),
        ([pa.scalar(1), 2], 3),
        ([1, pd.NA], 1),
    ],
    ids=str,
)
def test_numbers_of_several_libraries_add_up(values: list[Any], total: Any) -> None:
    assert roll(values, agg.sum(), ROWS)[-1] == total


@pytest.mark.parametrize(
    ("values", "aggregate", "said"),
    [
        ([1, np.complex64(1 + 2j)], agg.sum(), r"values has np.complex64\(1\+2j\), a complex64"),
        ([timedelta(1), 1], agg.sum(), "values has values that .* cannot take together, .*of one"),
        ([MOMENT, 1.5], agg.min(), "values has values that .* cannot take together, .*of one type"),
        ([DAY, MOMENT], agg.max(), "values has values that .* cannot take together, .*of one type"),
    ],
    ids=str,
)
def test_mixtures_without_an_answer_are_refused(values: Any, aggregate: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        roll(values, aggregate, ROWS)


def test_dates_beside_times_are_no_times() -> None:
    with pytest.raises(InputError, match=r"times has type object; .* all of one type"):
        roll([1, 2], agg.sum(), ROWS, times=[DAY, MOMENT])


@pytest.mark.parametrize("keys", [[1, np.float16(1.5)], ["a", b"a"], [DAY, MOMENT]], ids=str)
def test_different_keys_of_different_types_stay_apart(keys: list[Any]) -> None:
    assert roll([1, 1], agg.count(), ROWS, by=keys).tolist() == [1, 1]


def test_results_of_several_types_have_no_arrow_type() -> None:
    days, moments = pa.array([DAY]), pa.array([MOMENT])
    which, where = pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32())
    values = pa.UnionArray.from_dense(which, where, [days, moments])
    with pytest.raises(InputError, match=r"results have no Arrow type .*several types"):
        roll(values, agg.last(), ROWS)
