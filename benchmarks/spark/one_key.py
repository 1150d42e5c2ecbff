"""Windows of one key on all cores, beside all of them on one task as before; and in order."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame

import windrow as wr
from benchmarks.findings import Bar, Experiment, Findings, at_least, at_most
from benchmarks.measure import Bench, Measured
from benchmarks.spark.contenders import Build, in_turns
from benchmarks.spark.data import DAY_US, cached, readings
from benchmarks.spark.ratios import WINDROW, faster, slower, times_table
from windrow import agg, window
from windrow.windows import Window

__all__ = ["ONE_KEY", "OneKeySizes", "run"]

ONE_TASK = "one task"
UNORDERED = "without order"
_HOPPING = "hopping, in order"
_WIDE = "trailing, half of all rows"
_LAST_ROWS = "trailing, half of all rows by number"
_COUNT = "count"
# Half as long as wide windows: a state stands for the rows between a block and the beginnings of
# its windows.  On two cores they are not cut unless that is asked for.
_BLOCKS = 4
_SESSIONS = "sessions"
_SORTED = "hopping, sorted"
_SORTED_ROWS = "trailing, sorted"  # as many results as rows


@dataclass(frozen=True)
class OneKeySizes:
    """A day of readings that all belong together."""

    rows: int


def run(sizes: OneKeySizes, bench: Bench) -> Findings:
    """The time of each query on all cores, and as it ran before."""
    measured: list[Measured] = []
    with cached(readings(sizes.rows, 1)) as df:
        for case, queries in _queries(df, sizes.rows).items():
            measured += in_turns(bench, {"query": case}, queries)
    bars = [
        _faster(measured, _HOPPING, 1.4),
        _faster(measured, _WIDE, 1.4),
        _faster(measured, _SESSIONS, 1.3),
        _in_order(measured, _SORTED),
        _in_order(measured, _SORTED_ROWS),
    ]
    notes = [f"{sizes.rows:,} rows without a key, a day."]
    return Findings(measured, [times_table(measured, ["query"])], bars, notes)


def _faster(measured: list[Measured], case: str, least: float) -> Bar:
    what = f"one key, {case}: as fast as on {ONE_TASK}"
    return at_least(what, least, faster(measured, ONE_TASK, query=case), "x")


def _in_order(measured: list[Measured], case: str) -> Bar:
    what = f"one key, {case}: as long as {UNORDERED}"
    return at_most(what, 1.25, slower(measured, UNORDERED, query=case), "x")


def _queries(df: DataFrame, rows: int) -> Mapping[str, Mapping[str, Build]]:
    hour = window.hopping("1 hour", every="1 minute")
    minutes = window.trailing("10 minutes")
    half = window.trailing(f"{DAY_US // 2} microseconds")
    rows_of_half = window.trailing(rows=rows // 2)
    thousand = window.count(1000, every=10)
    gap = window.session(f"{2 * DAY_US // rows} microseconds")  # never ends before the day does
    return {
        _HOPPING: {WINDROW: partial(_last, df, hour), ONE_TASK: partial(_last, df, hour, "keys")},
        _WIDE: {
            WINDROW: partial(_max, df, half, "time", _BLOCKS),
            ONE_TASK: partial(_max, df, half, "keys"),
        },
        _LAST_ROWS: {
            WINDROW: partial(_max, df, rows_of_half, "time", _BLOCKS),
            ONE_TASK: partial(_max, df, rows_of_half, "keys"),
        },
        _COUNT: {
            WINDROW: partial(_last, df, thousand),
            ONE_TASK: partial(_last, df, thousand, "keys"),
        },
        _SESSIONS: {WINDROW: partial(_max, df, gap), ONE_TASK: partial(_native, df, gap)},
        _SORTED: {WINDROW: partial(_ordered, df, hour), UNORDERED: partial(_max, df, hour)},
        _SORTED_ROWS: {
            WINDROW: partial(_ordered, df, minutes),
            UNORDERED: partial(_max, df, minutes),
        },
    }


def _last(df: DataFrame, over: Window, method: str = "auto") -> DataFrame:
    query = wr.over(df, time="ts").parallel(method).window(over)
    return query.aggregate(last=agg.last("value"))


def _max(df: DataFrame, over: Window, method: str = "auto", units: int | None = None) -> DataFrame:
    query = wr.over(df, time="ts").parallel(method, units=units).window(over)
    return query.aggregate(peak=agg.max("value"))


def _native(df: DataFrame, over: Window) -> DataFrame:
    query = wr.over(df, time="ts", strategy="native").window(over)
    return query.aggregate(peak=agg.max("value"))


def _ordered(df: DataFrame, over: Window) -> DataFrame:
    return wr.over(df, time="ts").window(over).ordered().aggregate(peak=agg.max("value"))


ONE_KEY = Experiment(
    name="one_key",
    question="one key on all cores",
    run=run,
    full=OneKeySizes(rows=10_000_000),
    quick=OneKeySizes(rows=1_000_000),
)
