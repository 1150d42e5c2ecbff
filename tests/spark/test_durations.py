"""Means of intervals are intervals, whatever computes them: as Spark's own `avg` has it."""

from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.errors import InputError

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def spells(spark: SparkSession) -> DataFrame:
    """Lengths whose mean ends in half a microsecond, above and below zero."""
    lengths = [5, 2, -3, -2, None]
    rows = [
        (NOON + timedelta(seconds=20 * i), None if n is None else timedelta(microseconds=n))
        for i, n in enumerate(lengths)
    ]
    return spark.createDataFrame(rows, "ts timestamp, d interval day to second").coalesce(1)


@pytest.mark.parametrize("strategy", ["native", "panes", "kernel"])
def test_every_strategy_gives_the_mean_that_spark_gives(spells: DataFrame, strategy: str) -> None:
    minute = F.window("ts", "1 minute")
    expected = spells.groupBy(minute).agg(F.avg("d").alias("m")).orderBy("window").collect()
    found = (
        wr.over(spells, time="ts")
        .window(window.tumbling("1 minute"), strategy=strategy)
        .aggregate(m=agg.mean("d"))
    )
    assert found.schema["m"].dataType.simpleString() == "interval day to second"
    assert [row.m for row in found.orderBy("window").collect()] == [row.m for row in expected]


def test_what_has_the_unit_of_intervals_is_one(spells: DataFrame) -> None:
    found = (
        wr.over(spells, time="ts")
        .window(window.trailing("1 hour"))
        .aggregate(mid=agg.median("d"), mean=agg.mean("d"), high=agg.max("d"))
    )
    last = found.orderBy(F.desc("ts")).first()
    assert last is not None
    us = timedelta(microseconds=1)
    assert (last.mid, last.mean, last.high) == (0 * us, 1 * us, 5 * us)


@pytest.mark.parametrize("wrong", ["variance", "stddev", "product", "geometric_mean"])
def test_what_has_another_unit_is_refused(spells: DataFrame, wrong: str) -> None:
    with pytest.raises(InputError, match=f"^x={wrong}.*takes numbers;"):
        wr.over(spells, time="ts").window(window.tumbling("1 minute")).aggregate(
            x=getattr(agg, wrong)("d")
        )
