"""Micro-batches of a stream correct what is predicted of that stream, and of no other."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from windrow import agg, window
from windrow.plan.calibrated import constants
from windrow.testing import Feed

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
SCHEMA = "k string, t timestamp, v double"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path / "cache"))


def asked(feed: Feed, **aggregates: Any) -> Any:
    query = wr.over(feed.frame, time="t", by="k").window(window.trailing("1 minute"))
    return query.aggregate(**(aggregates or {"peak": agg.max("v")}))


def rows(batch: int, number: int) -> list[dict[str, Any]]:
    begin = NOON + timedelta(minutes=batch)
    return [{"k": "a", "t": begin + timedelta(seconds=s), "v": s * 1.0} for s in range(number)]


def test_a_stream_is_corrected_by_its_own_micro_batches(spark: SparkSession) -> None:
    before = constants()
    with Feed(spark, SCHEMA, time="t") as feed:
        results = asked(feed)
        predicted = results.plan().micro_batch
        assert predicted is not None
        assert predicted.measured == 0
        said = " ".join(results.plan().explain().split())
        assert "none of this stream was timed yet" in said
        # Steps that take and give rows make no other stream of it.
        run = feed.start(results.where("peak >= 0"))
        for batch in range(5):
            run.add(rows(batch, number=10 + batch))
        found = results.plan().micro_batch
        assert found is not None
        reported = [one for one in run.progress if one.numInputRows]
        assert found.measured == len(reported) - 1  # the first waits for workers
        assert found.rows == round(median(one.numInputRows for one in reported[1:]))
        took = [one.durationMs["addBatch"] / 1000 for one in reported[1:]]
        assert min(took) <= found.corrected <= max(took)
        run.stop()
    with Feed(spark, SCHEMA, time="t") as feed:
        again = asked(feed).plan()
        assert again.micro_batch == found
        text = again.explain()
        assert f"from {found.measured} micro-batches of this stream" in " ".join(text.split())
        assert again.as_dict()["micro_batch"]["factor"] == found.factor
        assert "Micro-batches" in again._repr_html_()
        other = asked(feed, low=agg.min("v")).plan().micro_batch
        assert other is not None
        assert other.measured == 0
    assert constants() == before


def test_of_spark_s_own_operators_and_of_batches_nothing_is_predicted(spark: SparkSession) -> None:
    with Feed(spark, SCHEMA, time="t") as feed:
        query = wr.over(feed.frame, time="t", strategy="native").window(window.tumbling("1 minute"))
        assert query.aggregate(peak=agg.max("v")).plan().micro_batch is None
    batch = spark.createDataFrame([("a", NOON, 1.0)], SCHEMA)
    found = wr.over(batch, time="t").window(window.trailing("1 minute"))
    assert found.aggregate(peak=agg.max("v")).plan().micro_batch is None
