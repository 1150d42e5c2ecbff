"""States as columns: folded, merged, trailed and lowered, they equal the fold of all their rows."""

import math
import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.examples import examples
from tests.rolling.support import reading
from windrow import agg, monoid
from windrow.algebra.aggregate import TIME, Aggregate
from windrow.algebra.catalogue.filters import BloomFilter
from windrow.algebra.codec import encode
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Kind
from windrow.algebra.registry import Takes
from windrow.algebra.rope import Rope
from windrow.columnar.result_types import result_type
from windrow.columnar.spans import Spans
from windrow.columnar.states import Summary
from windrow.errors import AggregateError, InputError, SnapshotError
from windrow.testing import columns_for, fold
from windrow.testing.closeness import close, magnitude

pytestmark = pytest.mark.xdist_group("kernels of states")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SPREAD = monoid(
    lift=lambda value: (value, value),
    combine=lambda older, newer: (min(older[0], newer[0]), max(older[1], newer[1])),
    lower=lambda state: state[1] - state[0],
    identity=(1e300, -1e300),
    name="spread",
)
ENDING = monoid(
    lift=lambda value: (value,),
    combine=lambda older, newer: (older + newer)[-3:],
    lower="".join,
    identity=(),
    name="ending",
)


@dataclass(frozen=True)
class Case:
    """An aggregate, and what the column v holds; w is whole numbers."""

    aggregate: Aggregate[Any]
    values: Any
    kind: pa.DataType

    def rows(self) -> st.SearchStrategy[list["Row"]]:
        row = st.tuples(st.none() | self.values, st.none() | st.integers(-3, 3))
        return st.lists(row, max_size=14)

    def schema(self) -> pa.Schema:
        return pa.schema([("t", pa.int64()), ("v", self.kind), ("w", pa.int64())])

    def table(self, rows: Sequence["Row"]) -> pa.Table:
        times = [10 * number for number in range(len(rows))]
        columns = [times, [v for v, _ in rows], [w for _, w in rows]]
        return pa.table(
            [pa.array(c, f.type) for c, f in zip(columns, self.schema(), strict=True)],
            schema=self.schema(),
        )

    def summary(self, made: type[Summary] = Summary) -> Summary:
        types = [self.schema().field("t" if c is TIME else c).type for c in self.aggregate.columns]
        return made(self.aggregate, "x", self.schema(), result_type_of(self.aggregate, types))

    def require(self, answer: Any, rows: Sequence["Row"], numbers: Sequence[int]) -> None:
        """Require that an answer is the fold of these rows, which have these numbers."""
        moments = [EPOCH + timedelta(microseconds=10 * number) for number in numbers]
        records = [{"v": v, "w": w, "time": at} for (v, w), at in zip(rows, moments, strict=True)]
        expected = fold(self.aggregate, records)
        if isinstance(expected, BloomFilter):
            expected = bytes(expected)
        tolerance = 0.05 if self.aggregate.monoid.kind is Kind.SKETCH else 1e-9
        scale = max(magnitude(v for v, _ in rows if v is not None), magnitude([expected]))
        assert close(plain(answer), plain(expected), tolerance=tolerance, scale=scale), (
            f"{answer!r} is not {expected!r}, of {rows!r}"
        )


Row = tuple[Any, Any]

COLUMNS = {
    "floats": pa.float64(),
    "integers": pa.int64(),
    "text": pa.string(),
    "booleans": pa.bool_(),
}
# Each kind of column is compiled anew.
KINDS = {
    Takes.ANYTHING: ("floats", "text"),
    Takes.NUMBERS: ("floats",),
    Takes.QUANTITIES: ("floats",),
    Takes.POSITIONS: ("floats",),
    Takes.BOOLEANS: ("booleans",),
    Takes.TEXT: ("text",),
    Takes.NUMBER_PAIRS: ("floats",),
}


