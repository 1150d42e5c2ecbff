"""Readings of sensors: rows in the order of their times, no two of which are equal."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

__all__ = ["DAY_US", "HOUR_US", "MINUTE_US", "cached", "readings"]

MINUTE_US = 60_000_000
HOUR_US = 60 * MINUTE_US
DAY_US = 24 * HOUR_US

_START_US = 1_750_000_000_000_000  # in June 2025, and in the middle of a minute


def readings(rows: int, keys: int, span_us: int = DAY_US, *, before: int = 0) -> DataFrame:
    """Rows ts, sensor, value, evenly over a span; `before` counts the rows that came earlier.

    Keys and values are drawn by hashing the number of the row, the same in every run.
    """
    drawn = F.pmod(F.xxhash64("id"), F.lit(keys))
    return (
        SparkSession.active()
        .range(before, before + rows, numPartitions=2)
        .select(
            F.timestamp_micros(F.lit(_START_US) + F.col("id") * (span_us // rows)).alias("ts"),
            drawn.alias("sensor"),
            (F.pmod(F.xxhash64("id", F.lit("value")), F.lit(1_000_003)) / 1000.0).alias("value"),
        )
    )


@contextmanager
def cached(df: DataFrame) -> Iterator[DataFrame]:
    """The same rows, computed once and held in memory: both sides read them from there."""
    held = df.cache()
    held.count()
    try:
        yield held
    finally:
        held.unpersist(blocking=True)
