"""One batch and one stream, judged by the oracle, on a Spark that the arguments name.

A process has one Spark: others, on a cluster or behind Connect, run in processes of their own.
"""

import sys
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql import SparkSession

import windrow as wr
from windrow import agg, window
from windrow.algebra.aggregate import Aggregate
from windrow.testing import Feed, check_rows, expected

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
COLUMNS = "k string, t timestamp, v double"
HALF_A_MINUTE = window.trailing("30 s")
LONGEST = wr.monoid(lift=abs, combine=max, identity=0.0, commutative=True, name="farthest")
AGGREGATES: dict[str, Aggregate[Any]] = {
    "n": agg.count(),
    "mean": agg.mean("v"),
    "order": agg.collect("v"),
    "farthest": agg.of(LONGEST, "v"),
}
ROWS: list[dict[str, Any]] = [
    {"k": f"key {number % 7}", "t": NOON + timedelta(seconds=number), "v": float(-number)}
    for number in range(200)
]


def asked_of(frame: Any) -> Any:
    """The query, over a batch or a stream."""
    return wr.over(frame, time="t", by="k").window(HALF_A_MINUTE).aggregate(**AGGREGATES)


def main(spark: Any) -> None:
    wanted = expected(ROWS, time="t", by="k", window=HALF_A_MINUTE, aggregates=AGGREGATES)

    batch = spark.createDataFrame([tuple(row.values()) for row in ROWS], COLUMNS)
    check_rows(asked_of(batch.repartition(4, "v")), wanted)
    print("batch agrees", flush=True)

    with Feed(spark, COLUMNS, time="t", lateness="10 s") as feed:
        run = feed.start(asked_of(feed.frame))
        for start in range(0, len(ROWS), 80):
            run.add(ROWS[start : start + 80])
        run.watermark(NOON + timedelta(hours=1))
        check_rows(run.rows, wanted)
    print("stream agrees", flush=True)


def session(where: str, settings: dict[str, str]) -> Any:
    """A session of Spark on a master, or of Connect on a server of its own."""
    kind, _, address = where.partition(" ")
    builder: Any = SparkSession.builder
    builder = builder.remote(address) if kind == "connect" else builder.master(address)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    from tests.spark.conftest import SETTINGS

    spark = session(sys.argv[1], SETTINGS)
    try:
        main(spark)
    finally:
        spark.stop()