def catalogue() -> dict[str, Case]:
    """Every aggregate of the catalogue, over the columns that it takes."""
    found = {}
    anything = columns_for(registered()["max"])
    for name, entry in registered().items():
        whole_numbers = ("integers",) if name in ("range", "sum") else ()
        for kind in KINDS[entry.takes] + whole_numbers:
            aggregate = reading(entry.example.monoid)
            found[f"{name} of {kind}"] = Case(aggregate, anything[kind], COLUMNS[kind])
    return found


CASES = catalogue() | {
    "number of rows": Case(agg.count(), st.just(1.0), pa.float64()),
    "a user's spread": Case(reading(SPREAD), st.floats(-1e6, 1e6), pa.float64()),
    "a user's ending": Case(reading(ENDING), st.text("abc", max_size=2), pa.string()),
}


# States of every shape: a number, a whole one that may overflow, a truth, a few numbers, an array,
# a struct, and a user's own.
SHAPES = [
    "max of floats",
    "sum of integers",
    "any of booleans",
    "variance of floats",
    "histogram of floats",
    "longest_increasing_run of floats",
    "a user's spread",
]


def result_type_of(aggregate: Aggregate[Any], types: list[pa.DataType]) -> pa.DataType:
    return pa.string() if aggregate.monoid is ENDING else result_type(aggregate, types)


def plain(result: Any) -> Any:
    """A result as values and lists: a struct is the list of its fields."""
    if isinstance(result, dict):
        return list(result.values())
    return list(result) if isinstance(result, tuple) else result


def borders(data: st.DataObject, length: int, segments: int) -> NDArray[np.int64]:
    """Borders of so many segments, some of them empty."""
    inner = st.lists(st.integers(0, length), min_size=segments - 1, max_size=segments - 1)
    return np.array([0, *sorted(data.draw(inner)), length], np.int64)


def require_merged(case: Case, summary: Summary, rows: list[Row], *cuts: NDArray[np.int64]) -> None:
    """Require that rows, folded in pieces and merged in larger ones, give the fold of all."""
    pieces, groups = cuts
    states = summary.fold(case.table(rows), pieces)
    assert [state.type for state in states] == [field.type for field in summary.fields]
    merged = summary.merge(states, groups)
    answers = summary.lower(merged)
    assert len(answers) == len(groups) - 1
    for answer, (first, end) in zip(answers.to_pylist(), pairwise(pieces[groups]), strict=True):
        case.require(answer, rows[first:end], range(first, end))


