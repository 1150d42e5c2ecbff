"""The Spark that everything is measured on: two cores unless said otherwise."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from windrow.cli.session import started

__all__ = ["SETTINGS", "session"]

_STATE = "spark.sql.streaming.stateStore"

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "localhost",
    "spark.driver.memory": "6g",
    "spark.log.level": "OFF",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    f"{_STATE}.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.ui.enabled": "false",
}


@contextmanager
def session(cores: int = 2) -> Iterator[SparkSession]:
    """A session that ends with the block; experiments find it as `SparkSession.active()`."""
    spark = started("windrow benchmarks", f"local[{cores}]", SETTINGS, debug=False)
    try:
        yield spark
    finally:
        spark.stop()
