"""Buckets of keys: what one call of Spark's stateful operator handles."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from windrow.errors import InputError

__all__ = ["SETTING", "buckets_of"]

SETTING = "spark.windrow.buckets"
_DEFAULT = 16
_MOST = 1 << 12


def buckets_of(spark: SparkSession) -> tuple[int, ...]:
    """The buckets of a session, which must stay what they are as long as a checkpoint lives.

    Their number is the setting `spark.windrow.buckets`, 16 unless set: at most as many tasks work
    at a time.  Their labels are numbers that Spark spreads evenly over its partitions.
    """
    text = str(spark.conf.get(SETTING, str(_DEFAULT)))
    wanted = int(text) if text.isdigit() else 0
    if not 1 <= wanted <= _MOST or wanted & (wanted - 1):
        raise InputError(
            f"{SETTING}={text!r} is not a power of two from 1 to {_MOST}; "
            f"leave it at {_DEFAULT}, or set it to at least the number of cores"
        )
    known = _labels.get(wanted)
    if known is None:
        known = _labels[wanted] = _evenly_spread(spark, wanted)
    return known


_labels: dict[int, tuple[int, ...]] = {}


def _evenly_spread(spark: SparkSession, wanted: int) -> tuple[int, ...]:
    """The first number of each remainder of Spark's own hash."""
    candidates = spark.range(32 * wanted).select(F.col("id").cast("int").alias("id"))
    rest = F.pmod(F.hash("id"), F.lit(wanted)).alias("rest")
    found = candidates.select("id", rest).groupBy("rest").agg(F.min("id").alias("id")).collect()
    return tuple(row["id"] for row in sorted(found, key=lambda row: row["rest"]))