def check_merging(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    rows = data.draw(case.rows())
    pieces = borders(data, len(rows), data.draw(st.integers(1, 6)))
    groups = borders(data, len(pieces) - 1, data.draw(st.integers(1, 3)))
    require_merged(case, case.summary(), rows, pieces, groups)


def check_windows(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    rows = data.draw(case.rows())
    pieces = borders(data, len(rows), data.draw(st.integers(1, 8)))
    places = st.integers(0, len(pieces) - 1)
    ends = sorted(data.draw(st.lists(places, max_size=9)))
    drawn = data.draw(st.lists(places, min_size=len(ends), max_size=len(ends)))
    begins = np.minimum(sorted(drawn), ends).astype(np.int64)
    summary = case.summary()
    states = summary.fold(case.table(rows), pieces)
    every = summary.over(states, Spans(begins, np.array(ends, np.int64))).to_pylist()
    assert len(every) == len(ends)
    for answer, begin, end in zip(every, begins, ends, strict=True):
        first, last = pieces[begin], pieces[end]
        case.require(answer, rows[first:last], range(first, last))


@pytest.mark.usefixtures("interpreted_then_compiled")
@examples(40)
@given(st.data())
@pytest.mark.parametrize("name", CASES)
def test_pieces_folded_and_merged_give_the_fold_of_their_rows(
    name: str, data: st.DataObject
) -> None:
    check_merging(name, data)


@pytest.mark.usefixtures("interpreted_then_compiled")
@examples(40)
@given(st.data())
@pytest.mark.parametrize("name", CASES)
def test_windows_over_states_give_the_fold_of_their_rows(name: str, data: st.DataObject) -> None:
    check_windows(name, data)


@pytest.mark.usefixtures("always_compiled")
@examples(40)
@given(st.data())
@pytest.mark.parametrize("name", SHAPES)
def test_compiled_kernels_give_the_fold_of_their_rows(name: str, data: st.DataObject) -> None:
    check_merging(name, data)
    check_windows(name, data)


class SwappedSummary(Summary):
    """Merges neighbours in the wrong order."""

    def merge(self, states: Sequence[pa.Array], borders: Any) -> list[pa.Array]:
        turned = borders[-1] - borders[::-1]
        merged = super().merge([state[::-1] for state in states], turned)
        return [state[::-1] for state in merged]


@pytest.mark.parametrize("name", ["concat of text", "last of floats"])
def test_merging_in_the_wrong_order_is_caught(name: str) -> None:
    case = CASES[name]
    rows: list[Row] = [(x, 0) for x in (("a", "b") if name.endswith("text") else (1.0, 2.0))]
    cuts = np.array([0, 1, 2]), np.array([0, 2])
    require_merged(case, case.summary(), rows, *cuts)
    with pytest.raises(AssertionError):
        require_merged(case, case.summary(SwappedSummary), rows, *cuts)


@pytest.mark.parametrize("name", ["max of floats", "sum of integers", "concat of text"])
def test_states_of_nothing_are_null(name: str) -> None:
    summary = CASES[name].summary()
    states = summary.fold(CASES[name].table([(None, 0), (None, 0)]), np.array([0, 0, 2]))
    assert states[0].null_count == 2
    assert summary.merge(states, np.array([0, 2]))[0].null_count == 1


def test_no_rows_in_no_segments_give_no_states() -> None:
    for case in (CASES["max of floats"], CASES["concat of text"]):
        summary, none = case.summary(), np.array([0])
        states = summary.fold(case.table([]), none)
        assert len(summary.lower(summary.merge(states, none))) == 0
        nothing = np.empty(0, np.int64)
        assert len(summary.over(states, Spans(nothing, nothing))) == 0


def test_slices_of_columns_are_read_from_where_they_begin() -> None:
    case = CASES["sum of integers"]
    rows: list[Row] = [(None if n % 3 else n, 0) for n in range(30)]
    summary = case.summary()
    states = summary.fold(case.table(rows).slice(9, 13), np.arange(14))
    again = summary.merge([state.slice(3, 9) for state in states], np.array([0, 2, 9]))
    assert summary.lower(again).to_pylist() == [12, 15 + 18]


def test_located_extrema_are_compiled_where_no_null_can_be_taken() -> None:
    never_null = pa.schema([pa.field("v", pa.float64(), nullable=False), ("w", pa.int64())])
    argmax = agg.argmax("v", by="w")
    taken = Summary(argmax, "x", never_null, pa.float64())
    assert [field.type for field in taken.fields] == [pa.float64(), pa.int64(), pa.bool_()]
    rows = pa.table([[1.0, 2.0, 3.0], [5, None, 4]], schema=never_null)
    assert taken.lower(taken.fold(rows, np.array([0, 1, 2, 3]))).to_pylist() == [1.0, None, 3.0]


@pytest.mark.usefixtures("interpreted_then_compiled")
@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.float64(), [-0.0, 0.0, 0.0, -0.0, math.nan, None, math.inf, -math.inf, 5e-324, 1e308]),
        (pa.int64(), [2**63 - 1, -(2**63), 0, None, 2**53 + 1, 2**53, -1]),
        (pa.uint64(), [2**64 - 1, 2**63, 0, None, 1]),
        (pa.decimal128(20, 2), [Decimal("-0.10"), Decimal("0.20"), None, Decimal(7), Decimal(0)]),
    ],
)
@given(st.data())
def test_quantiles_over_states_are_those_of_all_values_to_the_last_bit(
    kind: pa.DataType, values: list[Any], data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(st.sampled_from(values), max_size=40))
    q = data.draw(st.sampled_from([0, 0.1, 0.5, 0.75, 1]))
    schema = pa.schema([("v", kind)])
    aggregate = agg.quantile(q, "v")
    summary = Summary(aggregate, "x", schema, pa.float64())
    pieces = borders(data, len(drawn), data.draw(st.integers(1, 9)))
    groups = borders(data, len(pieces) - 1, data.draw(st.integers(1, 5)))
    rows = pa.table([pa.array(drawn, kind)], schema=schema)

    merged = summary.merge(summary.fold(rows, pieces), groups)
    ends = np.arange(1, len(groups))
    since = np.maximum(ends - 3, 0)
    found = summary.over(merged, Spans(since, ends))

    places = pieces[groups]
    expected = [
        fold(aggregate, [{"v": v} for v in drawn[places[first] : places[end]]])
        for first, end in zip(since, ends, strict=True)
    ]
    assert list(map(repr, found.to_pylist())) == list(map(repr, expected))


