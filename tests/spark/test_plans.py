"""`explain()` names the stages that Spark's own physical plan shows, for queries of every kind."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from tests.spark.layered_plans import plan_of
from windrow import agg, window
from windrow.parallel import Method
from windrow.plan.stages import SampleRows
from windrow.spark.batch import hot_keys
from windrow.window import Window

MINUTE, HOUR = "1 minute", "1 hour"
COUNT = {"n": agg.count()}
PEAK = {"peak": agg.max("x")}
SPREAD = {"total": agg.sum("x"), "mean": agg.mean("x"), "deviation": agg.stddev("x")}
TEXT = {"last": agg.max("s")}
MEDIAN = {"middle": agg.median("x")}
LAST = {"last": agg.last("x")}
SKETCH = {"different": agg.distinct_sketch("x")}
LONGEST = {"run": agg.of(wr.monoid(lift=lambda x: x, combine=max, identity=0.0, name="own"), "x")}

TUMBLING = window.tumbling(MINUTE)
FEW = window.hopping("2 minutes", every=MINUTE)
MANY = window.hopping(HOUR, every=MINUTE)
A_DAY = window.hopping("1 day", every=MINUTE)
GAPS = window.hopping(MINUTE, every=HOUR)
SESSION = window.session(MINUTE)
TIME = window.trailing(HOUR)
TIES = window.trailing(HOUR, closed="both", ties="together")
ROWS = window.trailing(rows=3)
THREE = window.count(3)
MARKED = window.punctuated(end="marked")
POLICY = window.policy(keep=lambda w: w.n <= 3, using={"n": agg.count()})

SIZES = {"short": TUMBLING, "long": window.tumbling(HOUR)}
HOPS = {"few": FEW, "many": MANY}
FEATURES = {"hour": TIME, "day": window.trailing("1 day"), "last": ROWS}
VISITS = {"visit": SESSION, "stay": window.session(HOUR)}
RUNS = {"three": THREE, "five": window.count(5, every=2)}


@dataclass(frozen=True)
class Asked:
    """A query: windows, aggregates, and what else is said of it."""

    windows: Window | Mapping[str, Window]
    aggregates: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    by: str | None = "k"
    buckets: int | None = None

    def of(self, df: DataFrame, **others: Any) -> Any:
        query = wr.over(df, time="ts", by=self.by, **self.options, **others)
        if not isinstance(self.windows, Window):
            query = query.windows(**self.windows)
        else:
            query = query.window(self.windows)
        if self.buckets is not None:
            query = query.approximate(self.buckets)
        return query.aggregate(**self.aggregates)

    def __str__(self) -> str:
        said = [f"{name}={value}" for name, value in self.options.items()]
        said += ["buckets"] if self.buckets else []
        said += ["all rows together"] if self.by is None else []
        names = ", ".join(map(repr, self.aggregates.values()))
        return " ".join([repr(self.windows), names, *said])


BATCHES = [
    Asked(TUMBLING, COUNT),
    Asked(TUMBLING, COUNT, by=None),
    Asked(TUMBLING, TEXT),
    Asked(TUMBLING, MEDIAN),
    Asked(TUMBLING, LAST),
    Asked(TUMBLING, LONGEST),
    Asked(TUMBLING, COUNT, {"strategy": "panes"}),
    Asked(TUMBLING, COUNT, {"strategy": "kernel"}),
    Asked(FEW, PEAK),
    Asked(FEW, PEAK, {"strategy": "native"}),
    Asked(FEW, SPREAD),
    Asked(MANY, PEAK),
    Asked(MANY, PEAK, {"strategy": "kernel"}),
    Asked(MANY, SPREAD, by=None),
    Asked(MANY, LAST),
    Asked(MANY, SKETCH),
    Asked(A_DAY, TEXT),
    Asked(GAPS, COUNT),
    Asked(SESSION, COUNT),
    Asked(SESSION, MEDIAN),
    Asked(TIME, PEAK),
    Asked(TIME, PEAK, by=None),
    Asked(TIME, PEAK, {"order": "arrival"}),
    Asked(TIME, SPREAD, buckets=10),
    Asked(TIES, MEDIAN),
    Asked(ROWS, PEAK),
    Asked(THREE, COUNT),
    Asked(MARKED, COUNT),
    Asked(POLICY, PEAK),
    Asked(TUMBLING, SPREAD, buckets=10),
    Asked(SIZES, COUNT),
    Asked(SIZES, COUNT, {"strategy": "native"}),
    Asked(HOPS, PEAK),
    Asked(HOPS, LAST),
    Asked(FEATURES, PEAK),
    Asked(VISITS, COUNT),
    Asked(VISITS, COUNT, {"strategy": "native"}),
    Asked(RUNS, COUNT),
]
STREAMS = [
    Asked(TUMBLING, COUNT),
    Asked(TUMBLING, LAST),
    Asked(TUMBLING, PEAK, {"emit": "on_change"}),
    Asked(FEW, PEAK),
    Asked(FEW, PEAK, {"emit": "on_change"}),
    Asked(MANY, PEAK),
    Asked(MANY, PEAK, {"strategy": "native"}),
    Asked(MANY, LAST),
    Asked(GAPS, COUNT),
    Asked(SESSION, COUNT),
    Asked(TIME, PEAK),
    Asked(TIME, PEAK, {"emit": "on_change"}, by=None),
    Asked(TIME, PEAK, {"order": "arrival"}),
    Asked(TIME, SPREAD, buckets=10),
    Asked(ROWS, PEAK),
    Asked(THREE, COUNT),
    Asked(MARKED, COUNT),
    Asked(POLICY, PEAK),
    Asked(SIZES, COUNT),
    Asked(SIZES, COUNT, {"strategy": "native"}),
    Asked(FEATURES, PEAK),
    Asked(VISITS, COUNT),
    Asked(RUNS, COUNT),
]

# What a stage calls the operators of Spark's physical plan.
SAME = {
    "HashAggregate": "Aggregate",
    "ObjectHashAggregate": "Aggregate",
    "SortAggregate": "Aggregate",
    "TransformWithStateInPySpark": "TransformWithState",
    "TransformWithStateInPandas": "TransformWithState",
}
# Steps that move nothing and compute no window, and those that belong to an operator beside them:
# the state of an aggregation, a sort for it, where two inputs come together.
BESIDE = {
    "BatchScan",
    "CollectMetrics",
    "EventTimeWatermark",
    "Filter",
    "MergingSessions",
    "MicroBatchScan",
    "PlanLater",
    "Project",
    "Range",
    "Scan",
    "SessionWindowStateStoreRestore",
    "SessionWindowStateStoreSave",
    "StateStoreRestore",
    "StateStoreSave",
    "StreamingRelation",
    "Union",
    "UpdateEventTimeColumn",
    "UpdatingSessions",
    "WholeStageCodegen",
}


def rows(df: DataFrame, time: Any, number: Any) -> DataFrame:
    x = F.col(number).cast("double")
    text, marked = x.cast("string").alias("s"), (x % 5 == 0).alias("marked")
    return df.select(time, (F.col(number) % 3).alias("k"), x.alias("x"), text, marked)


def shown(spark: SparkSession, result: Any) -> list[str]:
    """The operators of Spark's own physical plan, in the order in which rows pass them."""
    java: Any = spark
    plan = java._jvm.PythonSQLUtils.explainString(result._jdf.queryExecution(), "simple")
    found = [re.match(r"[\s:+\-*()~!\d]*(\w+)", line) for line in plan.splitlines()]
    names = [SAME.get(match[1], match[1]) for match in reversed(found) if match]
    return _merged(name for name in names if name not in BESIDE)


