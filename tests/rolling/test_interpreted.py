"""The compiled and the interpreted way give the same results, of the same types."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.rolling.support import (
    NUMBERS,
    Table,
    arrow_table,
    floats,
    integers,
    long_table,
    taking,
)
from windrow import agg, roll, window
from windrow.algebra.aggregate import TIME
from windrow.algebra.monoid import Kind
from windrow.rolling.interpreted import slide_objects, trail_objects
from windrow.rolling.roll import arrange
from windrow.rolling.source import Source
from windrow.rolling.ways import slide, trail
from windrow.testing.closeness import close
from windrow.windows import Check, Order, TrailingRows, TrailingTime

pytestmark = [
    pytest.mark.xdist_group("kernels of numbers"),
    pytest.mark.usefixtures("always_compiled"),
]

# Those with a numeric form: the others know one way only.
COMPILED = {
    name: aggregate
    for name, aggregate in taking(*NUMBERS).items()
    if aggregate.monoid.numeric is not None and aggregate.monoid.kind is not Kind.SKETCH
}


def require_same_ways(columns: pa.Table, times: Any, trailing: Any, by: Any = None) -> None:
    source = Source(columns, times)
    assert source.times is not None
    ticks = source.times.microseconds
    groups, ordered = arrange(by, ticks, source.length, Order.TIME)
    tasks = [source.task(aggregate) for aggregate in COMPILED.values()]
    assert isinstance(trailing, TrailingRows | TrailingTime)
    fast = trail(tasks, trailing, ordered, groups)
    slow = trail_objects(tasks, trailing, ordered, groups)
    for name, one, other in zip(COMPILED, fast, slow, strict=True):
        require_same(name, one.arrow(), other.arrow())


def require_same(name: str, one: pa.Array, other: pa.Array) -> None:
    assert one.type == other.type, name
    assert close(one.to_pylist(), other.to_pylist(), tolerance=1e-12, scale=1e3), name


@pytest.mark.slow
@examples(40)
@given(
    st.lists(st.tuples(floats, floats, st.integers(0, 30), st.integers(0, 2)), max_size=25),
    st.integers(1, 20),
)
def test_both_ways_agree_on_drawn_rows(rows: list[tuple[Any, ...]], width: int) -> None:
    rows = [(None, None, 0, 0), *rows]  # kernels for columns without nulls are others
    v, w, times, keys = map(list, zip(*rows, strict=True))
    columns = arrow_table({"v": v, "w": w}, v=pa.float64(), w=pa.float64())
    moments = np.array(times, np.int64)
    require_same_ways(columns, moments, window.trailing(rows=width))
    require_same_ways(columns, moments, window.trailing(f"{width} us"), by=keys)


@pytest.mark.slow
def test_both_ways_agree_on_long_columns() -> None:
    table: Table = long_table(1200)
    columns = arrow_table({"v": table["v"], "w": table["w"]})
    require_same_ways(columns, np.array(table["time"]), window.trailing(rows=600))
    require_same_ways(columns, np.array(table["time"]), window.trailing("20 ms"))


@examples(30)
@given(st.lists(integers, max_size=20), st.integers(1, 8))
def test_columns_of_objects_give_what_columns_of_numbers_give(values: list[Any], rows: int) -> None:
    # A number beyond 64 bits makes the whole column one of objects.
    trailing, several = window.trailing(rows=rows), {"sum": agg.sum(), "last": agg.last()}
    numbers = roll(
        np.ma.masked_invalid([np.nan if v is None else v for v in values]), several, trailing
    )
    objects = roll([*values, 1 << 70], several, trailing)
    for name, column in numbers.items():
        for one, other in zip(column, objects[name], strict=False):
            assert one == other or (other is None and np.isnan(one))


LAST_TWO = window.policy(keep=lambda w: w.n <= 2, using={"n": agg.count()})
CHECKED = window.policy(keep=lambda w: w.n <= 2, using={"n": agg.count()}, check=Check.VERIFY)
MOMENTS = [datetime(2024, 2, 29, 12, n, tzinfo=UTC) for n in (0, 1, 5, 5)]


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(np.array([1.5, 2.5, 0.5, 4.0], np.float32), id="float32"),
        pytest.param(np.array([1, 2, 0, 4], np.int8), id="int8"),
        pytest.param(np.array([1, 2, 0, 4], "M8[ms]"), id="times"),
        pytest.param(pa.array([1, 2, 0, 4], pa.date32()), id="dates"),
        pytest.param(pa.array(MOMENTS, pa.timestamp("ns", "Europe/Berlin")), id="time zone"),
    ],
)
def test_checked_policies_give_results_of_the_same_types(column: Any) -> None:
    several = {"max": agg.max("v"), "first": agg.first("v"), "n": agg.count("v")}
    trusted = roll({"v": column}, several, LAST_TWO)
    checked = roll({"v": column}, several, CHECKED)
    for name, array in trusted.items():
        assert array.dtype == checked[name].dtype
        np.testing.assert_array_equal(array, checked[name])


def test_policies_see_times_as_numbers_both_ways() -> None:
    """An aggregate that is not compiled must not change what the predicates see."""
    last_minutes = window.policy(
        keep=lambda w: w.now - w.then < 300_000_000,
        using={"now": agg.max(TIME), "then": agg.min(TIME)},
    )
    values = np.arange(4.0)
    fast = roll(values, agg.count(), last_minutes, times=MOMENTS)
    slow = roll({"v": values}, agg.collect("v"), last_minutes, times=MOMENTS)
    assert fast.tolist() == [len(held) for held in slow] == [1, 2, 2, 3]


def test_runs_have_the_same_type_both_ways() -> None:
    longest = agg.longest_increasing_run("v")
    columns = pa.table({"v": [1.0, 2.0, None, 3.0]})
    fast = roll(columns, longest, LAST_TWO, times=MOMENTS)
    slow = roll(columns, longest, CHECKED, times=MOMENTS)
    assert fast.type == slow.type
    assert fast.to_pylist() == slow.to_pylist()
    assert fast.type.field("start").type == pa.timestamp("us", "UTC")


@examples(30)
@given(st.lists(st.integers(0, 9) | st.none(), max_size=25), st.integers(1, 12))
def test_both_ways_slide_alike(values: list[Any], limit: int) -> None:
    policy = window.policy(
        keep=_total_up_to_12,
        drop=_from_the_maximum_on,
        using={"total": agg.sum("v"), "peak": agg.max("v")},
    )
    values = [None, *values]
    source = Source(pa.table({"v": pa.array(values, pa.int64())}), None)
    groups, _ = arrange([n % limit for n in range(len(values))], None, len(values), Order.ARRIVAL)
    tasks = [source.task(a) for a in (agg.first("v"), agg.sum("v"), agg.count())]
    watched = [source.task(aggregate) for _, aggregate in policy.using]
    fast = slide(tasks, watched, policy, groups)
    slow = slide_objects(tasks, watched, policy, groups)
    for name, one, other in zip(("first", "sum", "count"), fast, slow, strict=True):
        require_same(name, one.arrow(), other.arrow())


def _total_up_to_12(candidate: Any) -> bool:
    return bool(candidate.total <= 12)


def _from_the_maximum_on(evicted: Any, after: Any, before: Any) -> bool:
    return bool(evicted.peak <= after.peak)
