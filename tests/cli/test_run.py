"""`windrow run` and `windrow explain` on Spark: batches, streams, and how they end."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.cli.running import BATCH, NOON, run, write_readings
from tests.cli.support import written

pytestmark = pytest.mark.usefixtures("spark")

STREAM = """\
source: {format: json, path: arrivals, stream: true, schema: "sensor string, ts timestamp"}
time: ts
by: sensor
lateness: 10 minutes
windows: {tumbling: 10 minutes}
aggregates: {n: count()}
sink: {format: parquet, path: hot, trigger: available_now}
checkpoint: checkpoint
"""


def write_arrivals(folder: Path, name: str, minutes: range) -> None:
    (folder / "arrivals").mkdir(exist_ok=True)
    lines = [
        json.dumps({"sensor": "a", "ts": (NOON + timedelta(minutes=minute)).isoformat()})
        for minute in minutes
    ]
    (folder / "arrivals" / name).write_text("\n".join(lines))


def results(spark: SparkSession, path: Path) -> list[Any]:
    rows = spark.read.parquet(str(path)).selectExpr("unix_timestamp(window.start) AS start", "*")
    rows = rows.drop("window").orderBy("start")
    return [tuple(row) for row in rows.collect()]


# Batches -------------------------------------------------------------------------------------


def test_a_batch_is_written_and_summed_up(tmp_path: Path, spark: SparkSession) -> None:
    frame = write_readings(tmp_path)
    done = run("run", "--json", written(tmp_path, BATCH))
    assert done.exit_code == 0, done.stderr

    known = frame.dropna()
    groups = known.assign(start=known["ts"].dt.floor("10min")).groupby(["start", "sensor"])
    expected = groups["temp"].agg(["max", "count"]).reset_index()
    told = sorted(results(spark, tmp_path / "hot"), key=lambda row: row[:2])
    assert [(start, sensor, n) for start, sensor, _, n in told] == [
        (int(start.timestamp()), sensor, n)
        for start, sensor, n in expected[["start", "sensor", "count"]].itertuples(index=False)
    ]
    assert [peak for *_, peak, _ in told] == pytest.approx(list(expected["max"] + 273.15))

    report = json.loads(done.stdout)
    assert (report["rows_in"], report["rows_out"], report["late"]) == (len(known), 12, 0)
    summary = done.stderr.splitlines()[-1]
    assert summary.startswith(f"{len(known)} rows in, 12 rows out, 0 late, ")
    assert done.stderr.endswith(f" s: {tmp_path / 'hot'} (parquet)\n")


def test_windows_are_spread_and_results_in_order_as_the_job_says(
    tmp_path: Path, spark: SparkSession
) -> None:
    write_readings(tmp_path)
    job = written(tmp_path, BATCH)
    spread = ("--set", "parallel={method: time, units: 3}", "--set", "ordered=true")
    done = run("run", job, *spread)
    assert done.exit_code == 0, done.stderr
    found = [
        (row.window.end, row.sensor) for row in spark.read.parquet(str(tmp_path / "hot")).collect()
    ]
    assert found == sorted(found)
    assert len(found) == 12
    plan = run("explain", job, *spread).stdout
    assert "parallel='time'" in plan
    assert "results by end, start, name and key" in plan


def test_a_way_to_spread_windows_that_does_not_suit_them_is_refused(tmp_path: Path) -> None:
    write_readings(tmp_path)
    settings = ("--set", "windows={session: 5 min}", "--set", "parallel=panes")
    done = run("run", written(tmp_path, BATCH), *settings)
    assert done.exit_code == 2
    assert "parallel='panes' cannot run this query" in done.stderr


def test_a_csv_holds_the_window_in_two_columns(tmp_path: Path, spark: SparkSession) -> None:
    write_readings(tmp_path)
    job = written(tmp_path, BATCH)
    sink = "sink={format: csv, path: flat, options: {header: true}}"
    assert run("run", job, "--set", sink).exit_code == 0
    flat = spark.read.option("header", "true").csv(str(tmp_path / "flat"))
    assert flat.columns == ["window_start", "window_end", "sensor", "peak", "n"]
    assert flat.count() == 12


def test_a_csv_keeps_columns_that_are_called_like_parts_of_the_window(
    tmp_path: Path, spark: SparkSession
) -> None:
    write_readings(tmp_path)
    job = written(tmp_path, BATCH.replace("n: count", "Window_end: count"))
    sink = "sink={format: csv, path: flat, options: {header: true}}"
    assert run("run", job, "--set", sink).exit_code == 0
    found = spark.read.option("header", "true").csv(str(tmp_path / "flat"))
    assert found.columns == ["window_start", "window_end_", "sensor", "peak", "Window_end"]


def test_the_console_shows_a_batch(tmp_path: Path) -> None:
    write_readings(tmp_path)
    sink = "sink={format: console, options: {numRows: 1, truncate: false}}"
    done = run("run", written(tmp_path, BATCH), "--set", sink)
    assert done.exit_code == 0, done.stderr
    assert "|window " in done.stdout
    assert "only showing top 1 row" in done.stdout


def test_memory_holds_a_batch_as_a_table(tmp_path: Path, spark: SparkSession) -> None:
    write_readings(tmp_path)
    sink = "sink={format: memory, name: hot_batch}"
    done = run("run", written(tmp_path, BATCH), "--set", sink)
    assert done.exit_code == 0, done.stderr
    assert spark.table("hot_batch").count() == 12
    assert "|window " in done.stdout
    assert done.stderr.endswith("the table hot_batch\n")


def test_settings_of_a_job_end_with_it(tmp_path: Path, spark: SparkSession) -> None:
    write_readings(tmp_path)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    done = run("explain", written(tmp_path, BATCH), "--set", "spark.sql.shuffle.partitions=7")
    assert done.exit_code == 0, done.stderr
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


# Streams -------------------------------------------------------------------------------------


def test_a_stream_goes_on_from_its_checkpoint(tmp_path: Path, spark: SparkSession) -> None:
    noon = int(NOON.timestamp())
    job = written(tmp_path, STREAM)
    write_arrivals(tmp_path, "1.json", range(35))
    first = run("run", "--json", job)
    assert first.exit_code == 0, first.stderr
    # minute 34 less ten of lateness: the windows up to 20 are closed
    assert results(spark, tmp_path / "hot") == [(noon, "a", 10), (noon + 600, "a", 10)]
    assert json.loads(first.stdout)["rows_out"] == 2

    write_arrivals(tmp_path, "2.json", range(35, 60))
    second = run("run", "--json", job)
    assert second.exit_code == 0, second.stderr
    told = json.loads(second.stdout)
    assert (told["rows_in"], told["rows_out"]) == (25, 2)
    assert told["watermark"] == "2024-06-21 12:49:00"
    assert results(spark, tmp_path / "hot") == [(noon + 600 * i, "a", 10) for i in range(4)]

    third = run("run", job)
    assert third.exit_code == 0
    assert third.stderr.splitlines()[-1].startswith("0 rows in, 0 rows out, 0 late, ")


def test_memory_holds_a_stream_of_changes(tmp_path: Path, spark: SparkSession) -> None:
    write_arrivals(tmp_path, "1.json", range(35))
    text = STREAM.replace("checkpoint: checkpoint", "emit: on_change")
    sink = "sink={format: memory, name: hot_changes, trigger: available_now}"
    done = run("run", written(tmp_path, text), "--set", sink)
    assert done.exit_code == 0, done.stderr
    counts = [row.n for row in spark.table("hot_changes").orderBy("window").collect()]
    assert counts == [10, 10, 10, 5]


# Explaining ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["explain"], ["run", "--dry-run"]])
def test_a_job_is_explained_and_not_run(tmp_path: Path, command: list[str]) -> None:
    write_readings(tmp_path)
    done = run(*command, written(tmp_path, BATCH))
    assert done.exit_code == 0, done.stderr
    assert "Strategy: native" in done.stdout
    assert all(" s · " in line for line in done.stderr.splitlines())  # progress, if it took long
    assert not (tmp_path / "hot").exists()


# A process of its own ------------------------------------------------------------------------


def test_a_stream_in_a_pipe_tells_how_far_it_is_and_stops_on_ctrl_c(tmp_path: Path) -> None:
    job = written(
        tmp_path,
        """\
        source: {format: rate, options: {rowsPerSecond: 100}}
        time: timestamp
        lateness: 0 seconds
        windows: {tumbling: 1 second}
        aggregates: {n: count(), last: max(value)}
        sink: {format: parquet, path: counts}
        checkpoint: checkpoint
        """,
    )
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "windrow.cli", "run", str(job), "--master", "local[1]"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        deadline = time.monotonic() + 180
        while not any((tmp_path / "counts").glob("*.parquet")) and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, stderr
    assert stdout == ""
    *progress, summary = stderr.splitlines()
    assert progress[0].endswith(" s · starting Spark"), stderr
    assert all(re.match(r"job · \d+ s · ", line) for line in progress), stderr
    assert summary.endswith(f" s: {tmp_path / 'counts'} (parquet)")
