"""`explain()` names the stages that Spark's own plan shows, for queries of every kind."""

import re
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window

MINUTE, HOUR = "1 minute", "1 hour"
COUNT = {"n": agg.count()}
PEAK = {"peak": agg.max("x")}
TEXT = {"last": agg.max("s")}
MEDIAN = {"middle": agg.median("x")}
LAST = {"last": agg.last("x")}

WINDOWS: dict[str, Any] = {
    "tumbling": window.tumbling(MINUTE),
    "few": window.hopping("2 minutes", every=MINUTE),
    "many": window.hopping(HOUR, every=MINUTE),
    "a day": window.hopping("1 day", every=MINUTE),
    "gaps": window.hopping(MINUTE, every=HOUR),
    "session": window.session(MINUTE),
    "time": window.trailing(HOUR),
    "rows": window.trailing(rows=3),
    "count": window.count(3),
    "marked": window.punctuated(end="marked"),
}

BATCHES: list[tuple[str, dict[str, Any], str | None]] = [
    ("tumbling", COUNT, None),
    ("tumbling", MEDIAN, None),
    ("tumbling", LAST, None),
    ("tumbling", COUNT, "panes"),
    ("tumbling", COUNT, "kernel"),
    ("few", PEAK, None),
    ("few", PEAK, "native"),
    ("many", PEAK, None),
    ("many", PEAK, "kernel"),
    ("many", LAST, None),
    ("a day", TEXT, None),
    ("gaps", COUNT, None),
    ("session", COUNT, None),
    ("session", MEDIAN, None),
    ("time", PEAK, None),
    ("time", MEDIAN, None),
    ("rows", PEAK, None),
    ("count", COUNT, None),
    ("marked", COUNT, None),
]
STREAMS: list[tuple[str, dict[str, Any], str | None]] = [
    ("tumbling", COUNT, None),
    ("tumbling", LAST, None),
    ("few", PEAK, None),
    ("many", PEAK, None),
    ("many", PEAK, "native"),
    ("many", LAST, None),
    ("gaps", COUNT, None),
    ("session", COUNT, None),
    ("time", PEAK, None),
    ("rows", PEAK, None),
    ("count", COUNT, None),
    ("marked", COUNT, None),
]

# What Spark calls the operators that a plan names, and those that come with another or are free.
SAME = {
    "HashAggregate": "Aggregate",
    "ObjectHashAggregate": "Aggregate",
    "SortAggregate": "Aggregate",
    "TransformWithStateInPySpark": "TransformWithState",
    "PythonMapInArrow": "MapInArrow",
    "MapInArrow": "MapInArrow",
    "Exchange": "Exchange",
    "Generate": "Generate",
    "Aggregate": "Aggregate",
}


def rows(df: DataFrame, time: Any, number: Any) -> DataFrame:
    x = F.col(number).cast("double")
    text, marked = x.cast("string").alias("s"), (x % 5 == 0).alias("marked")
    return df.select(time, (F.col(number) % 3).alias("k"), x.alias("x"), text, marked)


def operators(text: str) -> list[str]:
    """The operators of a plan that Spark prints, in the order in which rows pass them."""
    found = [re.match(r"[\s:+\-*()~\d]*(\w+)", line) for line in text.splitlines()]
    names = [match[1] for match in reversed(found) if match]
    return [SAME[name] for name in names if name in SAME]


def named(query: Any, *but: str) -> list[str]:
    found = [name for stage in query.plan().stages for name in stage.operators]
    return [name for name in found if name not in ("Sort", *but)]


@pytest.mark.parametrize(("kind", "aggregates", "strategy"), BATCHES)
def test_a_batch_runs_in_the_stages_that_are_explained(
    spark: SparkSession, kind: str, aggregates: dict[str, Any], strategy: str | None
) -> None:
    df = rows(spark.range(100), F.timestamp_seconds("id").alias("ts"), "id")
    query = wr.over(df, time="ts", by="k", strategy=strategy).window(WINDOWS[kind])
    result: Any = query.aggregate(**aggregates)
    shown = operators(result._jdf.queryExecution().executedPlan().toString())
    assert shown == named(result)


@pytest.mark.parametrize(("kind", "aggregates", "strategy"), STREAMS)
def test_a_stream_runs_in_the_stages_that_are_explained(
    spark: SparkSession, kind: str, aggregates: dict[str, Any], strategy: str | None
) -> None:
    rate = spark.readStream.format("rate").load()
    df = rows(rate, F.col("timestamp").alias("ts"), "value")
    query = wr.over(df, time="ts", by="k", lateness=MINUTE, strategy=strategy)
    result: Any = query.window(WINDOWS[kind]).aggregate(**aggregates)
    # Only a running stream has a physical plan; the logical one shows no exchanges.
    shown = operators(result._jdf.queryExecution().analyzed().toString())
    wanted = named(result, "Exchange")
    assert shown == (["Aggregate"] if wanted == ["Aggregate"] * 2 else wanted)
