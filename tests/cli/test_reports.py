"""What is told while a job runs and after it, from made-up progress: no Spark is needed."""

import errno
import io
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import STREAM, read
from windrow.cli.failures import explained, missing_format
from windrow.cli.figures import size
from windrow.cli.progress import of_stream, shown
from windrow.cli.report import Report
from windrow.cli.results import another_query
from windrow.cli.tally import Tally
from windrow.errors import InputError

IDLE = {"isTriggerActive": False, "isDataAvailable": False}
BUSY = {"isTriggerActive": True, "isDataAvailable": True}


@dataclass
class Progress:
    """One micro-batch, as far as Spark tells it by JSON."""

    told: dict[str, Any]

    @property
    def json(self) -> str:
        return json.dumps(self.told)


def batch(number: int, rows: int, *, out: int = 0, late: int | None = 0, **other: Any) -> Progress:
    observed: dict[str, Any] = {"rows_in": {"rows": rows}, "rows_out": {"rows": out}}
    if late is not None:
        observed["windrow-0123"] = {"rows": rows, "late": late}
    told = {"batchId": number, "durationMs": {"addBatch": 5}, "observedMetrics": observed}
    return Progress({**told, **other})


def test_micro_batches_add_up_and_count_once() -> None:
    tally = Tally()
    tally.add([batch(0, 100, out=3)])
    tally.add([batch(0, 100, out=3), batch(1, 50, out=2, late=7)])
    assert (tally.batches, tally.rows_in, tally.rows_out, tally.late) == (2, 150, 5, 7)


def test_a_batch_that_has_not_run_does_not_count() -> None:
    tally = Tally()
    tally.add([Progress({"batchId": 0, "durationMs": {"triggerExecution": 1}})])
    assert (tally.batches, tally.rows_in, tally.late, tally.state) == (0, 0, 0, {})
    assert of_stream(tally, IDLE) == "waiting for the first rows"


def test_counts_that_are_null_are_none() -> None:
    tally = Tally()
    tally.add([batch(0, 1, observedMetrics={"windrow-0": {"rows": None, "late": None}})])
    assert (tally.rows_in, tally.late) == (0, 0)


def test_rows_without_a_time_are_late_too() -> None:
    tally = Tally()
    observed = {"windrow-0": {"late": 2}, "windrow-untimed-1": {"untimed": 3}}
    tally.add([batch(0, 9, observedMetrics=observed)])
    assert tally.late == 5


def test_what_spark_dropped_is_late_too() -> None:
    state = [{"numRowsTotal": 1, "memoryUsedBytes": 2, "numRowsDroppedByWatermark": 4}]
    tally = Tally()
    tally.add([batch(0, 1, late=None, stateOperators=state), batch(1, 1, late=3)])
    assert tally.late == 7


def test_the_line_of_a_stream_tells_rows_rate_watermark_and_state() -> None:
    state = [{"numRowsTotal": 1200, "memoryUsedBytes": 3_400_000}] * 2
    tally = Tally()
    tally.add([batch(0, 10, eventTime={"watermark": "1970-01-01T00:00:00.000Z"})])
    assert tally.watermark is None
    tally.add(
        [
            batch(
                1,
                1490,
                processedRowsPerSecond=2500.4,
                eventTime={"watermark": "2024-06-21T13:20:00.000Z"},
                stateOperators=state,
            )
        ]
    )
    assert of_stream(tally, IDLE) == (
        "1,500 rows · 2,500 rows/s · watermark 2024-06-21 13:20:00 · state 2,400 rows, 6.8 MB"
    )


def test_a_stream_that_has_rows_does_not_wait_for_them() -> None:
    tally = Tally()
    assert of_stream(tally, None) == "starting the query"
    assert of_stream(tally, BUSY, "stage 3: 1 of 8 tasks") == (
        "running batch 1 · stage 3: 1 of 8 tasks"
    )
    tally.add([batch(0, 100)])
    assert of_stream(tally, BUSY) == "running batch 2 · 100 rows · 0 rows/s"
    assert of_stream(tally, {**BUSY, "isDataAvailable": False}).startswith("looking for new rows")


def test_the_summary_is_one_line() -> None:
    report = Report("job.yaml", "hot (parquet)", 8.34, rows_in=1_728_000, rows_out=1, late=12)
    assert report.summary() == "1,728,000 rows in, 1 row out, 12 late, 8.3 s: hot (parquet)"


def test_the_report_as_json_leaves_out_what_is_not_known() -> None:
    report = Report("job.yaml", "console", 1.23456, rows_in=3)
    assert json.loads(report.as_json()) == {
        "job": "job.yaml",
        "sink": "console",
        "seconds": 1.235,
        "rows_in": 3,
    }


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (2.5e6, "2.5 MB"), (3e12, "3000.0 GB")],
)
def test_sizes_are_said_as_one_says_them(number: float, text: str) -> None:
    assert size(number) == text


