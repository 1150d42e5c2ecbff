"""A key with most of the rows is worked on by several tasks, and nobody can tell by the results."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from windrow import agg, window
from windrow.engines.splits import Split
from windrow.spark import run
from windrow.spark.batch.cutting import HotKey, HotKeys
from windrow.testing import check_rows, expected
from windrow.window import Window

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
KEYS: dict[str, tuple[str, Any]] = {
    "number": ("bigint", 7),
    "text": ("string", "seven"),
    "null": ("string", None),
}
AGGREGATES = {"first": agg.first("v"), "sum": agg.sum("v")}


def rows(hot_key: Any, other: Any) -> list[dict[str, Any]]:
    """Most rows are of one key, two at each time, and shuffled."""
    order = [(k * 389) % 600 for k in range(600)]
    return [
        {"k": other if k % 50 == 0 else hot_key, "t": NOON + timedelta(seconds=k // 2), "v": k}
        for k in order
    ]


@pytest.mark.parametrize(
    "over",
    [window.trailing("9 s"), window.trailing(rows=5), window.count(7, every=3)],
    ids=repr,
)
@pytest.mark.parametrize("kind", [*KEYS, "none"])
def test_a_hot_key_is_split_and_answers_as_ever(
    spark: SparkSession, hot_parts: list[int], over: Window, kind: str
) -> None:
    type_, hot_key = KEYS.get(kind, ("bigint", 7))
    given = rows(hot_key, 1 if type_ == "bigint" else "one")
    by = () if kind == "none" else ("k",)
    tuples = [tuple(row.values()) for row in given]
    frame = spark.createDataFrame(tuples, f"k {type_}, t timestamp, v bigint").coalesce(1)
    found = wr.over(frame, time="t", by=by, sample="always").window(over).aggregate(**AGGREGATES)
    assert max(hot_parts, default=0) > 1
    check_rows(found, expected(given, time="t", by=by, window=over, aggregates=AGGREGATES))


@pytest.mark.parametrize(
    "over",
    [
        window.trailing("9 s", closed="both", ties="together"),
        window.trailing("9 s", closed="left"),
    ],
    ids=repr,
)
def test_parts_of_a_hot_key_reach_back_to_the_start_of_their_windows(
    spark: SparkSession, hot_parts: list[int], over: Window
) -> None:
    given = rows(7, 1)
    tuples = [tuple(row.values()) for row in given]
    frame = spark.createDataFrame(tuples, "k bigint, t timestamp, v bigint").coalesce(1)
    query = wr.over(frame, time="t", by="k", sample="always").window(over)
    found = query.aggregate(**AGGREGATES)
    assert max(hot_parts, default=0) > 1
    check_rows(found, expected(given, time="t", by="k", window=over, aggregates=AGGREGATES))


def test_a_plan_looks_at_no_row(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "hot_keys", lambda *_: pytest.fail("rows were looked at"))
    frame = spark.sql("SELECT timestamp '2024-01-01' AS t, 1.0D AS v")
    query = wr.over(frame, time="t").window(window.trailing("1 hour"))
    assert query.plan(sum=agg.sum("v")).strategy is wr.Strategy.KERNEL


@pytest.mark.parametrize("over", [window.trailing(rows=5), window.count(5)], ids=repr)
def test_two_hot_keys_are_split_side_by_side(
    spark: SparkSession, hot_parts: list[int], over: Window
) -> None:
    given = [row | {"k": place % 2} for place, row in enumerate(rows(0, 0))]
    tuples = [tuple(row.values()) for row in given]
    frame = spark.createDataFrame(tuples, "k bigint, t timestamp, v bigint").coalesce(1)
    query = wr.over(frame, time="t", by="k", sample="always").window(over)
    found = query.aggregate(**AGGREGATES)
    assert len(hot_parts) == 2
    assert min(hot_parts) > 1
    check_rows(found, expected(given, time="t", by="k", window=over, aggregates=AGGREGATES))


def test_rows_that_change_after_they_were_sampled_are_told_of(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    noon = int(NOON.timestamp()) * 1_000_000
    promised = HotKey(None, Split((noon + 200_000_000,), (noon + 190_000_000,)))
    monkeypatch.setattr(run, "hot_keys", lambda *_: HotKeys((promised,)))
    tuples = [tuple(row.values()) for row in rows(7, 1)]
    frame = spark.createDataFrame(tuples, "k bigint, t timestamp, v bigint")
    query = wr.over(frame, time="t", sample="always").window(window.trailing(rows=100))
    found = query.aggregate(sum=agg.sum("v"))
    with pytest.raises(Exception, match="not the same each time it is read"):
        found.collect()
