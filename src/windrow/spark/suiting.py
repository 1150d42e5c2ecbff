"""Settings of a Spark session that suit windows."""

import os
from collections.abc import Mapping

from pyspark.sql import SparkSession

__all__ = ["BYTES_OF_BATCHES", "measures_batches", "suit"]

# Up to a limit in bytes Spark measures each batch for Python anew with every row that it adds to
# it, which takes longer than adding the row.
BYTES_OF_BATCHES = "spark.sql.execution.arrow.maxBytesPerBatch"

_SUITABLE: Mapping[str, str] = {
    BYTES_OF_BATCHES: str((1 << 31) - 1),  # Spark's word for no limit
    # Rows bound batches instead: each batch costs Python as much as a thousand rows do.  Those of a
    # query are short, as windows ask for few columns, and so are the packets in which ours travel.
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 12),
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
_PARTITIONS = "spark.sql.shuffle.partitions"


def suit(session: SparkSession) -> dict[str, str]:
    """Set what suits windows and was not set by anyone; returns what was set.

    The settings hold for all queries of the session: state of streams in RocksDB with a changelog,
    batches for Python of 4,096 rows whatever their bytes, and on a local master as many partitions
    of a shuffle as cores.
    """
    given = session.conf.getAll
    wanted = dict(_SUITABLE)
    cores = _local_cores(given.get("spark.master", ""))
    if cores:
        wanted[_PARTITIONS] = str(cores)  # each costs a task a batch, and a commit if it has state
    fresh = {key: value for key, value in wanted.items() if key not in given}
    for key, value in fresh.items():
        session.conf.set(key, value)
    return fresh


def measures_batches(session: SparkSession) -> bool:
    """Whether Spark measures batches for Python row by row, without anybody having asked for it."""
    return session.conf.get(BYTES_OF_BATCHES, None) is None


def _local_cores(master: str) -> int | None:
    """How many cores a local master uses; None on a cluster."""
    if master == "local":
        return 1
    inside = master.removeprefix("local[").removesuffix("]").partition(",")[0]
    if not master.startswith("local[") or not (inside == "*" or inside.isdigit()):
        return None
    return (os.cpu_count() or 1) if inside == "*" else int(inside)
