"""Engines against the recomputing oracle: any rows, any windows, any way to cut them up."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.support import (
    ALIGNED,
    COMMUTATIVE,
    ORDERED,
    OTHERS,
    ROWS,
    SETS,
    Drawn,
    between_times,
    by_engine,
    by_oracle,
    definition,
    named,
    table,
    ties_together,
)
from windrow import agg, window
from windrow.engines.batch import run_through
from windrow.engines.definition import Definition
from windrow.engines.engine import Engine, Partials
from windrow.engines.engines import engine_for
from windrow.windows import Closed, Order, Window


def _in_pieces(
    engine: Engine, made: Definition, rows: Sequence[Drawn], cuts: Sequence[int]
) -> pa.Table:
    """Rows sorted by time, applied piece by piece."""
    ordered = sorted(rows, key=lambda row: row[1])
    kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    found, start = [], 0
    for end in between_times(cuts, ordered, made):
        until = ordered[end][1] if end < len(ordered) else None
        piece = table(ordered[start:end], made.schema, start)
        step = engine.advance(kept, piece, until)
        found.append(pa.concat_tables(step.results))
        kept, start = step.kept, end
        assert {name: t.schema for name, t in kept.items()} == engine.kept
    return pa.concat_tables(found)


@pytest.mark.parametrize("kind", [*ALIGNED, *OTHERS], ids=repr)
@given(rows=ROWS, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_an_engine_gives_what_the_oracle_does_however_rows_are_cut_up(
    kind: Window, rows: list[Drawn], cuts: list[int]
) -> None:
    for aggregates in (COMMUTATIVE, ORDERED):
        made = definition([("", kind)], aggregates)
        assert by_engine(_in_pieces(engine_for(made), made, rows, cuts)) == by_oracle(rows, made)


LARGE = 1 << 62


@pytest.mark.parametrize(
    ("kind", "values", "sums"),
    [
        (window.trailing(rows=3), [-LARGE, LARGE, LARGE, -LARGE], [-LARGE, 0, LARGE, LARGE]),
        (window.trailing("3 us"), [-LARGE, LARGE, LARGE, -LARGE], [-LARGE, 0, LARGE, LARGE]),
        (window.count(2), [0, LARGE, LARGE, 0], [LARGE, LARGE]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("cuts", [[], [3], [1, 2, 3]], ids=repr)
def test_sums_that_nobody_asks_for_may_overflow(
    kind: Window, values: list[int], sums: list[int], cuts: list[int]
) -> None:
    made = definition([("", kind)], {"sum": agg.sum("v0")})
    whole = pa.field("v0", pa.int64())
    schema = pa.schema([whole if field.name == "v0" else field for field in made.schema])
    made = replace(made, schema=schema, results=(pa.int64(),))
    rows: list[Drawn] = [("a", k, value, None, None) for k, value in enumerate(values)]
    found = _in_pieces(engine_for(made), made, rows, cuts)
    assert found["r:sum"].to_pylist() == sums


@given(rows=ROWS, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_several_windows_share_one_pass(rows: list[Drawn], cuts: list[int]) -> None:
    made = definition([(f"w{k}", kind) for k, kind in enumerate(ALIGNED)], COMMUTATIVE)
    assert by_engine(_in_pieces(engine_for(made), made, rows, cuts)) == by_oracle(rows, made)


@pytest.mark.parametrize("kinds", SETS, ids=repr)
@given(rows=ROWS, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_several_windows_of_one_shape_give_what_the_oracle_does_of_each(
    kinds: list[Window], rows: list[Drawn], cuts: list[int]
) -> None:
    for aggregates in (COMMUTATIVE, ORDERED):
        made = definition(named(kinds), aggregates)
        assert by_engine(_in_pieces(engine_for(made), made, rows, cuts)) == by_oracle(rows, made)


DURATIONS = st.integers(1, 40).map(lambda us: f"{us} us")
DRAWN = st.one_of(
    st.lists(
        st.builds(window.trailing, DURATIONS, closed=st.sampled_from(Closed))
        | st.builds(window.trailing, DURATIONS, ties=st.just("together"))
        | st.builds(window.trailing, rows=st.integers(1, 9)),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.builds(window.session, DURATIONS), min_size=1, max_size=4),
    st.lists(
        st.builds(window.count, st.integers(1, 6), every=st.integers(1, 6)), min_size=1, max_size=4
    ),
)


@given(kinds=DRAWN, rows=ROWS, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_any_set_of_windows_of_one_shape_gives_what_the_oracle_does_of_each(
    kinds: list[Window], rows: list[Drawn], cuts: list[int]
) -> None:
    made = definition([(f"w{k}", kind) for k, kind in enumerate(kinds)], ORDERED)
    assert by_engine(_in_pieces(engine_for(made), made, rows, cuts)) == by_oracle(rows, made)


@pytest.mark.parametrize("kind", [*ALIGNED, *OTHERS], ids=repr)
@given(rows=ROWS, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_a_batch_in_pieces_that_overlap_in_time_is_put_in_order(
    kind: Window, rows: list[Drawn], cuts: list[int]
) -> None:
    made = definition([("", kind)], ORDERED)
    bounds = sorted({0, *(cut for cut in cuts if cut < len(rows)), len(rows)})
    pieces: list[Any] = []
    for start, end in itertools.pairwise(bounds):
        own = rows[start:end]
        pieces.append((min(row[1] for row in own), table(own, made.schema, start)))
    pieces.sort(key=lambda piece: piece[0])
    results = list(run_through(engine_for(made), pieces, Order.TIME))
    found = pa.concat_tables(results) if results else engine_for(made).schema.empty_table()
    assert by_engine(found) == by_oracle(rows, made)


@pytest.mark.parametrize(
    "kind", [kind for kind in (*ALIGNED[:2], *OTHERS) if not ties_together(kind)], ids=repr
)
@given(rows=ROWS, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_a_batch_in_order_of_arrival_is_applied_as_it_comes(
    kind: Window, rows: list[Drawn], cuts: list[int]
) -> None:
    made = definition([("", kind)], ORDERED, Order.ARRIVAL)
    bounds = sorted({0, *(cut for cut in cuts if cut < len(rows)), len(rows)})
    pieces = [(a, table(rows[a:b], made.schema, a)) for a, b in itertools.pairwise(bounds)]
    results = list(run_through(engine_for(made), pieces, Order.ARRIVAL))
    found = pa.concat_tables(results) if results else engine_for(made).schema.empty_table()
    assert by_engine(found) == by_oracle(rows, made)


@given(rows=ROWS, cuts=st.lists(st.integers(0, 25), max_size=4))
def test_slices_folded_apart_give_the_same_windows(rows: list[Drawn], cuts: list[int]) -> None:
    made = definition([(f"w{k}", kind) for k, kind in enumerate(ALIGNED)], COMMUTATIVE)
    engine = engine_for(made)
    assert engine.folds_early
    bounds = sorted({0, *(cut for cut in cuts if cut < len(rows)), len(rows)})
    parts = [
        engine.fold(table(rows[start:end], made.schema))
        for start, end in itertools.pairwise(bounds)
    ]
    kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    slices = pa.concat_tables([engine.partials.empty_table(), *parts])
    assert by_engine(
        pa.concat_tables(engine.advance(kept, Partials(slices), None).results)
    ) == by_oracle(rows, made)
