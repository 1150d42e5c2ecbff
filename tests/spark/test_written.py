"""A stream is written in the output mode that suits when its results are told."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.errors import InputError
from windrow.spark.output_mode import Streamed

WINDOWS: dict[str, window.Window] = {  # one for each strategy of streams
    "native": window.tumbling("1 minute"),
    "panes": window.hopping("1 hour", every="1 minute"),
    "stateful": window.trailing("1 minute"),
}
MADE: dict[str, Callable[[Any], DataFrame]] = {
    "itself": lambda found: found,
    "derived": lambda found: found.withColumn("m", F.col("n") + 1).where("m > 0").select("m"),
}


def asked(spark: SparkSession, emit: str, over: window.Window) -> Any:
    rate = spark.readStream.format("rate").load()
    query = wr.over(rate, time="timestamp", lateness="1 second", emit=emit).window(over)
    return query.aggregate(n=agg.count())


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("strategy", WINDOWS)
@pytest.mark.parametrize(
    ("emit", "mode", "way_out"),
    [
        ("on_change", "append", "outputMode('update')"),
        ("on_change", None, "emit='on_close'"),
        ("on_close", "update", "outputMode('append')"),
        ("on_close", "complete", "emit='on_change'"),
    ],
)
def test_another_output_mode_than_suits_is_refused(
    spark: SparkSession, made: str, strategy: str, emit: str, mode: str | None, way_out: str
) -> None:
    writer = MADE[made](asked(spark, emit, WINDOWS[strategy])).writeStream.format("noop")
    if mode is not None:
        writer = writer.outputMode(mode)
    with pytest.raises(InputError) as refused:
        writer.start()
    assert way_out in str(refused.value)
    with pytest.raises(InputError):
        writer.toTable("nowhere")
    if mode is not None:
        with pytest.raises(InputError, match=f"outputMode='{mode}'"):
            asked(spark, emit, WINDOWS[strategy]).writeStream.start(outputMode=mode)


def same(batches: Any) -> Any:
    return batches


def test_no_method_that_passes_rows_on_forgets_when_they_are_told(spark: SparkSession) -> None:
    found = asked(spark, "on_change", WINDOWS["stateful"])
    final = asked(spark, "on_close", WINDOWS["stateful"])
    for made in (
        found.replace(1, 2),
        found.na.replace(1, 2),
        found.limit(3),
        found.unpivot(["timestamp"], ["n"], "name", "value"),
        found.melt(["timestamp"], ["n"], "name", "value"),
        found.to(found.schema),
        found.union(found),
        found.unionAll(final),
        final.unionByName(found),
        found.mapInArrow(same, found.schema),
        found.mapInPandas(same, found.schema),
        found.repartitionByRange(2, "n"),
        found.dropDuplicates(["n"]),
        found.distinct(),
        found.sample(0.5).transform(lambda some: some.where("n > 1")),
    ):
        with pytest.raises(InputError, match="outputMode='append' does not match"):
            made.writeStream.format("noop").start()
    with pytest.raises(InputError, match="outputMode='update' does not match"):
        final.unionByName(found).writeStream.format("noop").outputMode("update").start()


# Methods behind which the output mode is the user's to choose, and those that are for batches.
JOINING = {"agg", "crossJoin", "join", "lateralJoin", "nearestByJoin", "transform", "zip"}
OF_BATCHES = {
    "cache", "checkpoint", "crosstab", "describe", "freqItems", "localCheckpoint", "persist",
    "summary", "transpose", "unpersist", "zipWithIndex",
}  # fmt: skip


def test_every_method_that_makes_a_frame_is_known() -> None:
    making = {
        name
        for name, method in inspect.getmembers(DataFrame, inspect.isfunction)
        if not name.startswith("_") and method.__annotations__.get("return") == "DataFrame"
    }
    assert "select" in making
    assert making - JOINING - OF_BATCHES - set(vars(Streamed)) == set()


@pytest.mark.parametrize(("emit", "mode"), [("on_change", "Update"), ("on_close", "append")])
def test_the_output_mode_that_suits_is_taken(spark: SparkSession, emit: str, mode: str) -> None:
    found = asked(spark, emit, WINDOWS["native"]).select("window", "n")
    started = found.writeStream.format("noop").outputMode(mode).start()
    started.stop()


def test_batches_stay_what_they_are(spark: SparkSession) -> None:
    df = spark.sql("SELECT timestamp '2024-01-01' AS t")
    found = wr.over(df, time="t").window(WINDOWS["native"]).aggregate(n=agg.count())
    assert type(found.select("n")) is type(df)
