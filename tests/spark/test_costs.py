"""Methods are compared by the sample of a batch; whichever runs, results are the same."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from tests.spark.test_jobs import jobs_of
from windrow import agg, window
from windrow.parallel import Method
from windrow.plan.constants import OTHER, Constants, Price
from windrow.plan.stages import MergeSlices, SampleRows
from windrow.spark import run
from windrow.spark.batch import hot_keys
from windrow.testing import check_rows, expected
from windrow.window import Window

ROWS = 600
NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
WIDE = window.hopping("5 minutes", every="20 seconds")
TRAILING = window.trailing("9 s")
AGGREGATES = {"rise": agg.longest_increasing_run("v"), "sum": agg.sum("v")}
FREE = {OTHER: Price(0.0, 0.0)}
# Only sending and being sent costs anything.
SENDING = Constants(0.0, 0.0, 1e-3, 0.0, FREE, FREE, "made up")


@pytest.fixture(autouse=True)
def everything_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_keys, "_FEW_ROWS", 100)
    monkeypatch.setattr(hot_keys, "_ONE_IN", 1)
    monkeypatch.setattr(run, "constants", lambda: SENDING)


def rows(keys: int) -> list[dict[str, Any]]:
    """One row a second, keys in turn."""
    return [{"k": i % keys, "t": NOON + timedelta(seconds=i), "v": i} for i in range(ROWS)]


def query(spark: SparkSession, given: list[dict[str, Any]], over: Window, **options: Any) -> Any:
    tuples = [tuple(row.values()) for row in given]
    frame: DataFrame = spark.createDataFrame(tuples, "k bigint, t timestamp, v bigint").coalesce(1)
    return wr.over(frame, time="t", by="k", sample="always", **options).window(over)


def test_the_sample_tells_how_many_rows_and_keys_there_are(spark: SparkSession) -> None:
    for keys, share in ((1, "100%"), (20, "5%")):
        plan = query(spark, rows(keys), TRAILING).aggregate(**AGGREGATES).plan()
        assert plan.compared is not None
        counted = f"{ROWS} rows of {keys} key{'' if keys == 1 else 's'} in 9 min 59 s"
        assert plan.compared.rows.startswith(counted)
        assert f"the largest key has {share}" in plan.compared.rows
        assert "constants made up" in plan.compared.rows


def test_explain_prints_what_the_plan_carries(spark: SparkSession) -> None:
    plan = query(spark, rows(1), WIDE).aggregate(**AGGREGATES).plan()
    assert plan.compared is not None
    said = plan.explain().splitlines()
    for one in plan.compared.estimates:
        if one.seconds is None:
            continue
        [line] = [own for own in said if own.lstrip(" →").startswith(f"{one.method.value} ")]
        assert line.split()[-1] == f"{one.seconds:.2f}"
        assert ("→" in line) == (one.method is plan.ownership)


@pytest.mark.parametrize(
    ("keys", "over", "method"),
    [
        (1, TRAILING, Method.TIME),
        (100, TRAILING, Method.KEYS),
        (1, WIDE, Method.PANES),  # too wide for cuts in time to help
        (100, WIDE, Method.KEYS),
    ],
    ids=["one key", "even keys", "one key, wide", "even keys, wide"],
)
def test_the_choice_follows_the_rows_and_results_do_not(
    spark: SparkSession, keys: int, over: Window, method: Method
) -> None:
    given = rows(keys)
    found = query(spark, given, over).aggregate(**AGGREGATES)
    assert found.plan().ownership is method
    check_rows(found, expected(given, time="t", by="k", window=over, aggregates=AGGREGATES))


def test_one_sample_serves_the_choice_and_the_cuts(spark: SparkSession) -> None:
    for over in (TRAILING, WIDE):
        asked = query(spark, rows(1), over)
        assert jobs_of(spark, partial(asked.plan, **AGGREGATES)) == 0
        assert jobs_of(spark, partial(asked.aggregate, **AGGREGATES)) == 1
        assert isinstance(asked.aggregate(**AGGREGATES).plan().stages[0], SampleRows)


def test_what_is_asked_for_is_not_compared_unless_it_is_sampled(spark: SparkSession) -> None:
    for method in ("keys", "panes", "round-robin"):
        asked = query(spark, rows(1), WIDE).parallel(method)
        assert jobs_of(spark, partial(asked.aggregate, **AGGREGATES)) == 0
        plan = asked.aggregate(**AGGREGATES).plan()
        assert plan.ownership.value == method
        assert plan.compared is None
        assert ("MergeSlices" in repr(plan)) == (method == "panes")
    plan = query(spark, rows(1), WIDE).parallel("time").aggregate(**AGGREGATES).plan()
    assert plan.ownership is Method.TIME  # which needs a sample, and so the others are known
    assert plan.compared is not None
    assert not any(isinstance(stage, MergeSlices) for stage in plan.stages)


def test_without_a_sample_nothing_is_compared(spark: SparkSession) -> None:
    tuples = [tuple(row.values()) for row in rows(1)]
    frame = spark.createDataFrame(tuples, "k bigint, t timestamp, v bigint")
    found = wr.over(frame, time="t", sample="never").window(TRAILING).aggregate(**AGGREGATES)
    assert found.plan().ownership is Method.KEYS
    assert found.plan().compared is None
    assert "nothing was measured" in found.plan().explain()
