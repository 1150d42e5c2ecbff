"""A large window of one key on a stream: small micro-batches must not pay for what it holds.

A stream first fills the window, then small micro-batches move it on.  Bytes are those that Spark's
own metrics of the state store count; a row has 24 bytes: its time, its key and its value.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame

import windrow as wr
from benchmarks.findings import Experiment, Findings, Table, at_most
from benchmarks.measure import Bench, Measured, summary
from benchmarks.numbers import plain
from benchmarks.spark.data import readings
from benchmarks.spark.ratios import times_table
from benchmarks.spark.streams import Batches, write_batches
from windrow import agg, window

__all__ = ["STREAM_LARGE", "StreamLargeSizes", "run"]

_ROW_BYTES = 24
_SECOND_US = 1_000_000
_FILLING = 1 << 19  # rows of a micro-batch that fills the window
_UNSTEADY = 3
_WRITTEN = "rocksdbTotalBytesWritten"


@dataclass(frozen=True)
class StreamLargeSizes:
    """Rows that windows hold, and the micro-batches that move them on."""

    windows: tuple[int, ...]
    rows: int
    batches: int


def run(sizes: StreamLargeSizes, bench: Bench) -> Findings:
    """The time and the bytes of a micro-batch for each window."""
    measured, written = [], {}
    for held in sizes.windows:
        bench.progress.begin(f"{held:,} rows")
        steady = _steady(held, sizes)
        spent = [batch["durationMs"]["triggerExecution"] * 1e6 for batch in steady]
        measured.append(summary(f"{held:,} rows", {"batch": sizes.rows}, spent))
        written[held] = median(_written(batch) for batch in steady)
        bench.progress.end(f"{measured[-1].median / 1e6:.0f} ms")
    batch_bytes = sizes.rows * _ROW_BYTES
    small, large = min(sizes.windows), max(sizes.windows)
    lines = [
        [f"{held:,} rows", plain(count), f"{count / batch_bytes:.1f}"]
        for held, count in written.items()
    ]
    return Findings(
        measured,
        [
            times_table(measured, ["batch"]),
            Table("state written", ["window", "bytes", "times the batch"], lines),
        ],
        [
            at_most(
                f"a window of {large:,} rows: bytes written, times those of a batch",
                10,
                [written[large] / batch_bytes],
                "x",
            ),
            at_most(
                f"a batch with {large:,} rows in the window: as long as with {small:,}",
                1.5,
                [_median(measured, large) / _median(measured, small)],
                "x",
            ),
        ],
        [
            f"One key, a reading a second; mean and max of the last rows; {sizes.batches} "
            f"micro-batches of {sizes.rows:,} rows after the window is full."
        ],
    )


def _median(measured: list[Measured], held: int) -> float:
    return next(m.median for m in measured if m.contender == f"{held:,} rows")


def _steady(held: int, sizes: StreamLargeSizes) -> list[Any]:
    """What Spark tells of the micro-batches that move a full window on."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_batches(folder / "batches", _parts(held, sizes))
        query = _ours(Batches(folder / "batches", sizes.rows).stream(), held)
        writer = query.writeStream.format("noop").outputMode("append")
        writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
        running = writer.trigger(availableNow=True).start()
        running.awaitTermination()
        moved = [p for p in running.recentProgress if p.numInputRows == sizes.rows]
    return [json.loads(progress.json) for progress in moved[_UNSTEADY:]]


def _parts(held: int, sizes: StreamLargeSizes) -> Iterator[DataFrame]:
    """Readings a second apart: first those that fill the window, then small batches."""
    start = 0
    while start < held:
        rows = min(_FILLING, held - start)
        yield readings(rows, 1, rows * _SECOND_US, before=start)
        start += rows
    for batch in range(sizes.batches + _UNSTEADY):
        before = held + batch * sizes.rows
        yield readings(sizes.rows, 1, sizes.rows * _SECOND_US, before=before)


def _ours(df: DataFrame, held: int) -> DataFrame:
    query = wr.over(df, time="ts", by="sensor", lateness="1 second")
    aggregates = {"mean": agg.mean("value"), "peak": agg.max("value")}
    return query.window(window.trailing(rows=held)).aggregate(**aggregates)


def _written(progress: Any) -> int:
    """Bytes that a micro-batch wrote to the state store."""
    return sum(o["customMetrics"][_WRITTEN] for o in progress["stateOperators"])


STREAM_LARGE = Experiment(
    name="stream-large",
    question="whether small micro-batches pay for the size of a window",
    run=run,
    full=StreamLargeSizes(windows=(1 << 12, 1 << 22), rows=1_000, batches=20),
    quick=StreamLargeSizes(windows=(1 << 10, 1 << 13), rows=200, batches=3),
)
