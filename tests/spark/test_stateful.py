"""Queries of streams: which are the same, and how several stand in one plan."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.errors import InputError
from windrow.spark.state.signature import signature_of


@pytest.fixture(scope="module")
def readings(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readings") / "all"
    spark.range(10).select(
        F.timestamp_seconds("id").alias("ts"), F.array("id").alias("xs")
    ).write.parquet(str(folder))
    return folder


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    reader: Any = spark.readStream.schema("ts timestamp, xs array<bigint>")
    source: DataFrame = reader.parquet(str(folder))
    return source


def sums(source: DataFrame) -> Any:
    def added(total: Column, x: Column) -> Column:
        return total + x

    total = F.aggregate("xs", F.lit(0).cast("bigint"), added)
    query = wr.over(source, time="ts", lateness="1 s").window(window.trailing("3 s"))
    return query.aggregate(sum=agg.sum(total))


def test_a_query_made_twice_is_the_same_query(spark: SparkSession, readings: Path) -> None:
    """Spark numbers the variables of lambdas: a restarted process has made others before."""
    one, other = (sums(stream(spark, readings))._windrow[0] for _ in range(2))
    assert signature_of(one) == signature_of(other)


def test_a_seed_that_spark_draws_does_not_make_another_query(
    spark: SparkSession, readings: Path
) -> None:
    requests = []
    for _ in range(2):
        some = F.floor(F.rand() * 8)
        query = wr.over(stream(spark, readings), time="ts", by=some, lateness="1 s")
        counted: Any = query.window(window.tumbling("3 s")).aggregate(n=agg.count())
        requests.append(counted._windrow[0])
    one, other = requests
    assert signature_of(one) == signature_of(other)


def test_one_query_of_two_streams_can_be_one_result(
    spark: SparkSession, readings: Path, tmp_path: Path
) -> None:
    both = sums(stream(spark, readings)).union(sums(stream(spark, readings)))
    writer = both.writeStream.format("memory").queryName("both").outputMode("append")
    running = writer.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start()
    running.awaitTermination()
    told = sorted(row["sum"] for row in spark.table("both").collect())
    # The watermark stays a second behind the last row: 9 is still to come.
    assert told == sorted(2 * [sum(range(max(k - 2, 0), k + 1)) for k in range(9)])


def test_sessions_of_a_stream_are_not_left_to_spark(spark: SparkSession, readings: Path) -> None:
    query = wr.over(stream(spark, readings), time="ts", lateness="1 s", strategy="native")
    with pytest.raises(InputError, match="turn a late row into a second session"):
        query.window(window.session("5 s")).aggregate(n=agg.count())
