"""Results have the types that Spark's own functions give them, and what does not fit is refused."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import product
from math import isnan, nan
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from windrow import agg, monoid, roll, window
from windrow.algebra.aggregate import Aggregate
from windrow.algebra.catalogue.filters import BloomFilter
from windrow.algebra.catalogue.runs import IncreasingRun
from windrow.algebra.lookup import registered
from windrow.columnar.ddl import parse_type
from windrow.columnar.result_types import result_type
from windrow.columnar.results import typed
from windrow.columnar.spans import Spans
from windrow.columnar.states import Summary
from windrow.errors import AggregateError, ResultOverflowError
from windrow.testing import fold

pytestmark = pytest.mark.xdist_group("kernels of states")

UTC_MOMENT = pa.timestamp("us", tz="UTC")
FLOAT, INT, TEXT = pa.float64(), pa.int64(), pa.string()


@pytest.mark.parametrize(
    ("aggregate", "types", "expected"),
    [
        (agg.count(), [], INT),
        (agg.count("v"), [TEXT], INT),
        (agg.sum("v"), [pa.int8()], INT),
        (agg.sum("v"), [pa.float32()], FLOAT),
        (agg.sum("v"), [pa.decimal128(10, 2)], pa.decimal128(20, 2)),
        (agg.sum("v"), [pa.decimal128(35, 2)], pa.decimal128(38, 2)),
        (agg.sum("v"), [pa.duration("us")], pa.duration("us")),
        (agg.mean("v"), [INT], FLOAT),
        (agg.mean("v"), [pa.decimal128(10, 2)], pa.decimal128(14, 6)),
        (agg.mean("v"), [pa.decimal128(38, 36)], pa.decimal128(38, 38)),
        (agg.max("v"), [pa.int16()], pa.int16()),
        (agg.min("v"), [pa.date32()], pa.date32()),
        (agg.first("v"), [pa.dictionary(pa.int32(), TEXT)], TEXT),
        (agg.argmax("v", by="w"), [TEXT, FLOAT], TEXT),
        (agg.range("v"), [pa.float32()], FLOAT),
        (agg.range("v"), [pa.decimal128(5, 2)], pa.decimal128(6, 2)),
        (agg.range("v"), [UTC_MOMENT], pa.duration("us")),
        (agg.range("v"), [pa.date32()], pa.duration("us")),
        (agg.median("v"), [INT], FLOAT),
        (agg.any("v"), [pa.bool_()], pa.bool_()),
        (agg.top_k(2, "v"), [pa.int32()], pa.list_(pa.int32())),
        (agg.histogram([0, 1], "v"), [FLOAT], pa.list_(INT)),
        (agg.bloom("v"), [TEXT], pa.binary()),
        (
            agg.longest_increasing_run("v"),
            [FLOAT, INT],
            pa.struct(
                [
                    ("start", UTC_MOMENT),
                    ("end", UTC_MOMENT),
                    ("span", pa.duration("us")),
                    ("length", INT),
                ]
            ),
        ),
    ],
)
def test_results_have_the_types_of_spark(
    aggregate: Aggregate[Any], types: list[pa.DataType], expected: pa.DataType
) -> None:
    assert result_type(aggregate, types) == expected


def test_every_aggregate_of_the_catalogue_has_a_type() -> None:
    for name, entry in registered().items():
        example = entry.example
        kind = TEXT if name == "concat" else FLOAT
        assert result_type(example, [kind for _ in example.columns]) is not None


def test_monoids_of_users_have_the_types_they_compile_to() -> None:
    ends = monoid(lift=lambda v: (v, 1), combine=_add, identity=(0, 0), name="max")
    assert result_type(agg.of(ends, "v"), [FLOAT]) == pa.struct([("f0", FLOAT), ("f1", INT)])
    most = monoid(lift=lambda v: v, combine=max, identity=0)
    assert result_type(agg.of(most, "v"), [INT]) == INT


def _add(older: Any, newer: Any) -> Any:
    return older[0] + newer[0], older[1] + newer[1]


def test_monoids_of_unknown_type_must_say_it() -> None:
    longest = monoid(lift=lambda v: v, combine=lambda a, b: max(a, b, key=len), identity="")
    with pytest.raises(AggregateError, match='returns="double"'):
        result_type(agg.of(longest, "v"), [TEXT])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("double", FLOAT),
        (" BIGINT ", INT),
        ("decimal", pa.decimal128(10, 0)),
        ("decimal(12,3)", pa.decimal128(12, 3)),
        ("array<array<int>>", pa.list_(pa.list_(pa.int32()))),
        ("map<string, date>", pa.map_(TEXT, pa.date32())),
        (
            "struct<at: timestamp, `a b` boolean>",
            pa.struct([("at", UTC_MOMENT), ("a b", pa.bool_())]),
        ),
    ],
)
def test_types_are_read_as_in_sql(text: str, expected: pa.DataType) -> None:
    assert parse_type(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "doubel", "array<int", "array<int>>", "decimal(40)", "decimal(3, 4)", "int;", "map<int>"],
)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(AggregateError, match="is no type that results can have"):
        parse_type(text)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([Decimal("0.125"), Decimal("-0.125")], pa.decimal128(5, 2), ["0.13", "-0.13"]),
        ([3, Decimal("9.995")], pa.decimal128(4, 2), ["3.00", "10.00"]),
    ],
)
def test_decimals_are_rounded_half_up(values: Any, kind: pa.DataType, expected: list[str]) -> None:
    assert typed(values, kind, agg.mean()).to_pylist() == list(map(Decimal, expected))
    wide = pa.array([Decimal(value) for value in values])
    assert typed(wide, kind, agg.mean()).to_pylist() == list(map(Decimal, expected))


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ([Decimal("100.00")], pa.decimal128(4, 2)),
        (pa.array([Decimal("100.00")]), pa.decimal128(4, 2)),
        ([300], pa.int8()),
        (pa.array([300]), pa.int8()),
        ([1 << 64], INT),
        ([10**400], FLOAT),
        ([0.5], INT),
    ],
)
def test_what_does_not_fit_is_refused_with_the_name_of_the_aggregate(
    answer: Any, kind: pa.DataType
) -> None:
    with pytest.raises(ResultOverflowError, match=r"sum\('v'\) has results that do not fit"):
        typed(answer, kind, agg.sum("v"))


def test_null_stays_null_and_nan_stays_nan() -> None:
    for answer in ([nan, None, 1], pa.array([nan, None, 1.0])):
        for kind in (pa.float64(), pa.float32()):
            first, *others = typed(answer, kind, agg.max()).to_pylist()
            assert isnan(first)
            assert others == [None, 1.0]
    assert typed(pa.nulls(2), TEXT, agg.concat()).equals(pa.nulls(2, TEXT))


def test_structs_lists_and_filters_take_their_shape() -> None:
    start, end = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC)
    run = IncreasingRun(start, end, end - start, 2)
    kind = result_type(agg.longest_increasing_run("v"), [FLOAT, INT])
    assert typed([run, None], kind, agg.max()).to_pylist() == [run._asdict(), None]
    bins = pa.array([{"bin_0": 1, "bin_1": 2}, {"bin_0": 0, "bin_1": 5}])
    assert typed(bins, pa.list_(INT), agg.max()).to_pylist() == [[1, 2], [0, 5]]
    seen = fold(agg.bloom(capacity=10), ["wind"])
    (stored,) = typed([seen], pa.binary(), agg.bloom()).to_pylist()
    again = BloomFilter.sized(10, 0.01).with_bits(int.from_bytes(stored, "little"))
    assert again == seen


def test_sums_of_long_decimals_are_exact() -> None:
    kind = pa.decimal128(38, 2)
    rows = pa.table({"v": pa.array([Decimal("9" * 34 + ".99"), Decimal("0.01")], kind)})
    total = Summary(agg.sum("v"), "x", rows.schema, kind)
    assert total.lower(total.fold(rows, np.array([0, 2]))).to_pylist() == [Decimal("1" + "0" * 34)]


COLUMNS: dict[str, pa.Array] = {
    "moments": pa.array([datetime(2024, 1, d, tzinfo=UTC) for d in (3, 1, 2)], UTC_MOMENT),
    "days": pa.array([date(2024, 1, d) for d in (3, 1, 2)]),
    "spans": pa.array([timedelta(d) for d in (3, 1, 2)], pa.duration("us")),
    "small": pa.array([3, 1, None], pa.int8()),
    "single": pa.array([0.1, nan, 0.3], pa.float32()),
    "truth": pa.array([True, None, False]),
    "prices": pa.array([Decimal("1.10"), Decimal("2.25"), Decimal("3.31")], pa.decimal128(5, 2)),
    "names": pa.array(["b", None, "a"]),
}


ANY = ("max", "first", "collect", "distinct")
NUMBERS = ("sum", "mean", "range")
MEASURED = ("spans", "small", "single", "prices")


@pytest.mark.parametrize(
    ("name", "column"),
    [*product(ANY, COLUMNS), *product(NUMBERS, MEASURED)],
)
def test_states_of_single_rows_give_what_a_roll_does(name: str, column: str) -> None:
    values = COLUMNS[column]
    aggregate = registered()[name].factory("v")
    kind = result_type(aggregate, [values.type])
    rows = pa.table({"v": values})
    summary = Summary(aggregate, "x", rows.schema, kind)
    spans = Spans(np.array([0, 0, 1]), np.array([1, 2, 3]))
    found = summary.over(summary.fold(rows, np.arange(4)), spans)
    rolled = roll(rows, aggregate, window.trailing(rows=2))
    expected = typed(rolled, kind, aggregate)
    assert found.type == expected.type == kind
    assert repr(found.to_pylist()) == repr(expected.to_pylist())
