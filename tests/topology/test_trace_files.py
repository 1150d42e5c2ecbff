"""Traces in files: CSV, Parquet and JSON lines, times in all their forms, and what is refused."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from tests.topology.traces import poisson, skewed_clocks, trace_of
from windrow.errors import InputError
from windrow.topology import Trace, measured, read_trace

TIMES, DEVICES = poisson(1, [1.0] * 20, 120)
SIZES = (DEVICES * 10 + 5).astype(np.float64)
PERIODS = skewed_clocks(2, (TIMES, DEVICES), 10, 0.5)
START = datetime(2024, 2, 29, 23, 59, tzinfo=UTC)
TIMES = np.round(TIMES, 6)
MOMENTS = [START + timedelta(microseconds=round(1e6 * t)) for t in TIMES]
ISO = [moment.isoformat() for moment in MOMENTS]

FORMS: dict[str, Any] = {
    "numbers": TIMES,
    "whole_numbers": np.floor(TIMES).astype(np.int64),
    "epoch": TIMES + 1_700_000_000,
    "timestamps": pa.array(MOMENTS, pa.timestamp("us", tz="UTC")),
    "local_timestamps": pa.array(
        [moment.replace(tzinfo=None) for moment in MOMENTS], pa.timestamp("us")
    ),
    "nanoseconds": pa.array(MOMENTS, pa.timestamp("ns", tz="UTC")),
    "iso": ISO,
    "iso_in_no_zone": [moment.replace(tzinfo=None).isoformat() for moment in MOMENTS],
}


def table(**changed: Any) -> pa.Table:
    columns = {"time": TIMES, "device": DEVICES, "bytes": SIZES, "period": PERIODS}
    columns.update(changed)
    return pa.table({name: value for name, value in columns.items() if value is not None})


def as_csv(rows: pa.Table, path: Path) -> Path:
    csv.write_csv(rows, path.with_suffix(".csv"))
    return path.with_suffix(".csv")


def as_parquet(rows: pa.Table, path: Path) -> Path:
    parquet.write_table(rows, path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def as_json(rows: pa.Table, path: Path) -> Path:
    rows.to_pandas().to_json(path.with_suffix(".jsonl"), orient="records", lines=True)
    return path.with_suffix(".jsonl")


def read(tmp_path: Path, rows: pa.Table, **names: str) -> Trace:
    return read_trace(as_parquet(rows, tmp_path / "trace"), **names)


@pytest.mark.parametrize("write", [as_csv, as_parquet])
@pytest.mark.parametrize("form", FORMS)
def test_times_are_read_in_every_form(
    tmp_path: Path, write: Callable[[pa.Table, Path], Path], form: str
) -> None:
    trace = read_trace(write(table(time=FORMS[form]), tmp_path / "trace"))
    expected = np.sort(np.floor(TIMES) if form == "whole_numbers" else TIMES)
    np.testing.assert_allclose(trace.times_s, expected - expected[0], atol=2e-6)
    assert len(set(trace.devices.tolist())) == len(set(DEVICES.tolist()))


@pytest.mark.parametrize("write", [as_csv, as_parquet, as_json])
def test_all_files_of_one_trace_tell_the_same(
    tmp_path: Path, write: Callable[[pa.Table, Path], Path]
) -> None:
    found = measured(read_trace(write(table(), tmp_path / "trace")))
    expected = measured(trace_of(TIMES, DEVICES, SIZES, PERIODS))
    assert found.arrivals.skew_s == pytest.approx(expected.arrivals.skew_s)
    assert found.arrivals.burst == pytest.approx(expected.arrivals.burst)
    assert [one.count for one in found.sources] == [one.count for one in expected.sources]
    assert [one.rate for one in found.sources] == pytest.approx(
        [one.rate for one in expected.sources]
    )
    assert [one.item_bytes for one in found.sources] == pytest.approx(
        [one.item_bytes for one in expected.sources]
    )


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    rows = table().rename_columns(["wann", "wer", "wieviel", "welche"])
    trace = read(tmp_path, rows, time="wann", device="wer", size="wieviel", period="welche")
    assert trace.sizes is not None
    assert trace.periods is not None
    np.testing.assert_allclose(trace.times_s, np.sort(TIMES) - TIMES.min())


def test_devices_may_be_called_anything(tmp_path: Path) -> None:
    trace = read(tmp_path, table(device=[f"gateway {d}" for d in DEVICES]))
    assert sum(one.count for one in measured(trace).sources) == 20


def test_sizes_and_periods_may_be_missing(tmp_path: Path) -> None:
    trace = read(tmp_path, table(bytes=None, period=None))
    assert trace.sizes is None
    assert trace.periods is None


@pytest.mark.parametrize("argument", ["time", "device", "size", "period"])
def test_a_column_that_is_not_there_is_refused(tmp_path: Path, argument: str) -> None:
    with pytest.raises(InputError, match=f"{argument}='x': .* no such column; it has time, dev"):
        read(tmp_path, table(), **{argument: "x"})


@pytest.mark.parametrize("name", ["time", "device"])
def test_a_trace_without_times_or_devices_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"has no column called .*{name}.*: name the one to take"):
        read(tmp_path, table(**{name: None}))


@pytest.mark.parametrize("name", ["time", "device", "bytes", "period"])
def test_nulls_are_refused(tmp_path: Path, name: str) -> None:
    values = table()[name].to_pylist()
    with pytest.raises(InputError, match=f"^{name} is null in 2 rows of the trace; leave"):
        read(tmp_path, table(**{name: [None, *values[1:-1], None]}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time", float("nan")),
        ("time", float("inf")),
        ("bytes", float("nan")),
        ("bytes", -1.0),
    ],
)
def test_numbers_that_cannot_be_are_refused(tmp_path: Path, name: str, value: float) -> None:
    values = table()[name].to_pylist()
    with pytest.raises(InputError, match=rf"^{name} (is not|goes down to) .*; leave"):
        read(tmp_path, table(**{name: [value, *values[1:]]}))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("time", ["soon"] * len(TIMES)),
        ("time", [True] * len(TIMES)),
        ("time", [Decimal(1)] * len(TIMES)),
        ("time", [time(12)] * len(TIMES)),
        ("bytes", ["many"] * len(TIMES)),
    ],
)
def test_columns_of_another_kind_are_refused(
    tmp_path: Path, name: str, values: list[object]
) -> None:
    with pytest.raises(InputError, match=rf"^{name} is .*; give"):
        read(tmp_path, table(**{name: values}))


@pytest.mark.parametrize("name", ["time", "device", "bytes", "period"])
def test_columns_of_parts_are_refused(tmp_path: Path, name: str) -> None:
    parts = [{"a": number} for number in range(len(TIMES))]
    with pytest.raises(InputError, match=name):
        read(tmp_path, table(**{name: parts}))


def test_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time,device,time\n0,a,1\n60,b,61\n")
    with pytest.raises(InputError, match="several columns called time; leave all but one out"):
        read_trace(path)


@pytest.mark.parametrize("of_a_second", [1_000, 1_000_000, 1_000_000_000])
def test_times_since_1970_that_are_no_seconds_are_refused(tmp_path: Path, of_a_second: int) -> None:
    times = np.round((1_700_000_000 + TIMES) * of_a_second).astype(np.int64)
    with pytest.raises(InputError, match=r"taken as seconds.*; give seconds, or timestamps"):
        read(tmp_path, table(time=times))


def test_a_trace_of_thousands_of_years_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"years.*taken as seconds; give seconds, or timestamps"):
        read(tmp_path, table(time=1e8 * TIMES))


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("write", [as_csv, as_parquet])
@pytest.mark.parametrize("form", ["numbers", "timestamps"])
def test_a_trace_of_too_few_rows_is_refused(
    tmp_path: Path, write: Callable[[pa.Table, Path], Path], rows: int, form: str
) -> None:
    few = table(time=FORMS[form]).slice(0, rows)
    with pytest.raises(InputError, match=f"{rows} items"):
        read_trace(write(few, tmp_path / "trace"))


@pytest.mark.parametrize("text", ["", "\n", "time,device\n", "time,device\n1,2,3\n", "\0\0"])
def test_files_of_csv_that_hold_no_trace_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "trace.csv").write_text(text)
    with pytest.raises(InputError):
        read_trace(tmp_path / "trace.csv")


@pytest.mark.parametrize("name", ["trace.parquet", "trace.jsonl", "trace.xlsx", "trace"])
def test_files_that_are_no_table_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("no table")
    with pytest.raises(InputError, match=name):
        read_trace(tmp_path / name)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_trace(tmp_path / "none.csv")


def test_a_table_without_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column"):
        read(tmp_path, pa.table({}))
