"""The same question in plain PySpark: what the jobs are compared with."""

import time
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

SCHEMA = "ts timestamp, sensor string, temp double, arrived timestamp"


def hot_hours(readings: DataFrame) -> DataFrame:
    return readings.groupBy(sf.window("ts", "1 hour", "1 minute"), "sensor").agg(
        sf.avg("temp").alias("mean"),
        sf.min("temp").alias("low"),
        sf.max("temp").alias("peak"),
        sf.count("temp").alias("n"),
    )


def run_batch(spark: SparkSession, readings: Path, results: Path) -> float:
    """Seconds that a batch takes."""
    arrived = spark.read.schema(SCHEMA).parquet(str(readings))
    in_time = arrived.where("arrived < ts + interval 1 hour")
    begin = time.perf_counter()
    hot_hours(in_time).write.mode("overwrite").parquet(str(results))
    return time.perf_counter() - begin
