"""`windrow run` and `windrow explain` on Spark: batches, streams, and how they end."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from pyspark.sql import SparkSession

from tests.cli.support import written
from windrow.cli import main

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

NOON = datetime(2024, 6, 21, 12, tzinfo=UTC)

BATCH = """\
source: {format: parquet, path: readings.parquet}
time: ts
by: sensor
where: temp is not null
columns: {kelvin: temp + 273.15}
windows: {tumbling: 10 minutes}
aggregates: {peak: max(kelvin), n: count()}
sink: {format: parquet, path: hot, mode: overwrite}
"""
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


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def readings(minutes: range) -> pd.DataFrame:
    ts = [NOON + timedelta(minutes=minute) for minute in minutes]
    temp = [None if minute % 7 == 3 else float(minute % 11) for minute in minutes]
    return pd.DataFrame({"ts": ts, "sensor": [f"s{m % 2}" for m in minutes], "temp": temp})


def write_readings(folder: Path) -> pd.DataFrame:
    frame = readings(range(60))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    stamps = table["ts"].cast(pa.timestamp("us", tz="UTC"))
    pq.write_table(table.set_column(0, "ts", stamps), folder / "readings.parquet")
    return frame


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
    assert done.stderr.startswith(f"{len(known)} rows in, 12 rows out, 0 late, ")
    assert done.stderr.endswith(f" s: {tmp_path / 'hot'} (parquet)\n")


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
    assert third.stderr.startswith("0 rows in, 0 rows out, 0 late, ")


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
    assert done.stderr == ""
    assert not (tmp_path / "hot").exists()


# Failing -------------------------------------------------------------------------------------


def test_a_bad_file_ends_with_2_and_its_lines(tmp_path: Path) -> None:
    job = written(tmp_path, BATCH.replace("time: ts", "tme: ts"))
    done = run("run", job)
    assert done.exit_code == 2
    assert f"{job}:2:1: unknown key 'tme' (did you mean 'time'?)" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("max(kelvin)", "max(celvin)", 2, "job.yaml:7:20: aggregates.peak: no column 'celvin'"),
        ("temp is not null", "tmp is not null", 2, "job.yaml:4:8: where: A column, variable, or"),
        ("temp is not null", "temp is nut null", 2, "job.yaml:4:8: where: Syntax error at or near"),
        ("temp + 273", "tmp + 273", 2, "job.yaml:5:19: columns.kelvin: A column, variable, or"),
        (
            "format: parquet, path: readings",
            "format: delta, path: readings",
            2,
            "io.delta:delta-spark",
        ),
        (
            "format: parquet, path: readings",
            "format: parket, path: x",
            2,
            "knows no format 'parket'",
        ),
        ("format: parquet, path: hot", "format: parket, path: x", 2, "knows no format 'parket'"),
        ("readings.parquet", "none", 1, "job.yaml:1:9: "),
        ("time: ts", "time: sensor", 2, "job.yaml:2:7: time='sensor' has type string; give a"),
        ("max(kelvin)", "mean(sensor)", 2, "job.yaml:7:20: peak=mean('sensor') reads a column"),
        ("{peak: max", "{sensor: max", 2, "job.yaml:7:13: the result would have two columns"),
        ("where:", "strategy: stateful #", 2, "job.yaml:4:11: strategy='stateful' cannot run"),
        ("tumbling: 10 minutes", "a: {session: 1 s}, b: {tumbling: 1 s}", 2, "job.yaml:6:"),
        ("mode: overwrite", "mode: error", 1, "is there already (add mode: overwrite, or mode"),
    ],
)
def test_a_failure_is_said_in_one_line(
    tmp_path: Path, old: str, new: str, code: int, message: str
) -> None:
    write_readings(tmp_path)
    (tmp_path / "hot").mkdir()
    done = run("run", written(tmp_path, BATCH.replace(old, new)))
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.exit_code == code
    assert done.stdout == ""


def test_debug_shows_where_an_error_came_from(tmp_path: Path) -> None:
    write_readings(tmp_path)
    done = run("run", "--debug", written(tmp_path, BATCH.replace("readings.parquet", "none")))
    assert isinstance(done.exception, FileNotFoundError)


def test_a_setting_that_comes_too_late_is_told(tmp_path: Path) -> None:
    write_readings(tmp_path)
    done = run("run", written(tmp_path, BATCH), "--set", "spark.executor.memory=2g")
    assert done.exit_code == 2
    assert "(set it where the session is started)" in done.stderr


# A process of its own ------------------------------------------------------------------------


def test_a_stream_in_a_pipe_is_quiet_and_stops_on_ctrl_c(tmp_path: Path) -> None:
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
    assert stderr.count("\n") == 1, stderr
    assert stderr.endswith(f" s: {tmp_path / 'counts'} (parquet)\n")
