"""The demo of a tree: its windows are those of Spark, and the page holds all it shows."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from examples.edge_tree import demo
from examples.edge_tree.devices import readings
from examples.edge_tree.outcome import compared, lines_of
from tests.spark.conftest import spark

__all__ = ["spark"]


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edge") / "new folder"
    arguments = ["--devices=8", "--every=0.5", "--limit=8", "--seconds=4"]
    assert demo.main([*arguments, f"--folder={folder}"]) == 0  # it has compared the results itself
    return folder


def test_the_page_is_one_file_with_everything_in_it(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    assert page.count("<svg") == 2
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "tree = Spark&#x27;s batch</dt><dd>yes<" in page


def test_windows_that_differ_or_are_missing_are_noticed(folder: Path) -> None:
    rows = lines_of(folder / "out" / "windows")
    assert compared(rows, folder / "batch").agrees
    assert not compared(rows[1:], folder / "batch").agrees
    assert not compared([{**rows[0], "n": 0}, *rows[1:]], folder / "batch").agrees


def test_devices_say_the_same_each_time() -> None:
    assert readings(3, 2.0, 20.0) == readings(3, 2.0, 20.0)
    assert sum(one.is_in_the_future for one in readings(3, 2.0, 20.0)) == 1
