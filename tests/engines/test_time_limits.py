"""Engines at the ends of time: the same windows as around 1970, moved there."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engines.support import ALIGNED, OTHERS, ROWS, by_engine, by_oracle, definition, table
from windrow import agg, window
from windrow.engines.engine import NO_WATERMARK, Kept
from windrow.engines.engines import engine_for
from windrow.engines.flow import Flow
from windrow.engines.splits import EVER, best_split
from windrow.windows import (
    Aligned,
    Emit,
    Hopping,
    Policy,
    Reach,
    Session,
    Tumbling,
    Window,
)
from windrow.windows.durations import MAX_US, MIN_US

AGGREGATES = {"n": agg.count(), "sum": agg.sum("v0")}
WINDOWS = [one for one in (*ALIGNED, *OTHERS) if not isinstance(one, Policy)]
YEAR_9999, YEAR_1 = 253_402_300_799_999_999, -62_135_596_800_000_000


def moved(kind: Window, to: str) -> int:
    """How far to move times from -30 to 60, by whole hops: to one end, or near a common date."""
    lowest, highest = kind.time_limits
    hop = kind.every_us if isinstance(kind, Aligned) else 1
    if to == "lowest":
        return -(-(lowest + 30) // hop) * hop
    place = {"highest": highest - 60, "9999": YEAR_9999, "0001": YEAR_1}[to]
    return place // hop * hop


@pytest.mark.parametrize("kind", WINDOWS, ids=repr)
@given(
    rows=ROWS,
    to=st.sampled_from(["lowest", "highest", "9999", "0001"]),
    cut=st.none() | st.integers(-30, 60),
)
def test_windows_are_the_same_wherever_they_are(
    kind: Window, rows: list[Any], to: str, cut: int | None
) -> None:
    """In one step or in two, the first of which promises a time, or nothing if there is no cut."""
    made, shift = definition([("w", kind)], AGGREGATES), moved(kind, to)
    engine = engine_for(made)
    ordered = sorted(rows, key=lambda row: row[1])
    first = [row for row in ordered if cut is not None and row[1] < cut]
    kept: Kept = {name: schema.empty_table() for name, schema in engine.kept.items()}
    until = NO_WATERMARK if cut is None else cut + shift
    tables = []
    for some, time in ((first, until), (ordered[len(first) :], None)):
        there = [(row[0], row[1] + shift, *row[2:]) for row in some]
        step = engine.advance(kept, table(there, made.schema), time)
        tables += list(step.results)
        kept = step.kept
        assert step.late == 0
    assert by_engine(back(pa.concat_tables(tables), shift)) == by_oracle(ordered, made)


def back(results: pa.Table, shift: int) -> pa.Table:
    for name in ("t", "start", "end"):
        if name in results.schema.names:
            place = results.schema.get_field_index(name)
            times = [time - shift for time in results[name].to_pylist()]
            results = results.set_column(place, name, pa.array(times, pa.int64()))
    return results


@pytest.mark.parametrize("kind", ALIGNED, ids=repr)
def test_no_row_is_late_before_there_is_a_watermark(kind: Window) -> None:
    assert isinstance(kind, Tumbling | Hopping)
    flow = Flow(definition([("w", kind)], AGGREGATES), Emit.ON_CLOSE)
    times = np.array(kind.time_limits, np.int64)
    assert not flow.is_late(times, NO_WATERMARK).any()
    late = (times < 0) & [bool(kind.bounds(time)) for time in times.tolist()]
    assert flow.is_late(times, YEAR_9999).tolist() == late.tolist()


def test_limits_leave_room_for_bounds_and_no_more_than_that() -> None:
    hopping = window.hopping("10 s", every="3 s")
    lowest, highest = hopping.time_limits
    assert hopping.bounds(lowest)[0][0] > MIN_US
    assert hopping.bounds(highest)[-1][1] <= MAX_US
    assert lowest - MIN_US < 20_000_000
    assert MAX_US - highest < 20_000_000
    assert Session(5).time_limits == (MIN_US + 1, MAX_US - 6)


def test_a_window_longer_than_all_time_before_a_cut_needs_all_of_it() -> None:
    histogram = {hour * 3_600_000_000: 1_000 for hour in range(64)}
    split = best_split(histogram, Reach.of([window.trailing("106751991 days")]), 4)
    assert split.slots > 1 or split.reaches == ()
    assert all(EVER <= reach < 0 for reach in split.reaches)
    times = np.array(sorted(histogram), np.int64)
    for slot, cut in enumerate(split.cuts, 1):
        assert split.context(slot, times).sum() == (times < cut).sum()
