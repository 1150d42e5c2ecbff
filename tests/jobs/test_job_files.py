"""Job files: what a good one says, and how settings of the command line replace its entries."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import GOOD, STREAM, problems, read, with_line
from windrow import agg, window
from windrow.jobs import AVAILABLE_NOW


def test_a_good_job_is_read_in_full(tmp_path: Path) -> None:
    job = read(
        tmp_path,
        """\
        source:
          format: csv
          path: readings
          schema: sensor string, ts timestamp, temp double
          options: {header: true, sep: ";", maxFilesPerTrigger: 3}
        time: ts
        by: [sensor, site]
        where: temp is not null
        columns: {fahrenheit: temp * 1.8 + 32}
        windows:
          trailing: {rows: 100}
        aggregates:
          p99: quantile(0.99, fahrenheit)
          hottest: argmax(sensor, by=temp)
        keep: [temp]
        emit: on_close
        order: time
        strategy: kernel
        sink: {format: console}
        spark: {spark.sql.shuffle.partitions: 4}
        """,
    )
    assert job.source.format == "csv"
    assert job.source.path == str(tmp_path / "readings")
    assert job.source.schema == "sensor string, ts timestamp, temp double"
    assert job.source.options == {"header": "true", "sep": ";", "maxFilesPerTrigger": "3"}
    assert not job.source.stream
    assert (job.time, job.by, job.keep) == ("ts", ("sensor", "site"), ("temp",))
    assert job.where == "temp is not null"
    assert job.columns == {"fahrenheit": "temp * 1.8 + 32"}
    assert job.windows == ((None, window.trailing(rows=100)),)
    assert job.aggregates == {
        "p99": agg.quantile(0.99, "fahrenheit"),
        "hottest": agg.argmax("sensor", by="temp"),
    }
    assert job.choices == {"emit": "on_close", "order": "time", "strategy": "kernel"}
    assert job.spark == {"spark.sql.shuffle.partitions": "4"}


def test_bounds_of_approximate_windows_are_read(tmp_path: Path) -> None:
    job = read(
        tmp_path,
        with_line(5, "aggregates: {a: {of: sum(temp), within: {relative: 0.01}}, n: count()}")
        + "approximate: {max_buckets: 500}\n",
    )
    assert job.aggregates == {"a": agg.sum("temp").within(relative=0.01), "n": agg.count()}
    assert job.approximate == {"max_buckets": 500}
    again = read(tmp_path, GOOD, "approximate={max_buckets: 7}")
    assert again.approximate == {"max_buckets": 7}
    assert read(tmp_path, GOOD, "approximate={}").approximate == {}
    assert read(tmp_path, GOOD).approximate is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [("time", {"method": "time"}), ("{method: panes, units: 8}", {"method": "panes", "units": 8})],
)
def test_it_says_how_windows_are_spread(tmp_path: Path, given: str, expected: Any) -> None:
    assert read(tmp_path, GOOD, f"parallel={given}").parallel == expected


def test_results_are_ordered_if_it_says_so(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD, "ordered=true").ordered
    assert not read(tmp_path, GOOD, "ordered=no").ordered
    assert not read(tmp_path, GOOD).ordered
    assert read(tmp_path, GOOD).parallel is None


def test_a_stream_is_read_in_full(tmp_path: Path) -> None:
    job = read(tmp_path, STREAM)
    assert job.source.stream
    assert job.lateness == "10 minutes"
    assert job.sink.trigger == AVAILABLE_NOW
    assert job.checkpoint == str(tmp_path / "checkpoints" / "hot")


def test_rate_is_a_stream_by_itself(tmp_path: Path) -> None:
    text = with_line(1, "source: {format: rate}", text=STREAM)
    assert read(tmp_path, text).source.stream


@pytest.mark.parametrize("address", ["s3://bucket/readings", "hdfs://host/a", "dbfs:/a"])
def test_addresses_stay_as_they_are(tmp_path: Path, address: str) -> None:
    job = read(tmp_path, with_line(1, f"source: {{format: parquet, path: '{address}'}}"))
    assert job.source.path == address


def test_absolute_paths_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere"
    job = read(tmp_path, with_line(1, f"source: {{format: parquet, path: '{path}'}}"))
    assert job.source.path == str(path)


def test_anchors_and_merged_mappings_work(tmp_path: Path) -> None:
    job = read(
        tmp_path,
        """\
        source: &files {format: parquet, path: readings}
        time: ts
        windows: {tumbling: 1 hour}
        aggregates: {n: count()}
        sink: {<<: *files, path: hot}
        """,
    )
    assert (job.sink.format, job.sink.path) == ("parquet", str(tmp_path / "hot"))


def test_a_good_job_has_no_problems(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD) == []
    assert problems(tmp_path, STREAM) == []


def test_settings_replace_entries(tmp_path: Path) -> None:
    job = read(
        tmp_path,
        GOOD,
        "sink.path=elsewhere",
        "by=[sensor, site]",
        "strategy=panes",
        "source.options.mergeSchema=true",
        "spark.sql.shuffle.partitions=4",
    )
    assert job.sink.path == str(tmp_path / "elsewhere")
    assert job.sink.mode == "overwrite"
    assert job.by == ("sensor", "site")
    assert job.choices == {"strategy": "panes"}
    assert job.source.options == {"mergeSchema": "true"}
    assert job.spark == {"spark.sql.shuffle.partitions": "4"}
