"""What people hand in by mistake: drawn values, columns and arguments, valid, nearly valid or not.

Everything is drawn from a seeded `random.Random`, so that a failure is told by its seed.
"""

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

__all__ = ["Colour", "anything", "column", "scalar", "table"]


class Colour(Enum):
    """An enum that has nothing to do with windows."""

    RED = "red"
    BLUE = 3


class Odd:
    """A class without order, arithmetic or a helpful repr."""


class Incomparable:
    """Its comparisons fail, as those of expressions do."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no ==")

    __hash__ = None  # type: ignore[assignment]


HUGE = (10**5000, -(10**5000))  # more digits than Python writes
INTEGERS = (
    *(0, 1, -1, 2, 3, 7, 100, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, 10**40),
    *HUGE,
)
FLOATS = (0.0, -0.0, 0.5, 1.0, -1.5, 1e-300, 1e308, 5e-324, inf, -inf, nan)
TEXTS = (
    "",
    "a",
    "wind",
    "1",
    "2.5",
    "nan",
    "1 hour",
    "é",
    "\0",
    "\ud800",
    "x" * 5000,
    "1 h 30 min",
)
DECIMALS = (
    *map(Decimal, ("0", "1.5", "-2.25", "NaN", "sNaN", "Infinity", "-Infinity", "1E+999")),
    Decimal("1E-999"),
    Decimal(10) ** 40,
    Decimal("1E+100000"),
)
MOMENTS = (
    datetime(2024, 2, 29, 12),
    datetime(2024, 2, 29, 12, tzinfo=UTC),
    datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=5))),
    datetime.min,
    datetime.max,
    date(2024, 2, 29),
    date.max,
    time(12, 30),
    timedelta(seconds=1),
    timedelta(days=-3, microseconds=7),
    timedelta.max,
)
FOREIGN = (
    uuid.UUID(int=5),
    Colour.RED,
    Fraction(1, 3),
    1 + 2j,
    b"bytes",
    bytearray(b"bytes"),
    Path("a"),
    Ellipsis,
    NotImplemented,
    int,
    len,
    range(3),
    np.float16(1.5),
    np.int64(3),
    np.uint64(2**63),
    np.bool_(True),
    np.datetime64("2024-01-01"),
    np.datetime64("NaT"),
    np.timedelta64(5, "s"),
    np.timedelta64(1, "M"),
    np.timedelta64(3, "ns"),
    np.array([1, 2]),
    np.array(3),
    pd.NA,
    pd.NaT,
    pd.Timestamp("2024-01-01", tz="UTC"),
    pd.Timedelta("1s"),
    pa.scalar(3),
)
NESTED: tuple[Any, ...] = (
    (),
    (1, 2),
    ("a", None),
    [],
    [1],
    {},
    {"a": 1},
    {1: 2},
    {1, 2},
    frozenset({1}),
)


def scalar(rng: Random) -> Any:
    """One value of any kind."""
    family: Sequence[Any] = rng.choice(
        (INTEGERS, FLOATS, TEXTS, DECIMALS, MOMENTS, FOREIGN, NESTED, (None, True, False))
    )
    if rng.random() < 0.01:
        return rng.choice((Odd(), Incomparable()))
    return rng.choice(family)


def anything(rng: Random) -> Any:
    """An argument of any kind: mostly single values, sometimes columns and tables."""
    if rng.random() < 0.9:
        return scalar(rng)
    return rng.choice((column, table))(rng)


def _plain_list(rng: Random, length: int) -> list[Any]:
    family: Sequence[Any] = rng.choice(
        (INTEGERS, FLOATS, TEXTS, DECIMALS, MOMENTS, FOREIGN, NESTED)
    )
    if rng.random() < 0.3:  # all of one value, so of one type
        return [rng.choice(family)] * length
    return [rng.choice((*family, None)) for _ in range(length)]


def _mixed_list(rng: Random, length: int) -> list[Any]:
    return [scalar(rng) for _ in range(length)]


def _numbers(rng: Random, length: int) -> list[Any]:
    return [rng.choice((1, 2, 3, 2.5, -4)) for _ in range(length)]


_DTYPES = [
    "f2",
    "f4",
    "f8",
    ">f8",
    "longdouble",
    "i1",
    "i8",
    ">i4",
    "u1",
    "u8",
    "?",
    "c8",
    "c16",
    "S3",
    "U3",
    "V4",
    "O",
    "M8[D]",
    "M8[s]",
    "M8[ns]",
    "M8[Y]",
    "M8[fs]",
    "m8[s]",
    "m8[h]",
    "m8[M]",
    "m8",
]


def _numpy(rng: Random, length: int) -> Any:
    dtype = np.dtype(rng.choice(_DTYPES))
    bits = np.array([rng.choice((0, 1, 2, 3, 5, 250)) for _ in range(length)])
    if dtype.kind == "V":
        array = np.zeros(length, dtype)
    elif dtype.kind in "mM":
        array = bits.astype("i8").view(dtype) if length else np.empty(0, dtype)
        if length and rng.random() < 0.3:
            array[rng.randrange(length)] = "NaT"
    elif dtype.kind == "O":
        array = np.empty(length, object)
        for place in range(length):
            array[place] = scalar(rng)
    else:
        with np.errstate(all="ignore"):
            array = bits.astype("i1" if dtype.kind in "iu" else "f8").astype(dtype)
    shape: Callable[[Any], Any] = rng.choice(
        (
            _same,
            _same,
            _same,
            lambda a: np.repeat(a, 2)[::2],
            lambda a: a[::-1],
            lambda a: a.reshape(-1, 1),
            lambda a: a[0] if len(a) else a,
            lambda a: np.ma.masked_array(a, mask=[rng.random() < 0.3 for _ in a]),
            lambda a: np.array([(x, x) for x in a.tolist()], "O,O"),
        )
    )
    return shape(array)


def _same(thing: Any) -> Any:
    return thing


_ARROW: tuple[tuple[pa.DataType, Sequence[Any]], ...] = (
    (pa.null(), (None,)),
    (pa.bool_(), (True, False, None)),
    (pa.int8(), (1, -3, None)),
    (pa.uint64(), (1, 2**63, None)),
    (pa.float16(), (np.float16(1.5), None)),
    (pa.float32(), (1.5, nan, None)),
    (pa.float64(), (1.5, nan, inf, None)),
    (pa.string(), ("a", "1", None)),
    (pa.large_string(), ("a", "", None)),
    (pa.string_view(), ("a", None)),
    (pa.binary(), (b"a", None)),
    (pa.large_binary(), (b"a", None)),
    (pa.binary_view(), (b"a", None)),
    (pa.binary(3), (b"abc", None)),
    (pa.decimal128(10, 2), (Decimal("1.50"), Decimal("-99999999.99"), None)),
    (pa.decimal128(38, 0), (Decimal("9" * 38), None)),
    (pa.decimal256(70, 5), (Decimal("1.5"), None)),
    (pa.decimal32(5, 2), (Decimal("1.5"), None)),
    (pa.date32(), (date(2024, 2, 29), None)),
    (pa.date64(), (date(2024, 2, 29), None)),
    (pa.time32("s"), (time(12), None)),
    (pa.time64("ns"), (time(12), None)),
    (pa.timestamp("s"), (datetime(2024, 1, 1), None)),
    (pa.timestamp("us", "Europe/Berlin"), (datetime(2024, 1, 1, tzinfo=UTC), None)),
    (pa.timestamp("ns", "UTC"), (datetime(2024, 1, 1, tzinfo=UTC), None)),
    (pa.duration("s"), (timedelta(5), timedelta(-1), None)),
    (pa.duration("ns"), (timedelta(5), None)),
    (pa.month_day_nano_interval(), ((1, 2, 3), None)),
    (pa.list_(pa.int64()), ([1, 2], [], [None], None)),
    (pa.large_list(pa.string()), (["a"], None)),
    (pa.list_(pa.int8(), 2), ([1, 2], None)),
    (pa.struct([("a", pa.int64()), ("b", pa.string())]), ({"a": 1, "b": "x"}, None)),
    (pa.struct([]), ({}, None)),
    (pa.map_(pa.string(), pa.int64()), ([("a", 1)], None)),
)


def _arrow(rng: Random, length: int) -> Any:
    kind, values = rng.choice(_ARROW)
    array = pa.array([rng.choice(values) for _ in range(length)], kind)
    way = rng.randrange(7)
    if way == 0:
        return pa.chunked_array([array[: length // 2], array[length // 2 :]])
    if way == 1 and not pa.types.is_nested(kind):
        try:
            return array.dictionary_encode()
        except pa.ArrowNotImplementedError:
            return array
    if way == 2:
        return pa.UnionArray.from_dense(
            pa.array([0] * length, pa.int8()), pa.array(range(length), pa.int32()), [array]
        )
    if way == 3 and length:
        try:
            return pa.RunEndEncodedArray.from_arrays([length], array[:1])
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return array
    if way == 4:
        raw = pa.array([b"0123456789abcdef"] * length, pa.binary(16))
        return pa.ExtensionArray.from_storage(pa.uuid(), raw)
    if way == 5:
        return array if length < 2 else pa.concat_arrays([array, array])[length:]
    return array


_PANDAS = [
    "Int64",
    "Float64",
    "boolean",
    "string",
    "category",
    "datetime64[ns]",
    "timedelta64[ns]",
    "object",
    "float32",
    "int64[pyarrow]",
    "string[pyarrow]",
    "period[D]",
    "Sparse[float]",
]


def _pandas(rng: Random, length: int) -> Any:
    dtype: Any = rng.choice(_PANDAS)
    series: Any
    numbers = [rng.choice((1, 2, 3)) for _ in range(length)]
    if dtype == "period[D]":
        series = pd.Series(pd.period_range("2024-01-01", periods=length, freq="D"))
    elif dtype == "Sparse[float]":
        series = pd.Series(pd.arrays.SparseArray(np.array(numbers, float)))
    elif dtype == "boolean":
        series = pd.Series([n > 1 for n in numbers], dtype=dtype)
    else:
        series = pd.Series(numbers, dtype="int64").astype(dtype)
    if dtype in ("Int64", "Float64", "string") and length and rng.random() < 0.5:
        series.iloc[rng.randrange(length)] = pd.NA
    if rng.random() < 0.2:
        return pd.Series(pd.date_range("2024-01-01", periods=length, tz="Europe/Berlin"))
    if rng.random() < 0.1:
        return pd.interval_range(0, length) if length else series
    return series.to_frame("v") if rng.random() < 0.1 else series


def _polars(rng: Random, length: int) -> Any:
    numbers = [rng.choice((1, 2, None)) for _ in range(length)]
    kinds: tuple[Any, ...] = (
        pl.Int8, pl.UInt64, pl.Float32, pl.String, pl.Boolean, pl.Datetime("ms"), pl.Duration("us"),
        pl.Object, pl.Categorical, pl.Decimal(10, 2), pl.Int128, pl.Null, pl.Time, pl.Date,
    )  # fmt: skip
    kind = rng.choice(kinds)
    if kind in (pl.String, pl.Categorical):
        return pl.Series([None if n is None else str(n) for n in numbers], dtype=kind)
    if kind is pl.Null:
        return pl.Series([None] * length, dtype=kind)
    if kind is pl.Object:
        return pl.Series([Odd() for _ in numbers], dtype=kind)
    if kind is pl.Boolean:
        return pl.Series([None if n is None else n > 1 for n in numbers], dtype=kind)
    if kind == pl.Decimal(10, 2):
        return pl.Series([None if n is None else Decimal(n) for n in numbers], dtype=kind)
    series = pl.Series(numbers, dtype=pl.Int64).cast(kind)
    return series.to_frame("v") if rng.random() < 0.1 else series


def _no_column(rng: Random, length: int) -> Any:
    return rng.choice(
        (
            lambda: scalar(rng),
            lambda: (x for x in range(length)),
            lambda: iter(range(length)),
            lambda: set(range(length)),
            lambda: "x" * length,
            lambda: memoryview(bytes(length)),
            lambda: range(length),
            lambda: pl.LazyFrame({"v": [1] * length}),
            lambda: pa.table({"v": list(range(length))}).schema,
        )
    )()


_COLUMNS: tuple[Callable[[Random, int], Any], ...] = (
    _plain_list,
    _plain_list,
    _mixed_list,
    _numbers,
    _numpy,
    _numpy,
    _arrow,
    _arrow,
    _pandas,
    _polars,
    _no_column,
)


def column(rng: Random, length: int | None = None) -> Any:
    """One column from any library, of any type, now and then of another length than asked for."""
    asked = rng.choice((0, 1, 3, 5)) if length is None else length
    if rng.random() < 0.03:
        asked += 1
    made = rng.choice(_COLUMNS)(rng, asked)
    return tuple(made) if isinstance(made, list) and rng.random() < 0.2 else made


def table(rng: Random, length: int | None = None) -> Any:
    """Columns by name, as a mapping, a table or a frame."""
    asked = rng.choice((0, 1, 3, 5)) if length is None else length
    names: list[Any] = rng.sample(["v", "w", "", "a b", 3, None, ("x", 1)], rng.randrange(4))
    columns = {name: column(rng, asked) for name in names}
    way = rng.randrange(5)
    simple = {"v": list(range(asked)), "w": ["a"] * asked}
    if way == 0:
        return pa.table(simple)
    if way == 1:
        return pd.DataFrame(simple)
    if way == 2:
        return pl.DataFrame(simple)
    if way == 3:
        frame = pd.DataFrame(np.ones((asked, 2)))
        frame.columns = pd.Index(["v", "v"])
        return frame
    return columns
