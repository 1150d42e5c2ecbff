"""Columns of every type: refused by name where an aggregate makes no sense of them, else right."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.errors import AggregateError, InputError
from windrow.spark.transport.hashed import hashes
from windrow.windows import Window

HASHES = [0, 1079689717, 0, 1327217884, 1613586682]
NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
MINUTE = window.tumbling("1 minute")
TRAILING = window.trailing("1 minute")


@pytest.fixture(scope="module")
def readings(spark: SparkSession) -> DataFrame:
    rows = [(NOON + timedelta(seconds=i), i % 2, float("nan"), str(i), i) for i in range(4)]
    return spark.createDataFrame(rows, "ts timestamp, k int, x double, s string, v int").coalesce(1)


# Expressions need a session: they are made in the tests.
REFUSED: dict[str, tuple[Callable[[], Aggregate[Any]], str]] = {
    "sum": (lambda: agg.sum("s"), "numbers and durations"),
    "median": (lambda: agg.median("ts"), "numbers and durations"),
    "any": (lambda: agg.any("v"), "booleans"),
    "concat": (lambda: agg.concat("v"), "text"),
    "range": (lambda: agg.range("s"), "numbers, times and durations"),
    "max": (lambda: agg.max(F.struct("v")), "single values"),
    "distinct": (lambda: agg.distinct(F.array("v")), "single values"),
}


@pytest.mark.parametrize("over", [MINUTE, TRAILING], ids=repr)
@pytest.mark.parametrize("name", REFUSED)
def test_columns_that_an_aggregate_does_not_take_are_refused_at_once(
    readings: DataFrame, over: Window, name: str
) -> None:
    make, taken = REFUSED[name]
    with pytest.raises(InputError, match=f"^wrong={name}.* takes {taken};"):
        wr.over(readings, time="ts").window(over).aggregate(wrong=make())


def test_what_is_refused_is_called_as_it_was_written(readings: DataFrame) -> None:
    query = wr.over(readings, time="ts").window(MINUTE)
    with pytest.raises(InputError, match=r"^wrong=sum\('s'\) reads a column of type string"):
        query.aggregate(wrong=agg.sum("s"))
    with pytest.raises(AggregateError, match=r"count\(\) without a name"):
        query.aggregate(agg.count())
    with pytest.raises(InputError, match="emmit='on_close' is not an option"):
        wr.over(readings, time="ts").window(MINUTE, emmit="on_close")


def test_columns_that_spark_does_not_tell_apart_are_named(readings: DataFrame) -> None:
    both = readings.select("ts", F.col("k").alias("a"), F.col("v").alias("A"))
    with pytest.raises(InputError, match="by='a' may be any of 'a', 'A'"):
        wr.over(both, time="ts", by="a").window(MINUTE).aggregate(n=agg.count())


def test_text_that_spark_compares_in_its_own_way_is_refused(readings: DataFrame) -> None:
    lower_case = readings.withColumn("c", F.col("s").cast(StringType("UTF8_LCASE")))
    with pytest.raises(InputError, match=r"UTF8_LCASE.*compares text byte by byte"):
        wr.over(lower_case, time="ts", by="c").window(MINUTE).aggregate(n=agg.count())


NESTED: dict[str, tuple[Callable[[], Column], int]] = {
    "array of NaN": (lambda: F.array("x"), 1),
    "struct": (lambda: F.struct("k", "x"), 2),
    "struct of structs": (lambda: F.struct(F.struct("k")), 2),
    "array of structs": (lambda: F.array(F.struct("k")), 2),
    "null or struct": (lambda: F.when(F.col("k") == 0, F.struct("x")), 2),
}


def test_keys_that_cannot_be_compared_are_refused(readings: DataFrame) -> None:
    by = F.array(F.create_map("s", "v")).alias("pairs")
    with pytest.raises(InputError, match=r"by='pairs' has type array<map<string,int>>"):
        wr.over(readings, time="ts", by=by).window(MINUTE).aggregate(n=agg.count())


def test_the_time_is_kept_once_however_it_is_written(readings: DataFrame) -> None:
    query = wr.over(readings, time="ts", by="k").window(TRAILING).keep("TS", "K", "v")
    assert query.aggregate(n=agg.count()).columns == ["ts", "k", "v", "n"]


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("strategy", ["native", "kernel"])
def test_nested_keys_are_one_where_their_values_are(
    readings: DataFrame, name: str, strategy: str
) -> None:
    make, groups = NESTED[name]
    query = wr.over(readings, time="ts", by=make().alias("key"), strategy=strategy).window(MINUTE)
    counts = [row["n"] for row in query.aggregate(n=agg.count()).collect()]
    assert len(counts) == groups
    assert sum(counts) == 4


@pytest.mark.parametrize("kind", ["tinyint", "smallint", "int", "bigint", "string"])
@pytest.mark.parametrize("over", [MINUTE, TRAILING], ids=repr)
def test_whole_numbers_are_keys_as_text_is(spark: SparkSession, over: Window, kind: str) -> None:
    # Keys -2, -1, 0 and null, eight rows of each, in four partitions.
    numbers = spark.range(0, 32, numPartitions=4).select(
        F.timestamp_micros(F.col("id")).alias("ts"),
        F.when(F.col("id") % 4 != 3, F.col("id") % 4 - 2).cast(kind).alias("key"),
    )
    query = wr.over(numbers, time="ts", by="key", strategy="kernel").window(over)
    found = query.aggregate(n=agg.count()).groupBy("key").agg(F.max("n").alias("n")).collect()
    wanted = {"-2": 8, "-1": 8, "0": 8, "None": 8}
    assert {str(row["key"]): row["n"] for row in found} == wanted


def test_where_keys_lie_is_the_same_for_ever() -> None:
    """State of earlier runs lies by these numbers: whoever changes them changes its format."""
    keys = pa.table({"k": pa.array([None, -1, 0, 1, (1 << 63) - 1], pa.int64())})
    assert hashes(keys, ["k"]).tolist() == HASHES
    assert hashes(keys, []).tolist() == [0] * 5


@pytest.mark.parametrize(
    "over",
    [
        TRAILING,
        window.count(2),
        MINUTE,
        window.policy(keep=lambda w: w.n <= 2, using={"n": agg.count()}),
    ],
    ids=["trailing", "count", "tumbling", "policy"],
)
def test_filters_and_maps_are_results_of_every_window(readings: DataFrame, over: Window) -> None:
    pairs = F.create_map(F.lit("v"), F.col("v"))
    parts = {"seen": agg.bloom("v"), "newest": agg.last(pairs), "all": agg.collect(pairs)}
    rows = wr.over(readings, time="ts").window(over).aggregate(**parts).collect()
    assert rows
    empty = agg.bloom("v").monoid.lower(agg.bloom("v").monoid.identity)
    for row in rows:
        values = [pair["v"] for pair in row["all"]]
        assert row["newest"] == {"v": values[-1]}
        bits = reduce(or_, map(empty.mask, values))
        assert int.from_bytes(row["seen"], "little") == bits


@pytest.mark.parametrize("zone", ["GMT+8", "+05:30", "America/New_York"])
def test_moments_are_the_same_whatever_the_session_s_zone(
    spark: SparkSession, readings: DataFrame, zone: str
) -> None:
    before = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        trailing = wr.over(readings, time="ts").window(TRAILING).keep("v")
        latest = trailing.aggregate(first=agg.min("ts"), at=agg.argmax("ts", by="v"))
        found = latest.select("v", F.unix_micros("first"), F.unix_micros("at")).collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    noon = round(NOON.timestamp() * 1_000_000)
    assert sorted(map(tuple, found)) == [(i, noon, noon + i * 1_000_000) for i in range(4)]
