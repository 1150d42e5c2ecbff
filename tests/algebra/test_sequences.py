"""Whatever keeps the order: ends, lists, texts and runs, and the rope beneath them."""

import copy
import math
import pickle
import random
from datetime import datetime, timedelta
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.drawn import column, few, floats, numbers, rank, same, there
from windrow import agg
from windrow.algebra.rope import Rope
from windrow.errors import AggregateError, InputError
from windrow.testing import fold


@given(numbers | column(st.text()))
def test_first_and_last_are_the_ends_of_what_is_not_null(values: list[Any]) -> None:
    first, *_, last = there(values) * 2 or (None, None)
    assert same(fold(agg.first(), values), first)
    assert same(fold(agg.last(), values), last)


@given(numbers | column(st.text()))
def test_collect_lists_what_is_not_null(values: list[Any]) -> None:
    result = fold(agg.collect(), values)
    assert isinstance(result, list)
    assert same(result, there(values))


@given(column(st.text()), st.text(max_size=2))
def test_concat_joins_text_and_is_null_of_nothing(values: list[Any], separator: str) -> None:
    expected = separator.join(there(values)) if there(values) else None
    assert fold(agg.concat(separator=separator), values) == expected


def test_concat_takes_text_only() -> None:
    with pytest.raises(InputError, match="concat joins text, got 1; use collect"):
        fold(agg.concat(), [1])
    with pytest.raises(AggregateError, match="separator=1 is not text"):
        agg.concat(separator=1)  # type: ignore[arg-type]


def longest_run(rows: list[tuple[Any, Any]]) -> Any:
    """The runs written out one by one; the first of the longest."""
    runs: list[list[tuple[Any, Any]]] = []
    for value, time in rows:
        if runs and rank(value) > rank(runs[-1][-1][0]):
            runs[-1].append((value, time))
        else:
            runs.append([(value, time)])
    if not runs:
        return None
    run = max(runs, key=len)
    return (run[0][1], run[-1][1], run[-1][1] - run[0][1], len(run))


@given(st.lists(st.none() | few | floats | st.integers(0, 3), max_size=40), st.randoms())
def test_the_longest_run_is_found_however_the_window_is_cut(
    values: list[Any], chance: random.Random
) -> None:
    rows = list(zip(values, range(100, 1000, 7), strict=False))
    expected = longest_run([row for row in rows if row[0] is not None])
    monoid = agg.longest_increasing_run().monoid
    states = [monoid.lift_row(*row) for row in rows] or [monoid.identity]
    while len(states) > 1:
        cut = chance.randrange(len(states) - 1)
        states[cut : cut + 2] = [monoid.combine(states[cut], states[cut + 1])]
    assert monoid.lower(states[0]) == expected


def test_runs_of_readings_at_one_time_are_told_apart() -> None:
    run = fold(agg.longest_increasing_run(), [(5, 0), (5, 0), (6, 0), (7, 1), (1, 1)])
    assert run == agg.IncreasingRun(start=0, end=1, span=1, length=3)


def test_nan_ends_a_run_and_does_not_exceed_itself() -> None:
    run = fold(agg.longest_increasing_run(), [(1.0, 0), (math.nan, 1), (math.nan, 2), (9.0, 3)])
    assert (run.start, run.end, run.length) == (0, 1, 2)


def test_a_run_reads_the_event_time_of_rows() -> None:
    noon = datetime(2024, 1, 1, 12)
    minute = timedelta(minutes=1)
    rows = [{"temp": temp, "time": noon + i * minute} for i, temp in enumerate([3, 1, 2, None, 4])]
    run = fold(agg.longest_increasing_run("temp"), rows)
    assert run == agg.IncreasingRun(noon + minute, noon + 4 * minute, 3 * minute, 3)


@given(st.lists(st.lists(st.integers(), max_size=20), max_size=12), st.randoms())
def test_a_rope_is_the_list_of_its_parts(parts: list[list[int]], chance: random.Random) -> None:
    flat = [item for part in parts for item in part]
    ropes = [Rope(part) for part in parts] or [Rope()]
    while len(ropes) > 1:
        cut = chance.randrange(len(ropes) - 1)
        ropes[cut : cut + 2] = [ropes[cut] + ropes[cut + 1]]
    (rope,) = ropes
    assert list(rope) == flat
    assert len(rope) == len(flat)
    assert bool(rope) is bool(flat)
    assert rope == Rope(flat)
    assert hash(rope) == hash(Rope(flat))
    assert rope != Rope([*flat, 1])
    assert repr(rope) == f"Rope({flat})"
    assert pickle.loads(pickle.dumps(rope)) == copy.deepcopy(rope) == rope


def test_a_rope_is_no_list() -> None:
    assert Rope([1]) != [1]


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_rope_may_be_as_deep_as_it_is_long(newest_first: bool) -> None:
    ones = [Rope((number,)) for number in range(100_000)]
    if newest_first:
        deep = reduce(lambda newer, older: older + newer, reversed(ones))
    else:
        deep = reduce(lambda older, newer: older + newer, ones)
    assert list(deep) == list(range(100_000))
    assert deep == pickle.loads(pickle.dumps(deep)) == copy.deepcopy(deep)


def test_joining_ropes_changes_neither() -> None:
    older, newer = Rope(range(30)), Rope(range(3))
    assert len(older + newer) == 33
    assert (len(older), len(newer)) == (30, 3)
