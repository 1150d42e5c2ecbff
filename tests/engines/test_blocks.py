"""A key cut into blocks of time: every block gives what the whole does, of what it is sent."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.engines.support import (
    ORDERED,
    ROWS,
    TRAILING,
    Drawn,
    by_engine,
    by_oracle,
    definition,
    named,
    table,
)
from windrow import agg, window
from windrow.engines.block_input import Part
from windrow.engines.block_windows import BlockWindows
from windrow.engines.blocks import Blocks, Sent, best_blocks, even_blocks
from windrow.engines.definition import Definition
from windrow.errors import InputError
from windrow.parallel.trailing import trailing_counts
from windrow.windows import Window

COUNTED: list[list[Window]] = [
    [window.count(1)],
    [window.count(3)],
    [window.count(4, every=2)],
    [window.count(2, every=5)],
    [window.count(9, every=1)],
    [window.count(3), window.count(7, every=2)],
]
IN_ANY_ORDER = {"n": agg.count(), "sum": agg.sum("v0"), "peak": agg.max("v0")}


def run(
    rows: Sequence[Drawn],
    made: Definition,
    blocks: Blocks,
    *,
    folds: bool,
    readers: int = 1,
) -> tuple[list[pa.Table], list[dict[Part, pa.Table]]]:
    """The results of all blocks, whose rows several tasks have read; and what each was sent."""
    windows = BlockWindows(made, folds=folds)
    given = table(rows, made.schema)
    sent: list[dict[Part, list[pa.Table]]] = [
        {part: [] for part in Part} for _ in range(blocks.slots)
    ]
    for reader in range(readers):
        read = given.take(pa.array(np.arange(reader, len(rows), readers)))
        for sending in windows.input.dealt(read, blocks):
            for block in np.unique(sending.blocks).tolist():
                mine = sending.table.filter(pa.array(sending.blocks == block))
                sent[block][sending.part].append(mine)
    whole = [
        {
            part: pa.concat_tables([windows.input.schemas[part].empty_table(), *tables])
            for part, tables in parts.items()
        }
        for parts in sent
    ]
    found = []
    for number, parts in enumerate(whole):
        pieces = [(0, parts[Part.OWN])] if parts[Part.OWN].num_rows else []
        last = number == blocks.slots - 1
        end = blocks.end if last and blocks.folds else None
        found += list(windows.run(parts[Part.STATES], parts[Part.BEFORE], pieces, end))
    return [windows.schema.empty_table(), *found], whole


def histogram_of(rows: Sequence[Drawn], width: int) -> dict[int, int]:
    return dict(Counter(row[1] // width * width for row in rows))


def end_of(rows: Sequence[Drawn]) -> int | None:
    return max((row[1] + 1 for row in rows), default=None)


WIDTHS, NUMBERS, READERS = st.integers(1, 20), st.integers(1, 8), st.integers(1, 3)


# All windows of a block begin at one time, over which the state for a wider window reaches.
AT_ONE_TIME: list[Drawn] = [("a", time, None, None, None) for time in (0, 0, 0, 1, -1)]


@pytest.mark.parametrize("kinds", TRAILING, ids=repr)
@example(rows=AT_ONE_TIME, width=1, number=2, readers=1)
@given(rows=ROWS, width=WIDTHS, number=NUMBERS, readers=READERS)
def test_blocks_with_states_of_others_give_what_all_rows_do(
    kinds: list[Window], rows: list[Drawn], width: int, number: int, readers: int
) -> None:
    if any(kind.span_rows is not None for kind in kinds):  # positions are those of one key
        rows = [row for row in rows if row[0] == "a"]
    for aggregates, read_by in ((IN_ANY_ORDER, readers), (ORDERED, 1)):
        made = definition(named(kinds), aggregates)
        histogram = histogram_of(rows, width)
        blocks = even_blocks(histogram, kinds, number, end=end_of(rows), folds=True)
        ordered = rows if aggregates is IN_ANY_ORDER else sorted(rows, key=lambda row: row[1])
        found, _ = run(ordered, made, blocks, folds=True, readers=read_by)
        assert by_engine(pa.concat_tables(found)) == by_oracle(ordered, made)


@pytest.mark.parametrize("kinds", COUNTED, ids=repr)
@given(rows=ROWS, width=WIDTHS, number=NUMBERS, readers=READERS)
def test_count_windows_go_on_from_the_number_of_earlier_rows(
    kinds: list[Window], rows: list[Drawn], width: int, number: int, readers: int
) -> None:
    rows = [row for row in rows if row[0] is None]
    made = definition(named(kinds), ORDERED)
    blocks = even_blocks(histogram_of(rows, width), kinds, number)
    found, _ = run(rows, made, blocks, folds=False, readers=readers)
    assert by_engine(pa.concat_tables(found)) == by_oracle(rows, made)


@given(
    seed=st.integers(0, 1 << 32),
    size=st.integers(1, 5_000),
    one_in=st.sampled_from([1, 2, 8, 64]),
    folds=st.booleans(),
)
def test_blocks_chosen_by_a_sample_are_sent_the_rows_that_windows_begin_with(
    seed: int, size: int, one_in: int, *, folds: bool
) -> None:
    rng = np.random.default_rng(seed)
    times = np.sort((rng.pareto(1.0, 50_000) * 1_000).astype(np.int64))
    sample = times[rng.random(len(times)) < 1 / one_in]
    edges = np.unique(sample[:: max(len(sample) // 300, 1)])
    bins = np.searchsorted(edges, sample, "right") - 1
    histogram = {int(edges[b]): int(n) * one_in for b, n in Counter(bins.tolist()).items()}
    kind = window.trailing(rows=size) if folds else window.count(size)
    blocks = even_blocks(histogram, [kind], 4, one_in=one_in, folds=folds)
    for block, (cut, before) in enumerate(zip(blocks.cuts, blocks.before[1:], strict=True), 1):
        first = int(np.searchsorted(times, cut))
        end = len(times)
        if block < blocks.slots - 1:
            end = int(np.searchsorted(times, blocks.cuts[block]))
        begins = np.maximum(np.arange(first, end) + 1 - size, 0)
        for place in np.unique(begins[begins < first]).tolist():
            (stretch,) = [s for s in before if s.begin <= times[place] < s.end]
            begins_with_it = place == int(np.searchsorted(times, stretch.begin))
            assert stretch.sent is Sent.ROWS or (stretch.sent is Sent.STATES and begins_with_it)


# Rows one microsecond apart, and windows over half of all of them.
PACE = 200


@pytest.mark.parametrize("units", [2, 3, 4, 7, 16, 64])
@pytest.mark.parametrize("share", [0.5, 0.51, 0.9], ids=str)
@pytest.mark.parametrize("kind", ["time", "rows"])
def test_the_busiest_unit_is_sent_no_more_than_the_formula_says(
    units: int, share: float, kind: str
) -> None:
    rows = PACE * units
    reach = round(rows * share)
    told = trailing_counts(rows, reach, units).busiest
    over = window.trailing(rows=reach + 1) if kind == "rows" else window.trailing(f"{reach + 1} us")
    blocks = even_blocks(dict.fromkeys(range(rows), 1), [over], units, end=rows, folds=True)
    made = definition([("", over)], {"sum": agg.sum("v0")})
    given = [("a", time, float(time % 7), None, None) for time in range(rows)]
    found, sent = run(given, made, blocks, folds=True)
    lifted = [parts[Part.OWN].num_rows + parts[Part.BEFORE].num_rows for parts in sent]
    assert max(lifted) <= told.lifts
    # One state, and the number of rows before, where the formula has a state for each block.
    states = [parts[Part.STATES].num_rows for parts in sent]
    assert max(states) <= 2
    assert max(map(sum, zip(lifted, states, strict=True))) <= 3.3 * rows / units
    sums = np.concatenate([[0], np.cumsum(np.arange(rows) % 7)])
    firsts = np.maximum(np.arange(rows) - reach, 0)
    wanted = sums[1:] - sums[firsts]
    assert pa.concat_tables(found).sort_by("t")["r:sum"].to_pylist() == wanted.tolist()


def test_count_windows_are_sent_a_window_of_rows_and_the_number_of_others() -> None:
    rows, units, size = 6_400, 64, 25
    over = window.count(size, every=5)
    blocks = even_blocks(dict.fromkeys(range(rows), 1), [over], units)
    made = definition([("", over)], {"last": agg.last("v0")})
    given = [("a", time, float(time), None, None) for time in range(rows)]
    found, sent = run(given, made, blocks, folds=False)
    assert max(parts[Part.OWN].num_rows for parts in sent) == rows / units
    assert max(parts[Part.BEFORE].num_rows for parts in sent) == size - 1
    assert pa.concat_tables(found)["last"].to_pylist() == list(range(size - 1, rows, 5))


def test_windows_as_long_as_all_rows_are_cut_only_where_states_stand_for_rows() -> None:
    histogram = dict.fromkeys(range(0, 1000, 10), 10)
    assert best_blocks(histogram, [window.count(600)], 2).slots == 1
    assert best_blocks(histogram, [window.trailing(rows=600)], 2, folds=True).folds


@pytest.mark.parametrize("over", [window.count(9), window.trailing(rows=40)], ids=repr)
def test_fewer_rows_than_a_sample_promised_are_an_error_and_not_a_wrong_result(
    over: Window,
) -> None:
    rows: list[Drawn] = [("a", time, 1.0, None, None) for time in range(100)]
    folds = over.per_row
    blocks = even_blocks(dict.fromkeys(range(100), 1), [over], 4, folds=folds)
    made = definition([("", over)], {"sum": agg.sum("v0")})
    gone = [row for row in rows if row[1] % 10 > 1 or row[1] < 10]
    with pytest.raises(InputError, match=r"not the same each time it is read; cache\(\)"):
        run(gone, made, blocks, folds=folds)


def test_rows_later_than_any_that_was_promised_are_an_error() -> None:
    over = window.trailing("50 us")
    blocks = even_blocks(dict.fromkeys(range(100), 1), [over], 4, end=100, folds=True)
    made = definition([("", over)], {"sum": agg.sum("v0")})
    rows: list[Drawn] = [("a", time, 1.0, None, None) for time in range(101)]
    with pytest.raises(InputError, match="later times"):
        run(rows, made, blocks, folds=True)