def named(result: Any) -> list[str]:
    """The operators that the stages of a plan name."""
    stages = result.plan().stages
    return _merged(name for stage in stages for name in stage.operators)


def _merged(names: Iterable[str]) -> list[str]:
    """Spark may aggregate in one step or in several, and sorts rows for it where it has to."""
    plain = [*names, ""]
    steps = [one for one, after in pairwise(plain) if (one, after) != ("Sort", "Aggregate")]
    return [name for name, _ in groupby(steps)]


@pytest.fixture(scope="module")
def batch(spark: SparkSession) -> DataFrame:
    return rows(spark.range(100), F.timestamp_seconds("id").alias("ts"), "id")


@pytest.mark.parametrize("asked", BATCHES, ids=str)
def test_a_batch_runs_in_the_stages_that_are_explained(
    spark: SparkSession, batch: DataFrame, asked: Asked
) -> None:
    result = asked.of(batch)
    assert shown(spark, result) == named(result)


@pytest.mark.parametrize("asked", STREAMS, ids=str)
def test_a_stream_runs_in_the_stages_that_are_explained(spark: SparkSession, asked: Asked) -> None:
    rate = spark.readStream.format("rate").load()
    df = rows(rate, F.col("timestamp").alias("ts"), "value")
    result = asked.of(df, lateness=MINUTE)
    assert shown(spark, result) == named(result)


@pytest.mark.parametrize("widths", [(1,), (3, 1), (4, 2, 1)], ids=str)
@pytest.mark.parametrize("streaming", [False, True], ids=["batch", "stream"])
def test_a_topology_runs_in_the_stages_that_are_explained(
    spark: SparkSession, batch: DataFrame, widths: tuple[int, ...], *, streaming: bool
) -> None:
    rate = spark.readStream.format("rate").load()
    df = rows(rate, F.col("timestamp").alias("ts"), "value") if streaming else batch
    lateness = {"lateness": MINUTE} if streaming else {}
    result = plan_of(*widths).run(df, agg.mean("x"), by="k", **lateness)
    assert [name for name in shown(spark, result) if name != "Sort"] == [
        name for name in named(result) if name != "Sort"
    ]


def test_a_look_for_hot_keys_is_a_stage_that_can_be_left_out(
    batch: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_keys, "_FEW_ROWS", 10)
    monkeypatch.setattr(hot_keys, "_ONE_IN", 1)
    asked = Asked(ROWS, PEAK)
    found, left_out = (
        asked.of(batch, sample="always").plan(),
        asked.of(batch, sample="never").plan(),
    )
    assert [type(stage) is SampleRows for stage in found.stages] == [True, False, False, False]
    assert "A job before the query" in found.explain()
    assert found.ownership is Method.TIME
    assert found.stages[1:] != left_out.stages  # which says nothing of hot keys
    assert [type(stage) for stage in found.stages[1:]] == [type(one) for one in left_out.stages]
    assert left_out.ownership is Method.KEYS
    assert "hot keys by blocks of time" not in left_out.explain()
