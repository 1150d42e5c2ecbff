"""The same question in plain PySpark: what the jobs are compared with."""

import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

SCHEMA = "ts timestamp, sensor string, temp double, arrived timestamp"
FILES_PER_BATCH = 24


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


def run_stream(spark: SparkSession, readings: Path, results: Path, checkpoint: Path) -> float:
    """Seconds that a stream takes until all files are read."""
    reader: Any = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", FILES_PER_BATCH)
    arrived = reader.parquet(str(readings)).withWatermark("ts", "10 minutes")
    writer = hot_hours(arrived).writeStream.format("parquet").outputMode("append")
    writer = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    begin = time.perf_counter()
    writer.start(str(results)).awaitTermination()
    return time.perf_counter() - begin
