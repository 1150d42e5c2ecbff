"""Keys that fell silent are let go with everything that was kept of them, pages too."""

from collections import defaultdict
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.support import OTHERS, Drawn, definition, table
from tests.examples import examples
from windrow import agg, window
from windrow.columnar.keyed import key_columns
from windrow.engines.flow import Flow, Watermark
from windrow.engines.page_cache import MemoryPages, PageCache
from windrow.engines.paged_per_row import PagedPerRow
from windrow.windows import Emit, Order, Window

FORGET_US = 40
ROWS = 9
AGGREGATES = {"n": agg.count(), "sum": agg.sum("v0")}


class Stream:
    """A flow fed in order of time: the watermark follows the newest row."""

    def __init__(self, kind: Window, order: Order = Order.TIME, large: int = 4) -> None:
        self.made = definition([("", kind)], AGGREGATES, order)
        self.flow = Flow(self.made, Emit.ON_CLOSE, FORGET_US)
        if isinstance(self.flow.engine, PagedPerRow):
            self.flow.engine = PagedPerRow(self.made, page=2, large=large)
        self.pages = MemoryPages()
        self.kept = {name: s.empty_table() for name, s in self.flow.engine.kept.items()}

    def feed(self, rows: list[Drawn], watermark: int) -> list[dict[str, Any]]:
        page_cache = PageCache(self.pages)
        given = table(rows, self.made.schema)
        none = given.slice(0, 0)
        flow = self.flow.at(page_cache)
        if flow.waits:
            passed = flow.apply(self.kept, given, none, none, watermark)
        else:
            passed = flow.pass_through(self.kept, given, Watermark(watermark, watermark))
        page_cache.put_away()
        self.kept = passed.kept
        found: list[dict[str, Any]] = pa.concat_tables(passed.results).to_pylist()
        return sorted(found, key=lambda row: row["n"])

    @property
    def is_empty(self) -> bool:
        keyed = [t for name, t in self.kept.items() if key_columns(t.schema)]
        return not self.pages.pages and not any(t.num_rows for t in keyed)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("kind", [one for one in OTHERS if not one.ends_by_time], ids=repr)
def test_an_engine_of_windows_that_wait_says_when_it_last_heard_of_a_key(
    kind: Window, order: Order
) -> None:
    engine = Stream(kind, order).flow.engine
    assert engine.heard
    for name, column in engine.heard.items():
        assert column in engine.kept[name].names


@st.composite
def streams(draw: st.DrawFn) -> list[list[Drawn]]:
    now, batches = 0, []
    for _ in range(draw(st.integers(1, 8))):
        batch: list[Drawn] = []
        for _ in range(draw(st.integers(1, 15))):
            now += draw(st.sampled_from([0, 1, 1, 2, 30]))
            value = float(draw(st.integers(-4, 4)))
            batch.append((draw(st.sampled_from(["a", "a", "b"])), now, value, None, None))
        batches.append(batch)
    return batches


@examples(60)
@given(streams())
def test_a_key_that_comes_back_begins_anew(batches: list[list[Drawn]]) -> None:
    stream = Stream(window.trailing(rows=ROWS))
    heard: dict[str | None, list[Drawn]] = defaultdict(list)
    for batch in batches:
        wanted = []
        for row in batch:
            heard[row[0]].append(row)
            last = heard[row[0]][-ROWS:]
            wanted.append((row[0], row[1], len(last), sum(own[2] or 0 for own in last)))
        watermark = batch[-1][1]
        found = stream.feed(batch, watermark)
        assert sorted((r["k0"], r["t"], r["r:n"], r["r:sum"]) for r in found) == sorted(wanted)
        for key, rows in list(heard.items()):
            if rows[-1][1] + FORGET_US <= watermark:
                del heard[key]


@given(st.data())
def test_where_times_go_back_large_windows_are_forgotten_as_small_ones(data: st.DataObject) -> None:
    batches = data.draw(streams())
    over = window.trailing(rows=ROWS)
    large, small = (Stream(over, Order.ARRIVAL, limit) for limit in (4, 1 << 30))
    watermark = 0
    for batch in batches:
        rows = data.draw(st.permutations(batch))
        watermark = max(watermark, data.draw(st.integers(0, batch[-1][1])))
        assert large.feed(rows, watermark) == small.feed(rows, watermark)


@pytest.mark.parametrize(
    "kind",
    [
        window.trailing(rows=ROWS),
        window.count(50),
        window.punctuated(end="m_end"),
    ],
    ids=repr,
)
def test_nothing_is_left_of_keys_that_stay_silent(kind: Window) -> None:
    stream = Stream(kind)
    rows: list[Drawn] = [("a" if k % 3 else "b", k, 1.0, False, False) for k in range(30)]
    stream.feed(rows, 29)
    assert not stream.is_empty
    assert stream.flow.due(stream.kept) == 27 + FORGET_US  # when b was last heard of
    stream.feed([], 27 + FORGET_US)
    assert not stream.is_empty
    stream.feed([], 29 + FORGET_US)
    assert stream.is_empty
