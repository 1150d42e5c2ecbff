"""Streams against the recomputing oracle: any arrival order, any micro-batches, any lateness."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
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
    by_engine,
    by_oracle,
    definition,
    named,
    per_row,
    table,
    ties_together,
)
from tests.examples import examples
from windrow import window
from windrow.columnar.keyed import numbers
from windrow.columnar.packs import open_bundle, pack_bundle
from windrow.engines.definition import Definition
from windrow.engines.engine import NO_WATERMARK
from windrow.engines.flow import Flow, Watermark, ripe_of
from windrow.windows import Aligned, Count, Emit, Order, Punctuated, Window

END_OF_TIME = 10_000
WAITING = "waiting"


@dataclass
class Stream:
    """A flow fed by hand; its state goes through bytes after every micro-batch."""

    made: Definition
    emit: Emit = Emit.ON_CLOSE

    def __post_init__(self) -> None:
        self.flow = Flow(self.made, self.emit)
        self.schemas = dict(self.flow.engine.kept)
        if self.flow.waits:
            self.schemas[WAITING] = self.made.schema
        self.state = pack_bundle({name: s.empty_table() for name, s in self.schemas.items()})
        self.before = self.watermark = NO_WATERMARK
        self.late = 0

    def feed(self, rows: Sequence[Drawn]) -> pa.Table:
        given = table(rows, self.made.schema)
        if self.flow.engine.folds_early:
            given = self.flow.engine.fold(given)
        kept = open_bundle(self.state, self.schemas)
        before, self.before = self.before, self.watermark
        if not self.flow.waits:
            passed = self.flow.pass_through(kept, given, Watermark(before, self.watermark))
            self.state = pack_bundle(passed.kept)
            self.late += passed.late
            return pa.concat_tables(passed.results)
        fresh, late = self.flow.in_time(given, before)
        ripe, waiting = ripe_of(kept.pop(WAITING), self.watermark)
        if not self.flow.previews:
            at_once, fresh = ripe_of(fresh, self.watermark)
            ripe = pa.concat_tables([ripe, at_once])
        passed = self.flow.apply(kept, ripe, waiting, fresh, self.watermark)
        still = pa.concat_tables([waiting, fresh])
        self.state = pack_bundle({**passed.kept, WAITING: still})
        self.late += late
        return pa.concat_tables(passed.results)

    def due(self) -> int | None:
        kept = open_bundle(self.state, self.schemas)
        waiting = (numbers(kept.pop(WAITING)["t"]) + 1).tolist() if self.flow.waits else []
        dues = [self.flow.due(kept), *waiting]
        return min((due for due in dues if due is not None), default=None)

    def move(self, watermark: int) -> pa.Table:
        self.reach(watermark)
        return self.feed([])

    def reach(self, watermark: int) -> None:
        """Move the watermark for the next micro-batch, which brings rows."""
        self.watermark = max(self.watermark, watermark)


def _micro_batches(rows: list[Drawn], cuts: Sequence[int]) -> Iterator[list[Drawn]]:
    bounds = sorted({0, *(cut for cut in cuts if cut < len(rows)), len(rows)})
    return (rows[a:b] for a, b in itertools.pairwise(bounds))


def _run(
    stream: Stream,
    rows: list[Drawn],
    cuts: Sequence[int],
    lateness: int,
    *,
    without_pause: bool = False,
) -> tuple[pa.Table, list[Drawn]]:
    """All results, and the rows that were in time.

    Spark runs a micro-batch without rows when the watermark has moved, unless more rows are there.
    """
    found, in_time, newest = [stream.flow.engine.schema.empty_table()], [], None
    for batch in _micro_batches(rows, cuts):
        late = stream.flow.is_late(np.array([row[1] for row in batch], np.int64), stream.before)
        in_time += [row for row, is_late in zip(batch, late, strict=True) if not is_late]
        found.append(stream.feed(batch))
        newest = (
            max(row[1] for row in batch) if newest is None else max(newest, *(r[1] for r in batch))
        )
        if without_pause:
            stream.reach(newest - lateness)
        else:
            found.append(stream.move(newest - lateness))
    found.append(stream.move(END_OF_TIME))
    return pa.concat_tables(found), in_time


CUTS = st.lists(st.integers(0, 25), max_size=5)


@pytest.mark.parametrize("kind", [*ALIGNED, *OTHERS], ids=repr)
@examples(25)
@given(rows=ROWS, cuts=CUTS, lateness=st.sampled_from([0, 5, 40, 200]), without_pause=st.booleans())
def test_a_stream_gives_what_a_batch_of_its_rows_in_time_does(
    kind: Window, rows: list[Drawn], cuts: list[int], lateness: int, without_pause: bool
) -> None:
    made = definition([("", kind)], ORDERED)
    stream = Stream(made)
    found, in_time = _run(stream, rows, cuts, lateness, without_pause=without_pause)
    assert by_engine(found) == by_oracle(in_time, made)
    assert stream.late == len(rows) - len(in_time)
    assert lateness < 200 or stream.late == 0


@pytest.mark.parametrize("kinds", SETS, ids=repr)
@examples(25)
@given(rows=ROWS, cuts=CUTS, lateness=st.sampled_from([0, 5, 40]), emit=st.sampled_from(Emit))
def test_a_stream_of_several_windows_gives_what_a_batch_does(
    kinds: list[Window], rows: list[Drawn], cuts: list[int], lateness: int, emit: Emit
) -> None:
    made = definition(named(kinds), ORDERED)
    stream = Stream(made, emit)
    found, in_time = _run(stream, rows, cuts, lateness)
    wanted = by_oracle(in_time, made, emit)
    if emit is Emit.ON_CLOSE:
        assert by_engine(found) == wanted
    else:
        assert set(map(repr, wanted)) <= set(map(repr, by_engine(found)))
    assert stream.late == len(rows) - len(in_time)


@pytest.mark.parametrize("kinds", [s for s in SETS if not ties_together(*s)], ids=repr)
@examples(25)
@given(rows=ROWS, cuts=CUTS)
def test_several_windows_take_rows_as_they_arrive(
    kinds: list[Window], rows: list[Drawn], cuts: list[int]
) -> None:
    made = definition(named(kinds), ORDERED, Order.ARRIVAL)
    found, _ = _run(Stream(made), rows, cuts, 200)
    assert by_engine(found) == by_oracle(rows, made)


@examples(25)
@given(rows=ROWS)
def test_state_of_silent_keys_is_let_go_when_it_is_due_and_never_before(rows: list[Drawn]) -> None:
    """Windows of rows keep as many rows as they hold, windows of time none."""
    stream = Stream(definition(named(SETS[0]), ORDERED))
    stream.feed(rows)
    stream.move(END_OF_TIME)
    assert stream.due() is None
    kept = open_bundle(stream.state, stream.schemas)["rows"]
    counts = Counter(row[0] for row in rows)
    assert kept.num_rows == sum(min(count, 2) for count in counts.values())


def _starts_windows(kind: Window) -> bool:
    return isinstance(kind, Punctuated) and kind.start is not None


@pytest.mark.parametrize(
    "kind", [kind for kind in (*ALIGNED, *OTHERS) if not _starts_windows(kind)], ids=repr
)
@examples(25)
@given(rows=ROWS, cuts=CUTS, lateness=st.sampled_from([0, 5, 40]), without_pause=st.booleans())
def test_an_answer_is_told_in_the_micro_batch_that_reaches_its_time(
    kind: Window, rows: list[Drawn], cuts: list[int], lateness: int, without_pause: bool
) -> None:
    """So no operator behind takes it for late, and none has to wait for it."""

    class Watched(Stream):
        def feed(self, rows: Sequence[Drawn]) -> pa.Table:
            since = self.before
            found = super().feed(rows)
            last = 1 if isinstance(kind, Aligned) else 0  # of a window [start, end)
            times = numbers(found["t"] if per_row(kind) else found["end"]) - last
            assert ((since <= times) & (times < self.watermark)).all()
            return found

    for aggregates in (COMMUTATIVE, ORDERED):
        stream = Watched(definition([("", kind)], aggregates))
        _run(stream, rows, cuts, lateness, without_pause=without_pause)


@examples(25)
@given(rows=ROWS, cuts=CUTS)
def test_folded_slices_give_what_a_batch_does(rows: list[Drawn], cuts: list[int]) -> None:
    made = definition([(f"w{k}", kind) for k, kind in enumerate(ALIGNED)], COMMUTATIVE)
    found, _ = _run(Stream(made), rows, cuts, 200)
    assert by_engine(found) == by_oracle(rows, made)


@pytest.mark.parametrize("kind", [*ALIGNED, *OTHERS], ids=repr)
@examples(25)
@given(rows=ROWS, cuts=CUTS)
def test_the_last_change_of_each_window_is_its_final_result(
    kind: Window, rows: list[Drawn], cuts: list[int]
) -> None:
    for aggregates in (COMMUTATIVE, ORDERED):
        made = definition([("", kind)], aggregates)
        found, _ = _run(Stream(made, Emit.ON_CHANGE), rows, cuts, 200)
        wanted = by_oracle(rows, made, Emit.ON_CHANGE)
        if isinstance(kind, Aligned | Count):
            last = {tuple(row[name] for name in _identity(kind)): row for row in found.to_pylist()}
            assert by_engine(pa.Table.from_pylist([*last.values()], found.schema)) == wanted
        else:
            # What tells these windows apart may change with them; all that were told has them.
            told = {repr(answer) for answer in by_engine(found)}
            assert {repr(answer) for answer in wanted} <= told


def _identity(kind: Window) -> tuple[str, ...]:
    return ("k0", "first") if isinstance(kind, Count) else ("k0", "start", "end")


@examples(40)
@given(rows=ROWS, cuts=CUTS, order=st.sampled_from(Order), emit=st.sampled_from(Emit))
def test_no_two_punctuated_windows_have_one_identity(
    rows: list[Drawn], cuts: list[int], order: Order, emit: Emit
) -> None:
    in_order = sorted(rows, key=lambda row: row[1])
    for kind in (k for k in OTHERS if isinstance(k, Punctuated)):
        made = definition([("", kind)], ORDERED, order)
        found, _ = _run(Stream(made, emit), in_order, cuts, 200)
        wanted = by_oracle(in_order, made, emit)
        last = {
            tuple(row[name] for name in ("k0", "start", "nth")): row for row in found.to_pylist()
        }
        assert by_engine(pa.Table.from_pylist([*last.values()], found.schema)) == wanted


@pytest.mark.parametrize(
    "kind", [k for k in OTHERS if per_row(k) and not ties_together(k)], ids=repr
)
@examples(25)
@given(rows=ROWS, cuts=CUTS)
def test_rows_applied_as_they_arrive_have_their_result_at_once(
    kind: Window, rows: list[Drawn], cuts: list[int]
) -> None:
    made = definition([("", kind)], ORDERED, Order.ARRIVAL)
    stream = Stream(made)
    counts = [(stream.feed(batch).num_rows, len(batch)) for batch in _micro_batches(rows, cuts)]
    assert all(answers == rows for answers, rows in counts)
    assert stream.late == 0


@examples(25)
@given(rows=ROWS)
def test_a_stream_asks_to_be_called_when_something_is_due(rows: list[Drawn]) -> None:
    for kind in (ALIGNED[2], OTHERS[1]):
        stream = Stream(definition([("", kind)], COMMUTATIVE))
        stream.feed(rows)
        told = 0
        while (due := stream.due()) is not None:
            assert not stream.move(due - 1).num_rows
            told += stream.move(due).num_rows
        assert told == len(by_oracle(rows, stream.made))


def test_a_row_between_two_windows_is_not_late() -> None:
    gaps = definition([("", window.hopping("1 us", every="10 us"))], COMMUTATIVE)
    flow = Flow(gaps, Emit.ON_CLOSE)
    times = np.array([0, 5, 20])
    assert flow.is_late(times, 4).tolist() == [True, False, False]
