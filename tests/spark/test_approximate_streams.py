"""Streams whose results are intervals: what a batch gives, through restarts, and less is kept."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from tests.spark.approximate_rows import (
    LATENESS,
    ROWS,
    SCHEMA,
    START,
    Row,
    answered,
    asked,
    same,
)
from windrow import agg, window
from windrow.spark.inspection import about_of, kept_keys, operators_of
from windrow.testing import Feed, Run
from windrow.windows import Emit

pytestmark = pytest.mark.usefixtures("one_partition")


def cut(rows: Sequence[Row], seed: int) -> list[list[Row]]:
    """Rows that arrive up to the lateness late, in micro-batches of any size."""
    random = Random(seed)
    late = {row["number"]: random.uniform(0, 25) for row in rows}
    arriving = sorted(rows, key=lambda row: row["t"] + timedelta(seconds=late[row["number"]]))
    cuts = sorted(random.sample(range(len(rows)), 2))
    return [arriving[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


@pytest.fixture
def feed(spark: SparkSession) -> Iterator[Feed]:
    with Feed(spark, SCHEMA, time="t", lateness=LATENESS) as fed:
        yield fed


def end(run: Run) -> None:
    run.watermark(START + timedelta(days=1))


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("rows", marks=pytest.mark.slow),
        pytest.param("time", marks=pytest.mark.slow),
        pytest.param("policy", marks=pytest.mark.slow),
    ],
)
def test_a_stream_gives_what_a_batch_does_through_a_restart(
    feed: Feed, spark: SparkSession, kind: str
) -> None:
    run = feed.start(asked(feed.frame, kind))
    first, *others = cut(ROWS, seed=len(kind))
    run.add(first)
    run.restart()
    too_late = {**ROWS[0], "number": -1}
    for batch in others:
        run.add([*batch, too_late])
    end(run)
    same(run.rows, answered(spark, kind))


def test_results_on_change_end_as_those_of_a_batch(feed: Feed, spark: SparkSession) -> None:
    run = feed.start(asked(feed.frame, "rows", emit=Emit.ON_CHANGE), mode="update")
    for batch in cut(ROWS, seed=3)[:2]:
        run.add(batch)
    before = {row["number"] for row in run.rows}
    run.add(cut(ROWS, seed=3)[2])
    end(run)
    assert before  # rows are answered as they arrive, before the watermark has passed them
    same(list({row["number"]: row for row in run.rows}.values()), answered(spark, "rows"))


@pytest.mark.slow
def test_another_bound_is_another_query(feed: Feed) -> None:
    def bounded(relative: float) -> DataFrame:
        query = wr.over(feed.frame, time="t", by="k").window(window.trailing(rows=5))
        return query.aggregate(sum=agg.sum("v").within(relative=relative))

    run = feed.start(bounded(0.1))
    run.add(ROWS[:10])
    run.restart(bounded(0.2))
    with pytest.raises(StreamingQueryException, match="holds the state of another query"):
        run.add(ROWS[10:20])
    run.restart(bounded(0.1))
    end(run)
    assert len(run.rows) == 20


def run_on(results: DataFrame, folder: Path) -> list[Any]:
    """Stream what is there, and stop; what the state store told of each micro-batch."""
    writer = results.writeStream.format("parquet").outputMode("append")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    running = writer.trigger(availableNow=True).start(str(folder / "results"))
    running.awaitTermination()
    return [p["stateOperators"][0] for p in running.recentProgress if p["numInputRows"]]


def test_a_stream_keeps_several_times_less(spark: SparkSession, tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(50, 5, 12_000)
    times = pa.array(np.arange(len(values)) * 1_000_000 + 10**15, pa.timestamp("us", tz="UTC"))
    pq.write_table(pa.table({"t": times, "v": values}), tmp_path / "rows.parquet")
    stream = spark.readStream.schema("t timestamp, v double").parquet(str(tmp_path / "*.parquet"))
    query = wr.over(stream, time="t", order="arrival").window(window.trailing(rows=10_000))
    kept = {}
    for name, total in {
        "exact": agg.sum("v"),
        "bounded": agg.sum("v").within(relative=0.01),
    }.items():
        (state,) = run_on(query.aggregate(total=total), tmp_path / name)
        counts = state["customMetrics"]
        kept[name] = counts["rocksdbSstFileSize"], counts["rocksdbTotalBytesWritten"]
    on_disk, written = (whole / part for whole, part in zip(*kept.values(), strict=True))
    assert on_disk > 5
    assert written > 5
    (operator,) = operators_of(spark, (tmp_path / "bounded" / "checkpoint").as_uri())
    (key,) = kept_keys(operator, about_of(operator)).collect()
    assert (key["rows"], key["oldest"]) == (10_000, None)


def test_a_plan_tells_how_exact_it_is_and_what_it_keeps(feed: Feed) -> None:
    query = wr.over(feed.frame, time="t", by="k").window(window.trailing(rows=5))
    plan = query.approximate(max_buckets=10_000).plan(
        sum=agg.sum("v").within(relative=0.001), peak=agg.max("v").within(), n=agg.count()
    )
    told = " ".join(plan.explain().split())
    for said in (
        "sum('v').within(relative=0.001, confidence=0.95): by SumLike(",
        "about 1,000 buckets for each key",
        "at most 10,000 buckets for each key",
        "a few per hundred rows",
        "count(): by Footprint(buckets=10000)",
        "the buckets of its window, and no rows",
        "those of a key to one task",
    ):
        assert said in told
    assert plan.as_dict()["exactness"]
    exactly = query.plan(n=agg.count())
    assert not exactly.exactness
    assert "How exact" not in exactly.explain()
