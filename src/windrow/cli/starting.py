"""A Spark session fit for windows: the one there is, or a new one with settings that suit them."""

import os
import sys
from collections.abc import Mapping

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

__all__ = ["SPARK_ERRORS", "active_session", "start_session", "suit"]

# Its own errors, and those of Java that have no form in Python.
SPARK_ERRORS = (PySparkException, Py4JError)

# Known before Spark starts; whoever wants the web page asks for it.
_AT_START: Mapping[str, str] = {
    "spark.log.level": "ERROR",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
# What windows over streams gain by (docs of RocksDB state), and larger batches for Python.
_AT_ANY_TIME: Mapping[str, str] = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
_PARTITIONS = "spark.sql.shuffle.partitions"


def active_session() -> SparkSession | None:
    """The session of this thread or process, if there is one."""
    return SparkSession.getActiveSession()


def start_session(name: str, master: str | None, settings: Mapping[str, str]) -> SparkSession:
    """Start a session; without a master Spark decides: by its own settings, or local[*]."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name)
    remote = master is not None and master.startswith("sc://")
    if master is not None:
        builder = builder.remote(master) if remote else builder.master(master)
    if not remote and "SPARK_REMOTE" not in os.environ:
        settings = {**_AT_START, **settings}
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def suit(session: SparkSession) -> None:
    """Set what suits windows and was not set by anyone."""
    given = session.conf.getAll
    for key, value in _AT_ANY_TIME.items():
        if key not in given:
            session.conf.set(key, value)
    cores = _local_cores(given.get("spark.master", ""))
    if cores and _PARTITIONS not in given:
        # Each of them costs a task a batch, and a commit if it holds state.
        session.conf.set(_PARTITIONS, str(cores))


def _local_cores(master: str) -> int | None:
    """How many cores a local master uses; None on a cluster."""
    if master == "local":
        return 1
    inside = master.removeprefix("local[").removesuffix("]").partition(",")[0]
    if not master.startswith("local[") or not (inside == "*" or inside.isdigit()):
        return None
    return (os.cpu_count() or 1) if inside == "*" else int(inside)
