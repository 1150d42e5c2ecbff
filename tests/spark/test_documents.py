"""The examples on Spark that documents show."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.test_docs import ON_SPARK, run_document

pytestmark = pytest.mark.xdist_group("spark")


@pytest.mark.parametrize("path", ON_SPARK, ids=lambda path: path.name)
def test_the_examples_of_a_document_hold_on_spark(
    path: Path, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_document(path)
