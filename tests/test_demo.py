"""The demo: batch, stream and plain Spark agree, and the page holds all it shows."""

import re
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from examples.hot_hours import demo
from examples.hot_hours.agreement import compare, read_results
from examples.hot_hours.day import JOBS
from tests.spark.conftest import spark
from windrow.datasets import day_of_arrivals
from windrow.jobs import read_job

__all__ = ["spark"]


SENSORS, EVERY_S = 3, 300


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "new folder"
    status = demo.main([f"--sensors={SENSORS}", f"--every={EVERY_S}", f"--folder={folder}"])
    assert status == 0  # it has compared the results itself
    return folder


def test_the_windows_agree_with_pandas(folder: Path) -> None:
    arrivals = day_of_arrivals(SENSORS, every_us=EVERY_S * 1_000_000).to_pandas()
    in_time = arrivals[arrivals["arrived"] < arrivals["ts"] + pd.Timedelta("1h")]
    first = in_time["ts"].min().floor("min") - pd.Timedelta("59min")
    starts = pd.date_range(first, in_time["ts"].max(), freq="min").as_unit("us")
    rows = []
    for sensor, own in in_time.groupby("sensor", observed=True):
        for start in starts:
            inside = own[(own["ts"] >= start) & (own["ts"] < start + pd.Timedelta("1h"))]["temp"]
            rows.append((start, sensor, inside.mean(), inside.min(), inside.max(), inside.count()))
            if inside.size == 0:
                rows.pop()
    expected = pd.DataFrame(rows, columns=["start", "sensor", "mean", "low", "peak", "n"])
    found = compare(expected, read_results(folder / "batch"))
    assert (found.only_first, found.only_second) == (0, 0)
    assert found.apart < 1e-9


def test_the_page_is_one_file_with_everything_in_it(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    assert len(re.findall(r'<img src="data:image/png;base64,', page)) == 3
    assert not re.search(r'(?:src|href)="(?!data:)', page)
    assert "batch = stream</dt><dd>yes<" in page


@pytest.mark.parametrize("way", JOBS)
def test_the_job_files_are_good_as_they_are(way: str) -> None:
    job = read_job(JOBS[way])
    assert job.source.stream == (way == "stream")
    assert "build/demo" in (job.source.path or "")


def test_results_that_differ_are_noticed() -> None:
    one = pd.DataFrame(
        {"sensor": ["a", "b"], "start": pd.to_datetime(["2024-06-21", "2024-06-22"])}
    )
    one = one.assign(mean=[1.0, 2.0], low=0.0, peak=3.0, n=4)
    assert compare(one, one).agrees
    assert not compare(one, one.assign(mean=[1.0, 2.1])).agrees
    assert not compare(one, one.assign(low=[0.0, float("nan")])).agrees
    assert not compare(one[:1], one).agrees
    assert compare(one, one[:1]).agrees  # a stream may have windows that are still open
    assert not compare(one, one[1:]).agrees  # but none before those that have closed
