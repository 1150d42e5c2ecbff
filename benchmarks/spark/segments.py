"""Trailing windows beside Spark's segment tree: off by default, and for built-ins only."""

from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame

from benchmarks.findings import Experiment, Findings, at_least
from benchmarks.measure import Bench, Measured
from benchmarks.spark.contenders import Build, compared
from benchmarks.spark.data import DAY_US, cached, readings
from benchmarks.spark.ratios import WINDROW, faster, times_table
from benchmarks.spark.trailing import (
    by_rows,
    by_time,
    native_by_rows,
    native_by_time,
    segment_tree,
)

__all__ = ["SEGMENTS", "SegmentsSizes", "run"]

TREE = "segment tree"
_KEYED, _GLOBAL = "with keys", "without a key"
_BARS = {_KEYED: 1.3, _GLOBAL: 2}


@dataclass(frozen=True)
class SegmentsSizes:
    """A day of readings with keys, one without, and how many rows a window holds."""

    rows: int
    keys: int
    frames: tuple[int, ...]
    global_rows: int
    global_frames: tuple[int, ...]


def run(sizes: SegmentsSizes, bench: Bench) -> Findings:
    """Windows of rows, and windows of the time in which as many rows come."""
    measured: list[Measured] = []
    with segment_tree():
        with cached(readings(sizes.rows, sizes.keys)) as df:
            step = DAY_US // sizes.rows * sizes.keys
            for frame in sizes.frames:
                measured += _measure(df, "sensor", frame, step, bench)
        with cached(readings(sizes.global_rows, keys=1)) as df:
            step = DAY_US // sizes.global_rows
            for frame in sizes.global_frames:
                measured += _measure(df, None, frame, step, bench)
    return Findings(
        measured,
        [times_table(measured, ["keys", "kind", "frame"])],
        [
            at_least(
                f"trailing max, {keys}: as fast as Spark's {TREE}",
                bar,
                faster(measured, TREE, keys=keys),
                "x",
            )
            for keys, bar in _BARS.items()
        ],
        [
            f"{_KEYED}: {sizes.rows:,} rows, {sizes.keys:,} keys; {_GLOBAL}: "
            f"{sizes.global_rows:,} rows; a day; max.  The bars are held by the worst case."
        ],
    )


def _measure(
    df: DataFrame, key: str | None, frame: int, step_us: int, bench: Bench
) -> list[Measured]:
    """`step_us` lies between two rows of a key."""
    case: dict[str, str | int] = {"keys": _GLOBAL if key is None else _KEYED, "frame": frame}
    width = frame * step_us
    rows: dict[str, Build] = {
        WINDROW: partial(by_rows, df, frame, key),
        TREE: partial(native_by_rows, df, frame, key),
    }
    time: dict[str, Build] = {
        WINDROW: partial(by_time, df, width, key),
        TREE: partial(native_by_time, df, width, key),
    }
    return [
        *compared(bench, case | {"kind": "by rows"}, rows),
        *compared(bench, case | {"kind": "by time"}, time),
    ]


SEGMENTS = Experiment(
    name="segment-tree",
    question="trailing windows beside Spark's segment tree",
    run=run,
    full=SegmentsSizes(
        rows=10_000_000,
        keys=1_000,
        frames=(10_000,),
        global_rows=1_000_000,
        global_frames=(10_000,),
    ),
    quick=SegmentsSizes(
        rows=200_000, keys=100, frames=(100,), global_rows=100_000, global_frames=(1_000,)
    ),
)