# Progress ------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_shown_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("windrow.cli.progress._INTERVAL_S", 0.01)
    deadline = time.monotonic() + 10
    with shown("hot", "12 rows"):
        while "12 rows" not in terminal.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "hot · 0 s · 12 rows" in terminal.getvalue()


def test_a_pipe_is_shown_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    with shown("hot", "starting") as doing:
        doing.now(lambda: pytest.fail("nobody looks"))
    assert pipe.getvalue() == ""


def test_a_pipe_is_shown_lines_now_and_then_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    monkeypatch.setattr("windrow.cli.progress._FIRST_LINES_S", (0.01, 0.1))
    deadline = time.monotonic() + 10
    with shown("hot", "starting Spark", lines_in_pipes=True) as doing:
        while "Spark" not in pipe.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        doing.now(lambda: "12 rows")
        while "12 rows" not in pipe.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert pipe.getvalue() == "hot · 0 s · starting Spark\nhot · 0 s · 12 rows\n"


# Failures ------------------------------------------------------------------------------------


class SparkError(Exception):
    """Stands for an error of Spark: known by its module."""


SparkError.__module__ = "pyspark.errors.exceptions.captured"

FAILED_IN_PYTHON = """[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: Job
aborted: org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 1, in main
    raise ResultOverflowError(message)
windrow.errors.ResultOverflowError: total=sum('a') does not fit long; cast it

\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
"""


OTHER_QUERY_SAID = """SnapshotError: the checkpoint holds the state of another query.
  it was written by: tumbling('1 hour'); n=count(); order time
  this query is:     tumbling('2 hours'); n=count(); order time
Use a new checkpoint, or run the query that wrote this one"""
OTHER_QUERY = f"""[STREAM_FAILED] Query terminated with exception: Job aborted
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 1, in main
    raise SnapshotError(message)
windrow.errors.{OTHER_QUERY_SAID}

\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
"""


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            SparkError(
                "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column `tmp` cannot be resolved. Did you "
                "mean one of [`temp`]? SQLSTATE: 42703; line 1 pos 0;\n'Filter ('tmp > 1)\n+- x"
            ),
            "A column `tmp` cannot be resolved. Did you mean one of [`temp`]?",
        ),
        (
            SparkError(FAILED_IN_PYTHON),
            "ResultOverflowError: total=sum('a') does not fit long; cast it",
        ),
        (SparkError(""), "Spark failed without a message (--debug shows its log)"),
        (InputError("time='x' is wrong; say y"), "time='x' is wrong; say y"),
        (SparkError(OTHER_QUERY), OTHER_QUERY_SAID),
        (
            SparkError(
                "[TASK_WRITE_FAILED] …\njava.io.IOException: No space left on device\n at x"
            ),
            "No space left on device; make room on the disk, or write elsewhere: the sink, the "
            "checkpoint or Spark's local folders",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", "plan.json"),
            "plan.json: No space left on device; make room on the disk, or write elsewhere",
        ),
        (
            ModuleNotFoundError("No module named 'pyspark'", name="pyspark"),
            "pyspark is not installed; pip install 'windrow[cli]'",
        ),
        (KeyError("x"), "KeyError: 'x' (--debug shows where)"),
    ],
)
def test_errors_are_said_in_a_sentence(error: Exception, text: str) -> None:
    assert explained(error) == text


def test_a_checkpoint_of_another_query_is_told_with_both_queries(tmp_path: Path) -> None:
    job = read(tmp_path, STREAM)
    told = str(another_query(SparkError(OTHER_QUERY), job)).replace(f"{tmp_path}{os.sep}", "")
    assert told.splitlines() == [
        "job.yaml:7:13: checkpoint: checkpoints/hot holds the state of another query (use a new "
        "checkpoint, or run the job that wrote this one)",
        "  it was written by: tumbling('1 hour'); n=count(); order time",
        "  this job asks for: tumbling('2 hours'); n=count(); order time",
        "  what differs:      tumbling('1 hour') → tumbling('2 hours')",
    ]


def test_a_checkpoint_of_another_query_that_spark_keeps_is_told_too(tmp_path: Path) -> None:
    error = SparkError(
        "[STREAM_FAILED] Query terminated with exception: "
        "[STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE] signature0: decimal(3,1) is not decimal(5,2)"
    )
    told = str(another_query(error, read(tmp_path, STREAM)))
    assert "  this job asks for: tumbling('1 hour'); n=count(); by nothing" in told
    assert another_query(SparkError("[STATE_STORE_X] other"), read(tmp_path, STREAM)) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("delta", "spark.jars.packages=io.delta:delta-spark_2.13:"),
        ("kafka", "spark.jars.packages=org.apache.spark:spark-sql-kafka-0-10_2.13:"),
        ("parket", "Spark knows no format 'parket'"),
    ],
)
def test_a_missing_format_names_its_package(name: str, text: str) -> None:
    error = SparkError("[DATA_SOURCE_NOT_FOUND] Failed to find the data source")
    assert text in (missing_format(error, name) or "")
    assert missing_format(SparkError("[OTHER] something"), name) is None
