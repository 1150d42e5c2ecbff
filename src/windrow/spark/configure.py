"""Recommended settings of a Spark session."""

import os
import warnings
from collections.abc import Mapping

from pyspark.sql import SparkSession

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.spark.sources.tree import register

__all__ = [
    "BYTES_OF_BATCHES",
    "choose_tasks",
    "configure",
    "keep_state_in_rocksdb",
    "measures_batches",
]

# With a limit in bytes Spark measures each batch for Python again with every row that it adds,
# which takes longer than adding the row.
BYTES_OF_BATCHES = "spark.sql.execution.arrow.maxBytesPerBatch"

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

_SUITABLE: Mapping[str, str] = {
    BYTES_OF_BATCHES: str((1 << 31) - 1),  # Spark's word for no limit
    # The number of rows limits batches instead: each batch costs Python as much as a thousand rows
    # do. The rows of a query are short, as windows read few columns, and so are the chunks of our
    # packs.
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 12),
    _PROVIDER: _ROCKS_DB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
_PARTITIONS = "spark.sql.shuffle.partitions"


def configure(session: SparkSession) -> dict[str, str]:
    """Apply the recommended settings that are not set yet; returns what was set.

    The session can read the format `windrow` then: what a tree of nodes has sent.  Settings apply
    to all queries of the session: state of streams in RocksDB with a changelog, batches
    of 4,096 rows for Python whatever their size in bytes, and on a local master as many shuffle
    partitions as cores.

    ```python
    wr.configure(spark)
    assert spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == "4096"
    ```
    """
    if not hasattr(session, "conf"):  # sessions of Spark Connect are of another class
        raise InputError(
            f"session={shown(session)} is not a Spark session; give one, e.g. "
            "SparkSession.builder.getOrCreate()"
        )
    register(session)
    given = session.conf.getAll
    wanted = dict(_SUITABLE)
    cores = _local_cores(given.get("spark.master", ""))
    if cores:
        wanted[_PARTITIONS] = str(cores)  # each costs a task a batch, and a commit if it has state
    fresh = {key: value for key, value in wanted.items() if key not in given}
    for key, value in fresh.items():
        session.conf.set(key, value)
    return fresh


def keep_state_in_rocksdb(session: SparkSession) -> None:
    """Make sure that state is kept in RocksDB, the only provider Spark supports for our operator.

    Spark itself would only say so in the middle of a stack trace, after the stream has started.
    """
    given = session.conf.getAll.get(_PROVIDER)
    if given is None:
        session.conf.set(_PROVIDER, _ROCKS_DB)
    elif not given.endswith("RocksDBStateStoreProvider"):
        raise InputError(
            f"{_PROVIDER}={given!r} cannot keep the state of this stream: for operators in "
            f"Python, Spark supports only RocksDB; set it to {_ROCKS_DB}, or leave it unset"
        )


def choose_tasks(session: SparkSession, most: int | None = None) -> None:
    """Choose a sensible number of tasks for a stream, if the user has not.

    Every task costs a start of Python work and a commit, in every micro-batch.  On a local master
    there is one per core; on a cluster the number is not ours to set, so a warning says if there
    are more than the `most` that can have work.
    """
    given = session.conf.getAll
    if _PARTITIONS in given:
        return
    tasks = int(str(session.conf.get(_PARTITIONS)))
    cores = _local_cores(given.get("spark.master", ""))
    if cores:
        session.conf.set(_PARTITIONS, str(cores))
    elif most is not None and tasks > most:
        warnings.warn(
            f"{_PARTITIONS} is not set: every micro-batch will have {tasks} tasks, of which at "
            f"most {most} have work; set it before the stream is first started, as the checkpoint "
            "keeps it",
            stacklevel=2,
        )


def measures_batches(session: SparkSession) -> bool:
    """Whether Spark measures batches for Python row by row, without the user asking for it."""
    return session.conf.get(BYTES_OF_BATCHES, None) is None


def _local_cores(master: str) -> int | None:
    """How many cores a local master uses; None on a cluster."""
    if master == "local":
        return 1
    inside = master.removeprefix("local[").removesuffix("]").partition(",")[0]
    if not master.startswith("local[") or not (inside == "*" or inside.isdigit()):
        return None
    return (os.cpu_count() or 1) if inside == "*" else int(inside)
