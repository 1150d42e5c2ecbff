"""A key split by time: every slot with its context gives what the whole does."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
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
from tests.examples import examples
from windrow.columnar.keyed import numbers
from windrow.engines.batch import run_through
from windrow.engines.engines import engine_for
from windrow.engines.splits import CONTEXT, Split, best_split, split_rows, whole_contexts
from windrow.errors import InputError
from windrow.windows import Order, Reach, Trailing


@pytest.mark.parametrize("kinds", TRAILING, ids=repr)
@examples(50)
@given(rows=ROWS, width=st.integers(1, 20), tasks=st.integers(1, 4))
def test_slots_with_their_context_give_what_all_rows_do(
    kinds: list[Trailing], rows: list[Drawn], width: int, tasks: int
) -> None:
    made = definition(named(kinds), ORDERED)
    # Of all rows, the hot ones are those of one key; the others keep their key group.
    hot = np.array([0 if row[0] == "a" else -1 for row in rows], np.int32)
    histogram = Counter(row[1] // width * width for row in rows if row[0] == "a")
    split = _always(histogram, Reach.of(kinds), tasks)
    given = table(rows, made.schema)
    every, key_groups = split_rows(given, np.zeros(len(rows), np.int64), hot, [split], 1)
    found = []
    for key_group in np.unique(key_groups):
        own = every.filter(pa.array(key_groups == key_group))
        low = int(numbers(own["t"]).min())
        found += list(run_through(engine_for(made), [(low, own)], Order.TIME))
    results = pa.concat_tables([engine_for(made).schema.empty_table(), *found])
    assert by_engine(results) == by_oracle(rows, made)


def _always(histogram: dict[int, int], reach: Reach, tasks: int) -> Split:
    """By time a cut between any two bins: more than any histogram would be worth."""
    edges = sorted(histogram)
    if not reach.rows:
        return Split(tuple(edges[1:]), tuple(edge - reach.time_us + 1 for edge in edges[1:]))
    return best_split(histogram, reach, tasks) if histogram else Split()


def test_a_window_as_long_as_all_rows_is_not_split() -> None:
    histogram = dict.fromkeys(range(0, 1000, 10), 10)
    assert best_split(histogram, Reach(time_us=1_000_000), 2).slots == 1
    assert best_split(histogram, Reach(rows=999), 2).slots == 1


def test_many_rows_are_shared_evenly() -> None:
    histogram = dict.fromkeys(range(0, 1000, 10), 10)
    split = best_split(histogram, Reach(time_us=20), 2)
    assert split.cuts[0] == 500 or split.slots == 4
    slots = Counter(split.slot_of(np.arange(0, 1000)).tolist())
    assert max(slots.values()) <= 1.1 * min(slots.values())


@given(
    seed=st.integers(0, 1 << 32), reach=st.integers(1, 3_000), one_in=st.sampled_from([2, 8, 64])
)
def test_contexts_chosen_by_a_sample_have_the_rows_that_windows_reach_back_to(
    seed: int, reach: int, one_in: int
) -> None:
    rng = np.random.default_rng(seed)
    times = np.sort((rng.pareto(1.0, 100_000) * 1_000).astype(np.int64))
    sample = times[rng.random(len(times)) < 1 / one_in]
    edges = np.unique(sample[:: max(len(sample) // 100, 1)])
    bins = np.searchsorted(edges, sample, "right") - 1
    histogram = {int(edges[b]): int(n) * one_in for b, n in Counter(bins.tolist()).items()}
    split = best_split(histogram, Reach(rows=reach), 4, one_in=one_in)
    for slot in split.bounded:
        assert np.count_nonzero(split.context(slot, times)) >= reach


def test_a_sample_of_many_rows_still_splits_them() -> None:
    histogram = dict.fromkeys(range(0, 512_000, 1_000), 20_000)
    split = best_split(histogram, Reach(rows=9_999), 2, one_in=64)
    assert len(split.bounded) == split.slots - 1 >= 1


def test_a_context_that_lacks_rows_is_an_error_and_not_a_wrong_result() -> None:
    pieces = [(0, pa.table({"n": [-CONTEXT, 1 - CONTEXT, 7]})), (9, pa.table({"n": [8]}))]
    assert list(whole_contexts(pieces, 2, 5)) == pieces
    for cut, before in ((5, pieces[:1]), (10, pieces)):  # as soon as it is certain
        passed = whole_contexts(pieces, 3, cut)
        assert [next(passed) for _ in before] == before
        with pytest.raises(InputError, match=r"a window of 4 rows finds only 2 rows .*cache\(\)"):
            next(passed)
