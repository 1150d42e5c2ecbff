"""Which ends are in a trailing window, and what tied rows see of each other: all eight kinds."""

from datetime import timedelta
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rolling.support import (
    NUMBERS,
    Table,
    lists,
    long_table,
    require_folds,
    taking,
    window_at,
)
from windrow import agg, roll, window
from windrow.algebra.monoid import Kind
from windrow.windows import Closed, Order, Ties, TrailingTime

pytestmark = pytest.mark.xdist_group("kernels of numbers")

KINDS = list(product(Closed, Ties))
EVERY = {n: part for n, part in taking(*NUMBERS).items() if part.monoid.kind is not Kind.SKETCH}
# Kernels that know nothing of nulls, counts of values, and structures: the three ways there are.
TELLING: dict[str, Any] = {
    "sum": agg.sum("v"),
    "n": agg.count(),
    "first": agg.first("v"),
    "middle": agg.median("v"),
    "kinds": agg.distinct("v"),
    "all": agg.collect("v"),
}


@st.composite
def tables(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> tuple[Table, list[Any]]:
    """Rows in order of time, many of one time or exactly some microseconds apart; and keys."""
    step = st.sampled_from([0, 0, 0, 1, 2, 4, 5, 100])
    rows = draw(st.lists(st.tuples(values, values, st.sampled_from("aab"), step), max_size=30))
    start = draw(st.sampled_from([0, -7, -(10**6)]))
    times = (start + np.cumsum([s for *_, s in rows]).astype(int)).tolist()
    return {"v": [v for v, *_ in rows], "w": [w for _, w, *_ in rows], "time": times}, [
        key for *_, key, _ in rows
    ]


def check(
    table: Table,
    keys: list[Any] | None,
    trailing: TrailingTime,
    aggregates: dict[str, Any],
    rows: list[int] | None = None,
    order: Order = Order.ARRIVAL,
) -> None:
    columns = pa.table({name: pa.array(table[name], pa.float64()) for name in ("v", "w")})
    times = np.array(table["time"], np.int64)
    found = lists(roll(columns, aggregates, trailing, times=times, by=keys, order=order))
    asked = range(len(times)) if rows is None else rows
    windows = {row: window_at(row, trailing, table["time"], keys, order) for row in asked}
    require_folds(found, aggregates, table, windows)


quarters = st.integers(-40, 40).map(lambda n: n / 4)


@given(drawn=tables(quarters), kind=st.sampled_from(KINDS), duration=st.sampled_from([1, 4, 5, 9]))
def test_windows_with_any_ends_and_ties_fold_their_rows(
    drawn: tuple[Table, list[Any]], kind: tuple[Closed, Ties], duration: int
) -> None:
    table, keys = drawn
    for by in (None, keys):
        check(table, by, TrailingTime(duration, *kind), TELLING)


@pytest.mark.usefixtures("interpreted_then_compiled")
@given(drawn=tables(quarters | st.none()), kind=st.sampled_from(KINDS))
def test_every_aggregate_folds_what_is_left_of_its_rows(
    drawn: tuple[Table, list[Any]], kind: tuple[Closed, Ties]
) -> None:
    table, keys = drawn
    check(
        {**table, "v": [None, *table["v"][1:]]} if keys else table,
        keys,
        TrailingTime(5, *kind),
        EVERY,
    )


@given(
    drawn=tables(quarters), kind=st.sampled_from(KINDS), shuffled=st.randoms(use_true_random=False)
)
def test_rows_out_of_order_are_sorted_first(
    drawn: tuple[Table, list[Any]], kind: tuple[Closed, Ties], shuffled: Any
) -> None:
    table, keys = drawn
    shuffled.shuffle(table["time"])
    check(table, keys, TrailingTime(5, *kind), TELLING, order=Order.TIME)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_long_columns_fold_their_windows(kind: tuple[Closed, Ties]) -> None:
    table = long_table(3000)
    whole = {**table, "v": [float(n) for n in range(3000)]}
    rows = [0, 1, 511, 512, 513, 1023, 1024, 1025, 2047, 2998, 2999]
    for duration in (1, 50, 700, 100_000):
        check(whole, None, TrailingTime(duration, *kind), TELLING, rows)


def test_the_oracle_tells_all_kinds_apart() -> None:
    times = [0, 4, 4, 4]
    windows = {kind: window_at(2, TrailingTime(4, *kind), times) for kind in KINDS}
    assert windows == {
        (Closed.RIGHT, Ties.ARRIVAL): [1, 2],
        (Closed.RIGHT, Ties.TOGETHER): [1, 2, 3],
        (Closed.LEFT, Ties.ARRIVAL): [0],
        (Closed.LEFT, Ties.TOGETHER): [0],
        (Closed.BOTH, Ties.ARRIVAL): [0, 1, 2],
        (Closed.BOTH, Ties.TOGETHER): [0, 1, 2, 3],
        (Closed.NEITHER, Ties.ARRIVAL): [],
        (Closed.NEITHER, Ties.TOGETHER): [],
    }


@pytest.mark.parametrize("closed", ["right", "left", "both", "neither"])
def test_polars_agrees_where_ties_are_together(closed: Any) -> None:
    random = np.random.default_rng(5)
    times = np.sort(random.integers(-60, 60, 400))
    keys, values = random.integers(0, 3, 400), random.integers(0, 9, 400).astype(float)
    frame = pl.DataFrame({"row": np.arange(400), "k": keys, "t": times, "v": values})
    frame = frame.with_columns(pl.col("t").cast(pl.Datetime("us")))
    in_polars: Any = {"neither": "none"}.get(closed, closed)
    rolling = frame.rolling(
        "t", period=timedelta(microseconds=10), closed=in_polars, group_by="k"
    ).agg(
        n=pl.len(),
        low=pl.col("v").min(),
        middle=pl.col("v").median(),
        all=pl.col("v").sort_by("row"),
    )
    # Polars gives results key by key, and within a key in the order of its rows.
    theirs = rolling.with_columns(row=frame.sort("k", maintain_order=True)["row"]).sort("row")
    several: dict[str, Any] = {
        "n": agg.count(),
        "low": agg.min("v"),
        "middle": agg.median("v"),
        "all": agg.collect("v"),
    }
    over = window.trailing("10 us", closed=closed, ties="together")
    ours = roll(pa.table({"v": values}), several, over, times=times, by=keys)
    for name in several:
        assert ours[name].to_pylist() == theirs[name].to_list(), name


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_row_alone_is_in_its_window_if_its_time_is(kind: tuple[Closed, Ties]) -> None:
    found = roll(pa.table({"v": [3.0]}), TELLING, TrailingTime(1, *kind), times=[0]).to_pylist()
    alone = {"sum": 3.0, "n": 1, "first": 3.0, "middle": 3.0, "kinds": 1, "all": [3.0]}
    nothing: dict[str, Any] = {
        "sum": None,
        "n": 0,
        "first": None,
        "middle": None,
        "kinds": 0,
        "all": [],
    }
    assert found == [alone if kind[0] in (Closed.RIGHT, Closed.BOTH) else nothing]


def test_windows_reach_from_one_end_of_time_to_the_other() -> None:
    ends = [-(1 << 63), -(1 << 62), -1, (1 << 63) - 1, (1 << 63) - 1]
    longest = (1 << 63) - 2
    counts = {
        Closed.RIGHT: [1, 2, 2, 1, 2],
        Closed.LEFT: [0, 1, 1, 0, 0],
        Closed.BOTH: [1, 2, 2, 1, 2],
        Closed.NEITHER: [0, 1, 1, 0, 0],
    }
    columns = pa.table({"v": [1.0, 2.0, 3.0, 4.0, 5.0]})
    for closed, wanted in counts.items():
        found = roll(columns, TELLING, TrailingTime(longest, closed), times=ends)
        assert found["n"].to_pylist() == wanted, closed
        assert found["kinds"].to_pylist() == wanted, closed
        assert [len(held) for held in found["all"].to_pylist()] == wanted, closed
