"""Windows of buckets against the recomputing oracle: intervals hold, and cuts change nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import inf, nan
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.support import Drawn, between_times, definition, moment, table
from tests.examples import examples
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.approximate import Footprint, MaxLike, SumLike
from windrow.columnar.inputs import read_inputs
from windrow.columnar.packs import open_bundle, pack_bundle
from windrow.columnar.result_types import result_type
from windrow.engines.bucketed import Bucketed
from windrow.engines.definition import Definition
from windrow.engines.engine import FRESH
from windrow.engines.engines import engine_for
from windrow.engines.flow import Flow
from windrow.engines.intervals import IntervalColumn
from windrow.testing import expected
from windrow.testing.closeness import close
from windrow.windows import Emit, Order, Window

AGGREGATES: dict[str, tuple[Aggregate[Any], tuple[Any, ...]]] = {
    "sum": (agg.sum("v0"), (SumLike(absolute=6.0),)),
    "mean": (agg.mean("v0"), (SumLike(absolute=6.0), Footprint(4))),
    "n": (agg.count(), (SumLike(absolute=2),)),
    "max": (agg.max("v0"), (Footprint(3),)),
    "min": (agg.min("v0"), (MaxLike(block=3),)),
    "variance": (agg.variance("v0"), (Footprint(3),)),
}
KINDS: list[Window] = [
    window.trailing(rows=7),
    window.trailing("12 us"),
    window.trailing("12 us", closed="both", ties="together"),
    window.policy(keep=lambda w: w.n <= 6, using={"n": agg.count()}),
    window.policy(
        drop=lambda evicted, after, before: evicted.peak < after.peak,
        using={"peak": agg.max("v0")},
    ),
]
VALUES = st.none() | st.integers(-4, 9).map(float) | st.sampled_from((nan, inf, -inf))
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "a", "a", "b", None]),
        st.sampled_from([0, 0, 1, 1, 2, 30]),
        VALUES,
        st.none(),
        st.none(),
    ),
    max_size=60,
)


def approximate(
    kind: Window,
    aggregates: Mapping[str, tuple[Aggregate[Any], tuple[Any, ...]]] = AGGREGATES,
    order: Order = Order.TIME,
) -> Definition:
    made = definition([("", kind)], {name: part for name, (part, _) in aggregates.items()}, order)
    return replace(made, methods=tuple(methods for _, methods in aggregates.values()))


def in_pieces(made: Definition, rows: Sequence[Drawn], cuts: Sequence[int]) -> dict[int, Any]:
    """The intervals of each row by its number; what is kept goes through bytes after every call."""
    engine = engine_for(made)
    assert isinstance(engine, Bucketed)
    state = pack_bundle({name: schema.empty_table() for name, schema in engine.kept.items()})
    found, start = [engine.schema.empty_table()], 0
    for end in between_times(cuts, rows, made):
        until = rows[end][1] if end < len(rows) else None
        piece = table(rows[start:end], made.schema, start)
        step = engine.advance(open_bundle(state, engine.kept), piece, until)
        found += step.results
        state, start = pack_bundle(step.kept), end
    answers = pa.concat_tables(found).sort_by("n").to_pylist()
    return {row["n"]: row for row in answers}


def exact(made: Definition, rows: Sequence[Drawn]) -> dict[int, Any]:
    """The exact results of each row by its number."""
    given = [
        {"k0": key, "t": moment(t), "v0": value, "row": number}
        for number, (key, t, value, *_) in enumerate(rows)
    ]
    answers = expected(
        given,
        time="t",
        by="k0",
        keep="row",
        window=made.windows[0][1],
        aggregates=dict(made.aggregates),
        order=made.order,
    )
    return {answer["row"]: answer for answer in answers}


def check(found: Mapping[int, Any], wanted: Mapping[int, Any], names: Sequence[str]) -> None:
    assert found.keys() == wanted.keys()
    for number, answer in found.items():
        for name in names:
            interval, result = answer[f"r:{name}"], wanted[number][name]
            said = f"row {number}, {name}: {interval}, and {result} is exact"
            if interval["exact"]:
                assert close(interval["value"], result, scale=100.0), said
            elif interval["low"] is not None:
                assert interval["low"] <= interval["value"] <= interval["high"], said
                assert interval["low"] <= result <= interval["high"], said


def in_time(drawn: Sequence[Drawn]) -> list[Drawn]:
    """Drawn pauses as times."""
    rows, now = [], -20
    for key, pause, *rest in drawn:
        now += pause
        rows.append((key, now, *rest))
    return rows  # type: ignore[return-value]


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@examples(25)
@given(drawn=ROWS, cuts=st.lists(st.integers(0, 60), max_size=4))
def test_intervals_hold_what_the_oracle_gives_and_cuts_change_nothing(
    kind: Window, drawn: list[Drawn], cuts: list[int]
) -> None:
    rows, made = in_time(drawn), approximate(kind)
    found = in_pieces(made, rows, cuts)
    check(found, exact(made, rows), list(AGGREGATES))
    assert repr(found) == repr(in_pieces(made, rows, []))


@examples(25)
@given(drawn=ROWS, cuts=st.lists(st.integers(0, 60), max_size=4))
def test_in_the_order_of_arrival_time_never_goes_back(drawn: list[Drawn], cuts: list[int]) -> None:
    rows = [(key, -t if t < 30 else t, *rest) for key, t, *rest in drawn]
    made = approximate(window.trailing("12 us"), order=Order.ARRIVAL)
    found = in_pieces(made, rows, cuts)  # type: ignore[arg-type]
    check(found, exact(made, rows), list(AGGREGATES))  # type: ignore[arg-type]


def signal(length: int, seed: int = 5) -> list[Drawn]:
    """Many positive values, some of them missing."""
    random, now, rows = Random(seed), 0, []
    for number in range(length):
        now += random.choice((0, 1, 1, 2)) if number % 400 else 500
        value = None if number % 17 == 3 else random.gauss(20, 3)
        rows.append((random.choice("aab"), now, value, None, None))
    return rows  # type: ignore[return-value]


RELATIVE: dict[str, tuple[Aggregate[Any], tuple[Any, ...]]] = {
    "sum": (agg.sum("v0"), (SumLike(relative=0.05),)),
    "max": (agg.max("v0"), (MaxLike(),)),
}


@pytest.mark.parametrize("kind", [window.trailing(rows=150), window.trailing("200 us")], ids=repr)
def test_what_is_learned_goes_on_from_piece_to_piece(kind: Window) -> None:
    rows, made = signal(900), approximate(kind, RELATIVE)
    found = in_pieces(made, rows, [1, 40, 333, 334, 700])
    assert repr(found) == repr(in_pieces(made, rows, []))
    check(found, exact(made, rows), list(RELATIVE))
    assert sum(not answer["r:sum"]["exact"] for answer in found.values()) > 200


def test_the_oracle_catches_a_window_that_is_a_little_too_long() -> None:
    rows = signal(300)
    longer = in_pieces(approximate(window.trailing("41 us"), RELATIVE), rows, [])
    with pytest.raises(AssertionError, match="is exact"):
        check(longer, exact(approximate(window.trailing("40 us"), RELATIVE), rows), ["sum"])


def test_what_is_kept_is_bytes_for_each_key_and_no_rows() -> None:
    made = approximate(window.trailing(rows=500), {"n": (agg.count(), (Footprint(5),))})
    engine = engine_for(made)
    kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    rows = table([("ab"[k % 2], k, 1.0, None, None) for k in range(1000)], made.schema)
    (held,) = engine.advance(kept, rows, None).kept.values()
    assert held["rows"].to_pylist() == [500, 500]
    assert max(map(len, held["b0"].to_pylist())) < 1000


def test_a_preview_applies_nothing() -> None:
    made = approximate(window.trailing(rows=5))
    engine = engine_for(made)
    kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    rows = table(signal(60), made.schema)
    kept = engine.advance(kept, rows.slice(0, 40), None).kept
    before = pack_bundle(kept)
    more = rows.slice(40)
    shown = engine.preview(kept, more.append_column(FRESH, pa.array([True] * more.num_rows)))
    assert pack_bundle(kept) == before
    (applied,) = engine.advance(kept, more, None).results
    assert repr(shown.to_pylist()) == repr(applied.to_pylist())


def test_a_key_is_let_go_when_all_of_its_window_has_left() -> None:
    engine = engine_for(made := approximate(window.trailing("10 us")))
    kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    rows = table([("a", 3, 1.0, None, None), ("b", 8, 1.0, None, None)], made.schema)
    kept = engine.advance(kept, rows, 8).kept
    assert engine.due(kept) == 13
    for until, keys in ((12, ["a", "b"]), (13, ["b"]), (18, [])):
        kept = engine.advance(kept, rows.slice(0, 0), until).kept
        assert kept["buckets"]["k0"].to_pylist() == keys
    assert engine.due(kept) is None


def test_silent_keys_are_forgotten_where_windows_wait_for_rows() -> None:
    made = approximate(window.trailing(rows=3))
    flow = Flow(made, Emit.ON_CLOSE, forget_us=100)
    kept = {name: schema.empty_table() for name, schema in flow.engine.kept.items()}
    rows = table([("a", 3, 1.0, None, None), ("b", 50, 1.0, None, None)], made.schema)
    none = rows.slice(0, 0)
    kept = flow.apply(kept, rows, none, none, 60).kept
    assert flow.due(kept) == 103
    kept = flow.apply(kept, none, none, none, 120).kept
    assert kept["buckets"]["k0"].to_pylist() == ["b"]


DAY = date(2024, 7, 1)
NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("aggregate", "values"),
    [
        (agg.sum("v0"), pa.array([1, 2, None, 4, 5])),
        (agg.mean("v0"), pa.array([1, 2, None, 4, 5], pa.int32())),
        (agg.mean("v0"), pa.array([Decimal("1.25")] * 5, pa.decimal128(9, 2))),
        (agg.sum("v0"), pa.array([Decimal("1.25")] * 5, pa.decimal128(9, 2))),
        (agg.max("v0"), pa.array([NOON + timedelta(hours=k) for k in range(5)])),
        (agg.range("v0"), pa.array([NOON + timedelta(hours=k) for k in range(5)])),
        (agg.min("v0"), pa.array([DAY + timedelta(days=k) for k in range(5)])),
        (agg.sum("v0"), pa.array([timedelta(hours=k) for k in range(5)])),
        (agg.max("v0"), pa.array(list("edcba"))),
        (agg.any("v0"), pa.array([True, False, None, False, False])),
        (agg.first("v0"), pa.array(list("abcde"))),
        (agg.collect("v0"), pa.array([1, 2, 3, 4, 5], pa.int16())),
        (agg.last(agg.TIME), pa.array([1] * 5)),
    ],
    ids=str,
)
def test_values_and_ends_have_the_type_of_the_result(
    aggregate: Aggregate[Any], values: pa.Array
) -> None:
    schema = pa.schema([("t", pa.int64()), ("n", pa.int64()), ("v0", values.type)])
    read = [schema.field("t" if c is agg.TIME else c).type for c in aggregate.columns]
    made = Definition(
        (("", window.trailing(rows=4)),),
        (("r", aggregate),),
        schema,
        (result_type(aggregate, read),),
        methods=((Footprint(2),),),
    )
    engine = engine_for(made)
    kept = {name: s.empty_table() for name, s in engine.kept.items()}
    rows = pa.table([pa.array(range(5)), pa.array(range(5)), values], schema=schema)
    found: list[pa.Table] = []
    for place in range(5):  # through bytes each time
        step = engine.advance(kept, rows.slice(place, 1), None)
        kept = open_bundle(pack_bundle(step.kept), engine.kept)
        found += step.results
    results = pa.concat_tables(found)["r:r"]
    kinds = {field.name: (field.type, field.nullable) for field in results.type}
    (result,) = made.results
    assert kinds == {
        **dict.fromkeys(("value", "low", "high"), (result, True)),
        "exact": (pa.bool_(), False),
    }
    told = results.to_pylist()
    whole = Definition(made.windows, made.aggregates, schema, made.results)
    exactly = engine_for(whole)
    plain = {name: s.empty_table() for name, s in exactly.kept.items()}
    wanted = pa.concat_tables(exactly.advance(plain, rows, None).results)["r:r"].to_pylist()
    for interval, right in zip(told, wanted, strict=True):
        if interval["exact"]:
            assert interval["value"] == right
        elif interval["low"] is not None:
            assert interval["low"] <= right <= interval["high"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.decimal128(20, 2)], ids=str)
def test_an_end_that_does_not_fit_is_null(kind: pa.DataType) -> None:
    inputs = read_inputs(agg.sum("v0"), pa.schema([("v0", kind)]))
    found = IntervalColumn([5, 5], [1, -(10**30)], [10**30, 9], [False, False])
    column = found.column(inputs, kind)
    assert column.field("low").to_pylist() == [1, None]
    assert column.field("high").to_pylist() == [None, 9]
