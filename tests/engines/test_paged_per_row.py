"""Large windows in pages against the recomputing oracle; pages and limits are tiny here."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, cycle, islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.support import (
    Drawn,
    between_times,
    by_engine,
    by_oracle,
    definition,
    named,
    table,
)
from tests.examples import examples
from windrow import agg, monoid, window
from windrow.columnar.packs import open_bundle, pack_bundle
from windrow.engines.definition import Definition
from windrow.engines.page_cache import MemoryPages, PageCache
from windrow.engines.paged_per_row import PagedPerRow
from windrow.windows import Order, Window

# Does not commute: what comes in another order comes out as something else.
AFFINE = monoid(
    lift=lambda value: (3.0, value % 97),
    combine=lambda older, newer: (older[0] * newer[0] % 97, (newer[0] * older[1] + newer[1]) % 97),
    lower=lambda state: state[1],
    identity=(1.0, 0.0),
    name="affine",
)
SIZE = monoid(
    lift=lambda value: value * value,
    combine=lambda older, newer: older + newer,
    lower=lambda state: state,
    identity=0.0,
    commutative=True,
    name="size",
)
AGGREGATES = {
    "n": agg.count(),
    "sum": agg.sum("v0"),
    "peak": agg.max("v0"),
    "affine": agg.of(AFFINE, "v0"),
}
OF_OBJECTS: dict[str, Any] = {"n": agg.count(), "top": agg.top_k(2, "v0")}
TRAILING: list[Window] = [window.trailing("60 us"), window.trailing(rows=7)]
CLOSED: list[Window] = [
    window.trailing("60 us", closed="left"),
    window.trailing("50 us", closed="both", ties="together"),
]
# One row may push any number of others out.
POLICY = window.policy(
    keep=lambda w: w.size <= 60,
    drop=lambda evicted, after, before: evicted.peak <= after.peak and before.size > 30,
    using={"size": agg.of(SIZE, "v0"), "peak": agg.max("v0")},
)
# For every day the two above are enough; a policy is a kernel of its own to compile.
MORE: list[Window] = [
    window.trailing("8 us"),
    window.trailing(rows=30),
    window.policy(keep=lambda w: w.n <= 20, using={"n": agg.count()}),
    window.policy(keep=lambda w: w.peak < 3, using={"peak": agg.max("v0")}),
]
SEVERAL: st.SearchStrategy[Window] = st.sampled_from([*TRAILING, *CLOSED, *MORE[:2]])
KEYS = st.sampled_from(["a", "a", "a", "b", None])
VALUES = st.none() | st.integers(-4, 4).map(float)


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[Drawn], list[int]]:
    """Rows in order of time, with long gaps here and there; and where they are cut."""
    rows: list[Drawn] = []
    now = draw(st.integers(-30, 30))
    for _ in range(draw(st.integers(0, 120))):
        now += draw(st.sampled_from([0, 0, 1, 1, 1, 2, 50]))
        rows.append((draw(KEYS), now, draw(VALUES), None, None))
    # Few rows at a time let windows grow large, many bring them back.
    pieces = draw(st.lists(st.sampled_from([1, 1, 1, 2, 5, 40]), min_size=1, max_size=30))
    return rows, list(accumulate(islice(cycle(pieces), len(rows))))


class Paged:
    """An engine with a store of pages; what it keeps goes through bytes after every call."""

    def __init__(self, made: Definition) -> None:
        self.made = made
        self.pages = MemoryPages()
        self.engine = PagedPerRow(made, page=2, large=4)
        self.state = pack_bundle({name: s.empty_table() for name, s in self.engine.kept.items()})
        self.seen_pages = 0

    def advance(self, rows: pa.Table, until: int | None) -> pa.Table:
        page_cache = PageCache(self.pages)
        step = self.engine.at(page_cache).advance(self.kept(), rows, until)
        page_cache.put_away()
        assert {name: t.schema for name, t in step.kept.items()} == self.engine.kept
        self.state = pack_bundle(step.kept)
        self.seen_pages = max(self.seen_pages, len(self.pages.pages))
        return pa.concat_tables(step.results)

    def kept(self) -> dict[str, pa.Table]:
        return open_bundle(self.state, self.engine.kept)

    def run(self, rows: Sequence[Drawn], cuts: Sequence[int]) -> pa.Table:
        found, start = [self.engine.schema.empty_table()], 0
        for end in between_times(cuts, rows, self.made):
            until = rows[end][1] if end < len(rows) else rows[-1][1] if rows else 0
            if self.made.order is Order.ARRIVAL:
                until = 0
            found.append(self.advance(table(rows[start:end], self.made.schema, start), until))
            start = end
        return pa.concat_tables(found)


@pytest.mark.parametrize(
    "kind",
    [*TRAILING, *CLOSED, *(pytest.param(kind, marks=pytest.mark.slow) for kind in (POLICY, *MORE))],
    ids=repr,
)
@given(stream=streams())
def test_large_windows_give_what_the_oracle_does(
    kind: Window, stream: tuple[list[Drawn], list[int]]
) -> None:
    rows, cuts = stream
    made = definition([("", kind)], AGGREGATES)
    assert by_engine(Paged(made).run(rows, cuts)) == by_oracle(rows, made)


@examples(50)
@given(stream=streams(), kinds=st.lists(SEVERAL, min_size=2, max_size=4))
def test_several_large_windows_share_their_pages(
    stream: tuple[list[Drawn], list[int]], kinds: list[Window]
) -> None:
    rows, cuts = stream
    made = definition(named(kinds), AGGREGATES)
    assert by_engine(Paged(made).run(rows, cuts)) == by_oracle(rows, made)


@pytest.mark.parametrize("rows", [3, 30])
def test_a_large_window_of_time_is_let_go_after_a_silence_and_one_of_rows_stays(rows: int) -> None:
    kinds: list[Window] = [window.trailing("60 us"), window.trailing(rows=rows)]
    made = definition(named(kinds), AGGREGATES)
    stream = Paged(made)
    given: list[Drawn] = [("a", k, float(k), None, None) for k in range(100)]
    for row in given:
        stream.advance(table([row], made.schema, row[1]), row[1])
    assert stream.engine.due(stream.kept()) == 99 + 60
    stream.advance(made.schema.empty_table(), 99 + 60)
    assert stream.engine.due(stream.kept()) is None
    kept = stream.kept()
    paged = [w["paged"] - w["evicted"] for w in kept["paged_windows"].to_pylist()]
    assert sum(paged) + kept["rows"].num_rows == rows - 1
    assert len(stream.pages.pages) <= rows
    given.append(("a", 200, 200.0, None, None))
    found = stream.advance(table(given[-1:], made.schema, 100), 200)
    assert by_engine(found)[0] in by_oracle(given, made)


@given(stream=streams())
def test_large_windows_of_small_objects_lie_in_pages_too(
    stream: tuple[list[Drawn], list[int]],
) -> None:
    rows, cuts = stream
    made = definition([("", window.trailing(rows=7))], OF_OBJECTS)
    assert by_engine(Paged(made).run(rows, cuts)) == by_oracle(rows, made)


@pytest.mark.parametrize(
    ("part", "in_pages"),
    [(agg.top_k(2, "v0"), True), (agg.median("v0"), False), (agg.distinct_sketch("v0"), False)],
    ids=repr,
)
def test_windows_whose_states_are_bulky_are_kept_as_rows(part: Any, in_pages: bool) -> None:
    made = definition([("", window.trailing(rows=30))], {"it": part})
    stream = Paged(made)
    for k in range(100):
        stream.advance(table([("a", k, float(k), None, None)], made.schema, k), None)
    assert (stream.kept()["paged_windows"].num_rows > 0) == in_pages


def test_a_window_that_is_turned_over_at_once_is_kept_as_rows() -> None:
    made = definition([("", window.trailing(rows=9))], AGGREGATES)
    rows: list[Drawn] = [("a", k, float(k), None, None) for k in range(200)]
    stream = Paged(made)

    def paged_windows(first: int, end: int) -> tuple[int, int]:
        """How many windows are in pages, and how many rows are not."""
        stream.advance(table(rows[first:end], made.schema, first), None)
        kept = stream.kept()
        alive = pc.less(kept["paged_windows"]["evicted"], kept["paged_windows"]["paged"])
        return sum(alive.to_pylist()), kept["rows"].num_rows

    assert paged_windows(0, 50) == (0, 8)
    assert paged_windows(50, 50) == (0, 8)
    assert paged_windows(50, 52) == (1, 0)
    assert paged_windows(52, 100) == (0, 8)
    for row in range(100, 200):
        assert paged_windows(row, row + 1)[0] == 1
    assert by_engine(Paged(made).run(rows, [50, 52, 100])) == by_oracle(rows, made)


@pytest.mark.slow  # for the policy to compile
def test_pages_of_an_emptied_window_are_due_until_all_are_swept() -> None:
    policy = window.policy(keep=lambda w: w.peak < 3, using={"peak": agg.max("v0")})
    made = definition([("", policy)], AGGREGATES)
    stream = Paged(made)
    rows: list[Drawn] = [("a", k, 0.0, None, None) for k in range(200)]
    for row in rows:
        stream.advance(table([row], made.schema, row[1]), row[1])
    assert len(stream.pages.pages) > 100
    assert stream.engine.due(stream.kept()) is None
    last: Drawn = ("a", 200, 3.0, None, None)  # nothing may stay with it
    stream.advance(table([last], made.schema, 200), 200)
    assert len(stream.pages.pages) > 50
    calls = 0
    while (due := stream.engine.due(stream.kept())) is not None:
        assert due <= 200
        stream.advance(made.schema.empty_table(), 201 + calls)
        calls += 1
    assert calls > 1
    assert not stream.pages.pages


def test_prefixes_that_nobody_asked_about_may_overflow() -> None:
    large = 1 << 62
    values = [-large, large, large, -large] * 8
    made = definition([("", window.trailing(rows=8))], {"sum": agg.sum("v0")})
    whole = pa.field("v0", pa.int64())
    schema = pa.schema([whole if field.name == "v0" else field for field in made.schema])
    made = replace(made, schema=schema, results=(pa.int64(),))
    rows: list[Drawn] = [("a", k, value, None, None) for k, value in enumerate(values)]
    stream = Paged(made)
    found = pa.concat_tables([stream.advance(table([row], schema, row[1]), row[1]) for row in rows])
    assert stream.seen_pages
    assert found["r:sum"].to_pylist()[7:] == [0] * (len(rows) - 7)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*TRAILING, CLOSED[0]], ids=repr)
@given(stream=streams(), data=st.data())
def test_rows_in_order_of_arrival_give_what_the_oracle_does(
    kind: Window, stream: tuple[list[Drawn], list[int]], data: st.DataObject
) -> None:
    rows, cuts = stream
    rows = data.draw(st.permutations(rows))
    made = definition([("", kind)], AGGREGATES, Order.ARRIVAL)
    assert by_engine(Paged(made).run(rows, cuts)) == by_oracle(rows, made)
