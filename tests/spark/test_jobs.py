"""Building a query runs no job of Spark's, unless rows are sampled, which is told and bounded."""

import re
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, topology, window
from windrow.errors import InputError
from windrow.spark.batch import sampling
from windrow.spark.state import key_groups
from windrow.window import Window

_groups = count()

TRAILING = window.trailing("1 hour")
WINDOWS = [
    window.tumbling("1 hour"),
    window.hopping("1 hour", every="1 minute"),
    TRAILING,
    window.trailing(rows=5),
    window.session("1 minute"),
    window.count(3),
    window.punctuated(start="marked"),
    window.policy(keep=lambda window: window.n <= 3, using={"n": agg.count()}),
]


def jobs_of(spark: SparkSession, work: Callable[[], Any]) -> int:
    """How many jobs some work runs."""
    group = f"jobs-{next(_groups)}"
    context = spark.sparkContext
    context.setJobGroup(group, "counted")
    try:
        work()
        return len(context.statusTracker().getJobIdsForGroup(group))
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
        context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


def frame(spark: SparkSession, rows: int = 1_000) -> DataFrame:
    return spark.range(rows).select(
        F.timestamp_seconds("id").alias("t"),
        (F.col("id") % 3).alias("k"),
        F.col("id").alias("v"),
        (F.col("id") % 7 == 0).alias("marked"),
    )


def test_work_that_runs_a_job_is_counted(spark: SparkSession) -> None:
    assert jobs_of(spark, lambda: frame(spark).collect()) > 0


@pytest.mark.parametrize("over", WINDOWS, ids=lambda over: type(over).__name__)
@pytest.mark.parametrize("streaming", [False, True], ids=["batch", "stream"])
def test_building_and_explaining_a_query_runs_no_job(
    spark: SparkSession, over: window.Window, streaming: bool
) -> None:
    df = frame(spark)
    if streaming:
        rate = spark.readStream.format("rate").load()
        df = rate.selectExpr(
            "timestamp AS t", "value % 3 AS k", "value AS v", "value % 7 = 0 AS marked"
        )

    def build() -> None:
        query = wr.over(df, time="t", by="k", lateness="1 s").window(over)
        query.plan(sum=agg.sum("v"), middle=agg.median("v"))
        found = query.aggregate(sum=agg.sum("v"), middle=agg.median("v"))
        assert found.columns[-1] == "middle"
        assert found.schema[-2].name == "sum"
        found.plan().explain()
        found.late()

    assert jobs_of(spark, build) == 0


def test_building_layers_runs_no_job(spark: SparkSession) -> None:
    plan = topology.plan(100, rate=0.5, nodes=20)
    run = partial(plan.run, frame(spark), agg.sum("v"), time="t", period="1 minute")
    assert jobs_of(spark, run) == 0


