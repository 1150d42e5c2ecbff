"""A session whose Python workers cannot run windrow is told of before a query fails in them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from tests.spark.test_jobs import jobs_of
from windrow import agg, window
from windrow.errors import InputError, WorkerError
from windrow.spark.transport import workers

EXAMPLE = """
from pyspark.sql import SparkSession, functions as F
import windrow as wr
from windrow import agg, window

spark = SparkSession.builder.config("spark.ui.enabled", "false").getOrCreate()
readings = spark.range(720).select(F.timestamp_seconds("id").alias("ts"), F.col("id").alias("temp"))
found = wr.over(readings, time="ts").window(window.trailing("1 hour")).aggregate(n=agg.count())
assert found.agg(F.max("n")).first()[0] == 720
print("fine")
"""


@pytest.fixture
def context(spark: SparkSession) -> Iterator[Any]:
    """The session's context, whose workers a test may change."""
    context: Any = spark.sparkContext
    before = context.pythonExec
    yield context
    context.pythonExec = before


@pytest.fixture
def bare(tmp_path: Path) -> str:
    """A Python without any package."""
    python = tmp_path / "bare-python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    return str(python)


def asked(spark: SparkSession) -> Any:
    seconds = spark.range(5).select(F.timestamp_seconds("id").alias("t"))
    return wr.over(seconds, time="t").window(window.trailing("1 hour")).aggregate(n=agg.count())


def test_workers_that_lack_a_package_are_named_with_a_way_out_and_looked_at_once(
    spark: SparkSession, context: Any, bare: str
) -> None:
    context.pythonExec = bare
    with pytest.raises(WorkerError) as refused:
        asked(spark)
    said = str(refused.value)
    assert said.startswith("Spark's Python workers run ")
    assert "which has no" in said
    assert "pyarrow" in said
    assert "PYSPARK_PYTHON" in said
    assert "spark.archives" in said

    def again() -> None:
        with pytest.raises(WorkerError):
            asked(spark)

    assert jobs_of(spark, again) == 0


def test_a_worker_that_was_not_looked_at_says_itself_what_it_lacks(
    spark: SparkSession, context: Any, bare: str
) -> None:
    context.pythonExec = bare
    spark.conf.set(workers.SETTING, "trust")
    try:
        found = asked(spark)
    finally:
        spark.conf.unset(workers.SETTING)
    with pytest.raises(Exception, match=r"windrow: a Python worker of Spark runs .* which has no"):
        found.collect()


def test_a_python_that_does_not_start_is_told_of(spark: SparkSession, context: Any) -> None:
    context.pythonExec = "/nowhere/python"
    with pytest.raises(WorkerError, match=r"do not start: .*nowhere"):
        asked(spark)


def test_workers_on_this_machine_run_the_drivers_python_if_nobody_says_otherwise(
    spark: SparkSession, context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    context.pythonExec = "python3"
    assert jobs_of(spark, lambda: asked(spark)) == 0
    assert context.pythonExec == sys.executable


def test_what_somebody_has_said_stays(
    spark: SparkSession, context: Any, monkeypatch: pytest.MonkeyPatch, bare: str
) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", bare)
    context.pythonExec = bare
    with pytest.raises(WorkerError):
        asked(spark)
    assert context.pythonExec == bare


def test_the_setting_has_two_values(spark: SparkSession) -> None:
    spark.conf.set(workers.SETTING, "perhaps")
    try:
        with pytest.raises(InputError, match=r"spark\.windrow\.workers='perhaps'"):
            asked(spark)
    finally:
        spark.conf.unset(workers.SETTING)


@pytest.mark.slow
@pytest.mark.parametrize("python", [None, "bare"])
def test_a_script_runs_in_an_environment_that_was_not_activated(
    tmp_path: Path, bare: str, python: str | None
) -> None:
    given = {"PATH": os.defpath, "HOME": str(tmp_path)}
    given |= {name: os.environ[name] for name in ("JAVA_HOME", "PYTHONPATH") if name in os.environ}
    if python is not None:
        given["PYSPARK_PYTHON"] = bare
    done = subprocess.run(
        [sys.executable, "-c", EXAMPLE], cwd=tmp_path, env=given, capture_output=True, text=True
    )
    if python is None:
        assert done.stdout == "fine\n", done.stderr[-2000:]
    else:
        assert "WorkerError: Spark's Python workers run" in done.stderr.splitlines()[-1]
