"""Windows of streams that are too large to be read with every micro-batch."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow import agg, window
from windrow.testing import check_rows
from windrow.windows import Window

SCHEMA = "ts timestamp, sensor bigint, value double"
START_US = 1_750_000_000_000_000
AGGREGATES = {"n": agg.count(), "sum": agg.sum("value"), "peak": agg.max("value")}
ROW_BYTES = 24


class Readings:
    """A stream of files, one for each micro-batch: nearly all rows are of one sensor."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._rows = 0

    def add(self, rows: int, *, pause_s: int = 0) -> None:
        """Another file, a reading a second."""
        numbers = np.arange(self._rows, self._rows + rows)
        times = START_US + (numbers + pause_s) * 1_000_000
        table = pa.table(
            {
                "ts": pa.array(times, pa.timestamp("us", tz="UTC")),
                "sensor": np.where(numbers % 100 == 7, numbers % 3, 9),
                "value": pa.array((numbers * 7919 % 1009).astype(np.float64)),
            }
        )
        pq.write_table(table, self.folder / f"{self._rows:09}.parquet")
        self._rows += rows + pause_s

    def stream(self, spark: SparkSession) -> DataFrame:
        reader: Any = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        source: DataFrame = reader.parquet(str(self.folder))
        return source


def asked(rows: DataFrame, over: Window) -> DataFrame:
    waiting = {"lateness": "0 s"} if rows.isStreaming else {}
    query = wr.over(rows, time="ts", by="sensor", **waiting)
    return query.window(over).aggregate(**AGGREGATES)


def run_on(spark: SparkSession, results: DataFrame, folder: Path) -> list[Any]:
    """Stream what is there, and stop; what each micro-batch told of itself."""
    writer = results.writeStream.format("parquet").outputMode("append")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    running = writer.trigger(availableNow=True).start(str(folder / "results"))
    running.awaitTermination()
    return list(running.recentProgress)


def told(spark: SparkSession, folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = spark.read.parquet(str(folder / "results")).toArrow().to_pylist()
    return found


@pytest.fixture
def readings(tmp_path: Path) -> Readings:
    return Readings(tmp_path / "readings")


@pytest.mark.parametrize(
    "over",
    [
        window.trailing("3 hours"),
        pytest.param(window.trailing(rows=9_000), marks=pytest.mark.slow),
        pytest.param(
            window.policy(keep=lambda w: w.n <= 7_000, using={"n": agg.count()}),
            marks=pytest.mark.slow,
        ),
    ],
    ids=repr,
)
def test_a_large_window_answers_as_in_a_batch_through_restarts(
    spark: SparkSession, readings: Readings, tmp_path: Path, over: Window
) -> None:
    for step in (9_000, 5_000):
        readings.add(step)
        run_on(spark, asked(readings.stream(spark), over), tmp_path)
    readings.add(3_000, pause_s=9_000)  # most of a window by time leaves at once
    run_on(spark, asked(readings.stream(spark), over), tmp_path)
    whole = asked(spark.read.schema(SCHEMA).parquet(str(readings.folder)), over)
    check_rows(told(spark, tmp_path), whole.toArrow().to_pylist())


def test_a_small_batch_reads_and_writes_little_of_a_large_window(
    spark: SparkSession, readings: Readings, tmp_path: Path
) -> None:
    over, rows = window.trailing(rows=40_000), 600
    readings.add(41_000)
    for _ in range(5):
        readings.add(rows)
    told = run_on(spark, asked(readings.stream(spark), over), tmp_path)
    # Rows are applied once the watermark has passed them: the first batch has those before it, and
    # the second, with fewer rows than the window, puts it into pages.
    _, _, *states = [p["stateOperators"][0] for p in told if p["numInputRows"] == rows]
    assert states[0]["numRowsTotal"] > 40_000 // 512
    for state in states:
        counts = state["customMetrics"]
        assert counts["rocksdbTotalBytesWritten"] < 10 * rows * ROW_BYTES
        assert counts["rocksdbGetCount"] + counts["rocksdbPutCount"] < 100


def test_many_rows_that_leave_at_once_are_not_read(
    spark: SparkSession, readings: Readings, tmp_path: Path
) -> None:
    over, rows = window.trailing("40000 s"), 600
    readings.add(41_000)
    readings.add(rows)
    readings.add(rows)
    readings.add(rows, pause_s=20_000)  # with the first of these, half of the window goes
    readings.add(rows)
    told = run_on(spark, asked(readings.stream(spark), over), tmp_path)
    # Rows are applied once the watermark has passed them, so with the batch that follows.
    *_, leaving = [p["stateOperators"][0] for p in told if p["numInputRows"] == rows]
    counts = leaving["customMetrics"]
    assert leaving["numRowsTotal"] > 20_000 // 512
    assert counts["rocksdbTotalBytesRead"] < 40_000 * ROW_BYTES / 8
    assert counts["rocksdbTotalBytesWritten"] < 10 * rows * ROW_BYTES
