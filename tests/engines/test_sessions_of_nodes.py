"""Sessions in a tree: rows cut anyhow among nodes and by time, folded apart, merged, applied."""

from collections.abc import Sequence
from itertools import pairwise

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
    Drawn,
    by_engine,
    by_oracle,
    definition,
    named,
    table,
)
from tests.examples import examples
from windrow import window
from windrow.engines.definition import Definition
from windrow.engines.engine import Engine, Partials
from windrow.engines.engines import engine_for
from windrow.windows import Aligned, Order, Session, Window

KINDS: list[list[Window]] = [
    [window.session("1 us")],
    [window.session("6 us")],
    [window.session("200 us")],
    [window.session("1 us"), window.session("6 us"), window.session("20 us")],
]
NODES = 3


def _through_a_tree(
    engine: Engine,
    made: Definition,
    owned: Sequence[tuple[Drawn, int]],
    cell_us: int,
    heights: int,
    steps: Sequence[int],
) -> pa.Table:
    """Each cell of time of each node by itself; `steps` says how many cells come at once."""
    cells = sorted({row[1] // cell_us for row, _ in owned})
    kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    found: list[pa.Table] = []
    turn = 0
    while cells:
        taken, cells = cells[: steps[turn % len(steps)]], cells[steps[turn % len(steps)] :]
        turn += 1
        sent = []
        for node in range(NODES):
            parts = [
                engine.fold(
                    table([r for r, n in owned if (r[1] // cell_us, n) == (c, node)], schema)
                )
                for c in taken
                for schema in [made.schema]
            ]
            sent.append(engine.whole(pa.concat_tables(parts)))
        for _ in range(heights):
            sent = [engine.whole(pa.concat_tables(sent[:2])), *sent[2:]]
        until = cells[0] * cell_us if cells else None
        step = engine.advance(kept, Partials(pa.concat_tables(sent)), until)
        found += step.results
        kept = step.kept
    return pa.concat_tables([engine.schema.empty_table(), *found])


@pytest.mark.parametrize("kinds", KINDS, ids=repr)
@examples(60)
@given(
    rows=ROWS,
    nodes=st.lists(st.integers(0, NODES - 1), min_size=25, max_size=25),
    cell_us=st.integers(1, 50),
    heights=st.integers(0, 2),
    steps=st.lists(st.integers(1, 4), min_size=1, max_size=4),
)
def test_fragments_of_sessions_give_what_the_oracle_does_of_all_rows(
    kinds: list[Window],
    rows: list[Drawn],
    nodes: list[int],
    cell_us: int,
    heights: int,
    steps: list[int],
) -> None:
    made = definition(named(kinds), COMMUTATIVE)
    engine = engine_for(made)
    owned = list(zip(rows, nodes, strict=False))
    found = _through_a_tree(engine, made, owned, cell_us, heights, steps)
    assert by_engine(found) == by_oracle(rows, made)


@examples(30)
@given(rows=ROWS, cell_us=st.integers(1, 50), steps=st.lists(st.integers(1, 4), min_size=1))
def test_no_session_ends_before_the_time_has_passed_its_gap(
    rows: list[Drawn], cell_us: int, steps: list[int]
) -> None:
    """A session that ended too early would come again with what followed: ends tell."""
    made = definition([("", window.session("6 us"))], COMMUTATIVE)
    found = _through_a_tree(engine_for(made), made, [(row, 0) for row in rows], cell_us, 1, steps)
    names = ("k0", "start", "end")
    sessions = zip(*(found[name].to_pylist() for name in names), strict=True)
    in_order = sorted(sessions, key=lambda own: (repr(own[0]), own[1]))
    for (key, _, end), (other, start, _) in pairwise(in_order):
        assert key != other or start > end


def test_engines_tell_whether_partials_may_be_applied_as_they_come() -> None:
    kinds = [*ALIGNED, *OTHERS]
    takes = {
        repr(k) for k in kinds if engine_for(definition([("", k)], COMMUTATIVE)).takes_partials
    }
    assert takes == {repr(k) for k in kinds if isinstance(k, Aligned | Session)}
    for kind in kinds:
        assert not engine_for(definition([("", kind)], ORDERED)).takes_partials
    arrival = definition([("", window.session("6 us"))], COMMUTATIVE, Order.ARRIVAL)
    assert not engine_for(arrival).takes_partials
