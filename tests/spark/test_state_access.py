"""What a micro-batch reads and writes grows with the keys it touches, not with the state."""

from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import SparkSession

import windrow as wr
from windrow import agg, window
from windrow.testing import Feed

START = datetime(2024, 7, 1, tzinfo=UTC)
KEYS = 2000


def _written(report: Any) -> tuple[int, int]:
    """Values read and written by a micro-batch, by the state store's own count."""
    (operator,) = report["stateOperators"]
    counts = operator["customMetrics"]
    return counts["rocksdbGetCount"], counts["rocksdbPutCount"]


def test_a_micro_batch_of_one_key_touches_one_bucket(spark: SparkSession) -> None:
    with Feed(spark, "k int, t timestamp, v double", time="t") as feed:
        query = (
            wr.over(feed.frame, time="t", by="k", order="arrival")
            .window(window.trailing(rows=5))
            .aggregate(mean=agg.mean("v"))
        )
        run = feed.start(query)
        everyone = [{"k": k, "t": START + timedelta(seconds=k), "v": 1.0} for k in range(KEYS)]
        assert len(run.add(everyone)) == KEYS
        of_all = _written(next(p for p in reversed(run.progress) if p["numInputRows"]))
        later = START + timedelta(seconds=KEYS)
        assert len(run.add([{"k": 7, "t": later, "v": 2.0}])) == 1
        of_one = _written(next(p for p in reversed(run.progress) if p["numInputRows"]))
    # A bucket's state is its head, one shard, and a timer: a handful of values, whatever it holds.
    assert of_one[0] <= of_all[0] / 8
    assert of_one[1] <= of_all[1] / 8
    assert of_all[1] < KEYS / 10