@pytest.mark.parametrize("state", [b"", b"r", b"r\x01", encode(Rope("abc")), encode(7)])
def test_runs_that_are_damaged_are_refused(state: bytes) -> None:
    summary = Summary(agg.median("v"), "x", pa.schema([("v", pa.float64())]), pa.float64())
    with pytest.raises(SnapshotError, match="damaged"):
        summary.lower([pa.array([state], pa.binary())])


def test_runs_that_were_only_joined_are_sorted_when_they_are_read() -> None:
    summary = Summary(agg.median("v"), "x", pa.schema([("v", pa.float64())]), pa.float64())
    joined = [encode(Rope([1.0, 5.0, 2.0, 9.0, 3.0])), None, encode(Rope([4.0, 0.0]))]
    assert summary.lower([pa.array(joined, pa.binary())]).to_pylist() == [3.0, None, 2.0]


def test_columns_that_rows_lack_are_named() -> None:
    with pytest.raises(InputError, match=r"max\('z'\) reads column 'z'.*they have \['v'\]"):
        Summary(agg.max("z"), "x", pa.schema([("v", pa.float64())]), pa.float64())


class _Planted:
    """A pickle whose reading makes a folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self._path),)


@pytest.mark.parametrize("aggregate", [agg.collect("v0"), agg.distinct("v0"), agg.top_k(3, "v0")])
def test_states_that_are_pickles_are_refused_and_not_read(aggregate: Any, tmp_path: Path) -> None:
    schema, listed = pa.schema([("v0", pa.float64())]), pa.list_(pa.float64())
    summary = Summary(aggregate, "a", schema, listed)
    column = [pa.array([pickle.dumps(_Planted(tmp_path / "made"))] * 2, pa.binary())]
    spans = Spans(np.array([0, 1]), np.array([1, 2]))
    for use in (
        lambda: summary.merge(column, np.array([0, 2])),
        lambda: summary.lower(column),
        lambda: summary.over(column, spans),
    ):
        with pytest.raises(SnapshotError, match="is damaged"):
            use()
    assert not (tmp_path / "made").exists()


def test_states_that_are_no_plain_values_are_refused_with_their_aggregate_and_type() -> None:
    odd = monoid(
        lift=lambda x: complex(x, 1),
        combine=max,
        identity=None,
        returns="double",
        name="odd",
    )
    rows = pa.table({"v0": [1.0, 2.0]})
    summary = Summary(agg.of(odd, "v0"), "a", rows.schema, pa.float64())
    with pytest.raises(AggregateError, match=r"odd .*complex.*codec="):
        summary.fold(rows, np.array([0, 1, 2]))
