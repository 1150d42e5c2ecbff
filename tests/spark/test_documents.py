"""The examples on Spark that documents and docstrings show."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import windrow as wr
from tests.test_docs import ON_SPARK, run_document, run_examples
from tests.test_reference import on_spark
from windrow import agg, window
from windrow.testing import Feed


@pytest.fixture
def folder(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where examples read and write by relative paths, in Python and in Java."""
    jvm: Any = spark._jvm
    before = jvm.System.getProperty("user.dir")
    _work_in(jvm, spark, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    _work_in(jvm, spark, before)


def _work_in(jvm: Any, spark: SparkSession, folder: str) -> None:
    files = jvm.org.apache.hadoop.fs.FileSystem.getLocal(spark._jsc.hadoopConfiguration())
    files.setWorkingDirectory(jvm.org.apache.hadoop.fs.Path(folder))
    jvm.System.setProperty("user.dir", folder)  # checkpoints ask for this one


@pytest.mark.parametrize("path", ON_SPARK, ids=lambda path: path.name)
def test_the_examples_of_a_document_hold_on_spark(path: Path, folder: Path) -> None:
    run_document(path)


def test_the_examples_of_docstrings_hold_on_spark(spark: SparkSession, folder: Path) -> None:
    for name, docstring in on_spark().items():
        names = {"Feed": Feed, "agg": agg, "datetime": datetime, "spark": spark, "window": window}
        run_examples(docstring, Path(name), {**names, "wr": wr})
