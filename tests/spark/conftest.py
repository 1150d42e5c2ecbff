"""One small Spark for all tests that need one."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.forking import forking_python
from windrow.spark import run
from windrow.spark.batch import hot_keys
from windrow.spark.batch.cutting import HotKeys

ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "Europe/Berlin",  # a zone with summer time
    "spark.sql.adaptive.enabled": "false",  # tiny jobs: planning anew costs more than it saves
    "spark.sql.streaming.stateStore.providerClass": ROCKS_DB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "OFF",
}

# A test lasts seconds: code that the JVM would optimise for hours is not worth its time, nor are
# the checkpoints' safeguards against a crash of the machine, and workers need not import for a
# second what others have imported before them.
QUICK_START = {
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
    ),
    "spark.python.daemon.module": "tests.spark.daemon",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing"
        ".FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
    # A few rows never pay for a compilation; test_compiled_workers.py has kernels compiled.
    "spark.executorEnv.WINDROW_COMPILE": "never",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    builder = SparkSession.builder.master(os.environ.get("WINDROW_TEST_MASTER", "local[2]"))
    builder = builder.appName("windrow tests")
    for name, value in (SETTINGS | QUICK_START).items():
        builder = builder.config(name, value)
    warehouse = tmp_path_factory.mktemp("warehouse")
    session = builder.config("spark.sql.warehouse.dir", str(warehouse)).getOrCreate()
    with forking_python(tmp_path_factory.mktemp("python")) as python:
        session.sparkContext.pythonExec = python
        yield session
        session.stop()


@pytest.fixture(scope="module")
def one_partition(spark: SparkSession) -> Iterator[None]:
    """All key groups in one partition: a third less work for streams of which results matter."""
    name = "spark.sql.shuffle.partitions"
    spark.conf.set(name, "1")
    yield
    spark.conf.set(name, SETTINGS[name])


@pytest.fixture
def hot_parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Small keys are hot, and all rows are looked at; tells into how many parts keys are split."""
    monkeypatch.setattr(hot_keys, "_FEW_ROWS", 100)
    monkeypatch.setattr(hot_keys, "_ONE_IN", 1)
    parts: list[int] = []

    def noted(*arguments: Any) -> HotKeys:
        found = looking(*arguments)
        parts.extend(key.split.slots for key in found.keys)
        return found

    looking = hot_keys.hot_keys
    monkeypatch.setattr(run, "hot_keys", noted)
    return parts
