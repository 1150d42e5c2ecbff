"""The Spark that everything is measured on: two cores unless said otherwise."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from windrow.cli.session import started

__all__ = ["SETTINGS", "session"]

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "localhost",
    "spark.driver.memory": "6g",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}


@contextmanager
def session(cores: int = 2, master: str | None = None) -> Iterator[SparkSession]:
    """A session that ends with the block; experiments find it as `SparkSession.active()`."""
    spark = started("windrow benchmarks", master or f"local[{cores}]", SETTINGS, debug=False)
    try:
        yield spark
    finally:
        spark.stop()
