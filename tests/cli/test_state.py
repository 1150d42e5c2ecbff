"""`windrow state`: what a stream keeps, told key by key."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.cli import main
from windrow.windows import Window

SCHEMA = "ts timestamp, sensor bigint, place string, value double"


@pytest.fixture(scope="module")
def readings(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reading a second, in two files: 6,000 of sensor 7, then three of each other."""
    folder = tmp_path_factory.mktemp("state") / "readings"
    number = F.col("id")
    sensor = F.when(number < 6_000, F.lit(7)).otherwise(number % 3)
    for first, end in ((0, 6_000), (6_000, 6_009)):
        spark.range(first, end, numPartitions=1).select(
            F.timestamp_seconds(number).alias("ts"),
            sensor.cast("bigint").alias("sensor"),
            F.lit("roof").alias("place"),
            (number % 10).cast("double").alias("value"),
        ).write.mode("append").parquet(str(folder))
    return folder


def checkpoint_of(spark: SparkSession, readings: Path, over: Window, folder: Path) -> Path:
    source: Any = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    query = wr.over(
        source.parquet(str(readings)), time="ts", by=["sensor", "place"], lateness="2 seconds"
    )
    results = query.window(over).aggregate(mean=agg.mean("value"))
    writer = results.writeStream.format("noop").outputMode("append")
    writer = writer.option("checkpointLocation", str(folder)).trigger(availableNow=True)
    writer.start().awaitTermination()
    return folder


@pytest.fixture(scope="module")
def checkpoint(
    spark: SparkSession, readings: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("trailing") / "checkpoint"
    return checkpoint_of(spark, readings, window.trailing(rows=5_500), folder)


def told(*arguments: str) -> Any:
    result = CliRunner().invoke(main, ["state", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_large_and_small_windows_are_told_with_their_rows_pages_and_times(
    checkpoint: Path,
) -> None:
    folder = str(checkpoint)
    (state,) = json.loads(told(folder, "--json"))
    keys = {entry["key"]["sensor"]: entry for entry in state["keys"]}
    assert state["total"]["keys"] == 4
    large = keys[7]
    assert large["key"] == {"sensor": 7, "place": "roof"}
    # The next window of 5,500 rows needs the 5,499 before it.
    assert 5_499 <= large["rows"] <= 5_500
    assert large["pages"] >= 5_499 // 512
    assert large["newest"] == "1970-01-01 01:39:59+00:00"
    assert large["oldest"] in ("1970-01-01 00:08:20+00:00", "1970-01-01 00:08:21+00:00")
    # The watermark stands two seconds before the last row: the two behind it wait.
    assert state["total"]["waiting"] == 2
    assert {entry["rows"] + entry["waiting"] for entry in keys.values() if entry != large} == {3}
    assert state["total"]["bytes"] == sum(entry["bytes"] for entry in state["keys"])

    (one,) = json.loads(told(folder, "--json", "--key", "sensor=7"))
    assert [entry["key"]["sensor"] for entry in one["keys"]] == [7]

    lines = told(folder, "--limit", "1").splitlines()
    assert "trailing(rows=5500)" in lines[0]
    assert lines[2].startswith("sensor=7, place=roof")
    assert "3 more keys" in lines[3]


@pytest.mark.slow
def test_slices_tell_how_many_rows_they_hold(
    spark: SparkSession, readings: Path, tmp_path: Path
) -> None:
    over = window.hopping("1 hour", every="1 minute")
    folder = str(checkpoint_of(spark, readings, over, tmp_path / "checkpoint"))
    (state,) = json.loads(told(folder, "--json"))
    rows = {entry["key"]["sensor"]: entry["rows"] for entry in state["keys"]}
    assert rows[0] == rows[1] == rows[2] == 3
    assert 3_000 < rows[7] < 6_000


@pytest.mark.slow
def test_an_open_session_is_told_from_its_first_row_to_its_last(
    spark: SparkSession, readings: Path, tmp_path: Path
) -> None:
    over = window.session("1 hour")
    folder = str(checkpoint_of(spark, readings, over, tmp_path / "checkpoint"))
    (state,) = json.loads(told(folder, "--json", "--key", "sensor=7"))
    (entry,) = state["keys"]
    assert (entry["oldest"], entry["newest"]) == (
        "1970-01-01 00:00:00+00:00",
        "1970-01-01 01:39:59+00:00",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--key", "7"], "say which, as NAME=VALUE"),
        (["--key", "room=7"], "the query's keys are ['sensor', 'place']"),
        (["--null", "room"], "--null 'room': the query's keys are"),
        (["--limit", "0"], "--limit=0"),
    ],
)
def test_what_cannot_be_shown_is_said(checkpoint: Path, arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["state", str(checkpoint), *arguments])
    assert result.exit_code == 2
    assert said in result.output


def test_a_folder_that_is_no_checkpoint_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["state", str(tmp_path)])
    assert result.exit_code != 0
    assert str(tmp_path) in result.output


def test_an_address_is_left_to_spark(checkpoint: Path) -> None:
    (state,) = json.loads(told(f"file://{checkpoint}", "--json"))
    assert state["total"]["keys"] == 4


def test_a_folder_that_is_not_there_is_named() -> None:
    result = CliRunner().invoke(main, ["state", "nowhere/at/all"])
    assert result.exit_code == 2
    assert "nowhere/at/all: there is no such folder" in result.output


@pytest.mark.slow
def test_keys_without_a_value_and_numbers_that_are_none_are_found(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = "SELECT * FROM VALUES (0L, 1D, 1D), (1L, null, 2D), (2L, double('NaN'), 3D) AS (s, k, v)"
    spark.sql(rows).select(F.timestamp_seconds("s").alias("ts"), "k", "v").write.parquet(
        str(tmp_path / "rows")
    )
    stream = spark.readStream.schema("ts timestamp, k double, v double").parquet(
        str(tmp_path / "rows")
    )
    query = wr.over(stream, time="ts", by="k", lateness="0 seconds")
    results = query.window(window.trailing(rows=2)).aggregate(sum=agg.sum("v"))
    writer = results.writeStream.format("noop").trigger(availableNow=True)
    folder = str(tmp_path / "checkpoint")
    writer.option("checkpointLocation", folder).start().awaitTermination()

    def keys(*arguments: str) -> list[Any]:
        output = told(folder, "--json", *arguments)
        (state,) = json.loads(output, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
        return [entry["key"]["k"] for entry in state["keys"]]

    assert sorted(keys(), key=str) == [1.0, None, "nan"]
    assert keys("--null", "k") == [None]
    assert keys("--key", "k=nan") == ["nan"]
    assert keys("--key", "1.0") == [1.0]


@pytest.mark.slow
def test_operators_of_others_in_the_same_checkpoint_are_passed_over(
    spark: SparkSession, readings: Path, tmp_path: Path
) -> None:
    source = spark.readStream.schema(SCHEMA).parquet(str(readings))
    deduplicated = source.withWatermark("ts", "2 seconds").dropDuplicatesWithinWatermark(["ts"])
    query = wr.over(deduplicated, time="ts", by="sensor").window(window.trailing(rows=3))
    results = query.aggregate(mean=agg.mean("value"))
    writer = results.writeStream.format("noop").trigger(availableNow=True)
    folder = str(tmp_path / "checkpoint")
    writer.option("checkpointLocation", folder).start().awaitTermination()
    (state,) = json.loads(told(folder, "--json"))
    assert {entry["key"]["sensor"] for entry in state["keys"]} == {0, 1, 2, 7}