def test_only_rows_that_are_merely_read_are_sampled(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_FEW_BYTES", 100_000)
    many = frame(spark, 50_000)
    frame(spark, 100_000).write.parquet(str(tmp_path / "rows"))
    inputs = {
        "the input is small": frame(spark),
        "the input is computed (Aggregate)": many.groupBy("t", "k").agg(F.max("v").alias("v")),
        "the input is computed (Join)": many.join(frame(spark).select("k"), "k"),
        "not the same each time": many.withColumn("k", (3 * F.rand()).cast("int")),
        "has not been computed yet": frame(spark, 90_000).cache(),
        "the input is an RDD": spark.createDataFrame(many.limit(5).rdd, many.schema),
    }
    for reason, df in inputs.items():
        query = wr.over(df, time="t", by="k").window(TRAILING)
        assert jobs_of(spark, partial(query.aggregate, n=agg.count())) == 0
        [told] = query.plan(n=agg.count()).sampled
        assert reason in told
        assert "sample='always'" in told
    inputs["has not been computed yet"].unpersist()
    for df in (many, spark.read.parquet(str(tmp_path / "rows")).where("k < 2")):
        query = wr.over(df, time="t", by="k").window(TRAILING)
        assert jobs_of(spark, partial(query.plan, n=agg.count())) == 0
        assert jobs_of(spark, partial(query.aggregate, n=agg.count())) == 1


def test_rows_that_spark_holds_fixed_are_sampled_once(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "rows")
    frame(spark, 300_000).write.parquet(path)

    def jobs(df: DataFrame, over: Window = TRAILING, **aggregates: Any) -> int:
        query = wr.over(df, time="t", by="k", sample="always").window(over)
        return jobs_of(spark, partial(query.aggregate, **(aggregates or {"n": agg.count()})))

    files, cached = spark.read.parquet(path), frame(spark, 50_000).cache()
    cached.count()
    for held in (files, cached):
        assert jobs(held) == 1
        assert jobs(held, window.trailing(rows=7), top=agg.max("v")) == 0
        told = wr.over(held, time="t", by="k", sample="always").window(TRAILING)
        assert "an earlier query sampled" in told.aggregate(n=agg.count()).plan().explain()
        assert jobs(held.where("v > 5")) == 1  # other rows,
        assert jobs(held.withColumn("k", F.col("k") % 2)) == 1  # and other keys
    assert jobs(spark.read.parquet(path)) == 1  # files may have changed since they were listed
    cached.unpersist(blocking=True)
    assert jobs(cached) == 1
    again = frame(spark, 50_000).cache()
    again.count()
    assert jobs(again) == 1  # the same rows, as far as Spark knows, but held anew
    again.unpersist()
    drawn = files.withColumn("k", (3 * F.rand()).cast("int"))
    assert jobs(drawn) == jobs(drawn) == 1


def test_one_job_finds_the_latest_times_of_all_keys(spark: SparkSession) -> None:
    windows = {"pair": window.trailing(rows=2), "wide": window.trailing("1 day")}
    query = wr.over(frame(spark, 50_000), time="t", by="k").windows(**windows)
    built: list[Any] = []
    cut = query.parallel("time", units=4)
    assert jobs_of(spark, lambda: built.append(cut.aggregate(n=agg.count()))) == 2
    [sampled] = built[0].plan().sampled
    assert "3 of 3 keys are cut" in sampled
    assert "sent states" in sampled


def test_a_sample_is_told_of_and_can_be_switched_off(spark: SparkSession) -> None:
    many = frame(spark, 1_000_000)
    query = wr.over(many, time="t", by="k").window(TRAILING)
    found = query.aggregate(n=agg.count())
    assert re.search(r"rows in .* the largest key has about 3\d% of all", found.plan().sampled[0])
    assert "Sampled beforehand:" in found.plan().explain()
    never = partial(query.aggregate, n=agg.count(), sample="never")
    assert jobs_of(spark, never) == 0
    assert "sample is 'never'" in never().plan().sampled[0]
    spark.conf.set(sampling.SETTING, "never")
    try:
        assert jobs_of(spark, lambda: query.aggregate(n=agg.count())) == 0
        assert jobs_of(spark, lambda: query.aggregate(n=agg.count(), sample="always")) == 1
        spark.conf.set(sampling.SETTING, "perhaps")
        with pytest.raises(InputError, match=r"spark\.windrow\.sample='perhaps'"):
            query.aggregate(n=agg.count())
    finally:
        spark.conf.unset(sampling.SETTING)


def test_a_sample_that_takes_long_is_given_up(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "LIMIT_S", 0.5)
    endless = spark.range(1 << 40).select(F.timestamp_seconds("id").alias("t"), F.lit(1).alias("v"))
    found = wr.over(endless, time="t").window(TRAILING).aggregate(n=agg.count())
    assert "it took longer than" in found.plan().sampled[0]
    assert spark.range(3).count() == 3


@pytest.mark.parametrize("wanted", [1, 16, 256])
def test_key_groups_are_spread_by_the_hash_that_spark_computes(
    spark: SparkSession, wanted: int
) -> None:
    spark.conf.set(key_groups.SETTING, str(wanted))
    try:
        labels = key_groups.key_groups_of(spark)
    finally:
        spark.conf.unset(key_groups.SETTING)
    df = spark.createDataFrame([(label,) for label in labels], "label int")
    rests = df.select(F.pmod(F.hash("label"), F.lit(wanted))).collect()
    assert [row[0] for row in rests] == list(range(wanted))
