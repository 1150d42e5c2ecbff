"""A day of arrivals: the same readings, most on time, some late, a few strays; as files too."""

import hashlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from windrow.datasets import day_of_arrivals, day_of_sensors, write_arrivals
from windrow.errors import InputError

MINUTE_US = 60_000_000

generate: Any = day_of_arrivals  # some calls below are the ones its types rule out


def frame(**arguments: Any) -> pd.DataFrame:
    arguments = {"sensors": 20, "every_us": MINUTE_US, **arguments}
    arrivals: pd.DataFrame = generate(**arguments).to_pandas()
    return arrivals


def test_the_readings_are_those_of_the_sensors_in_another_order() -> None:
    readings = day_of_sensors(20, every_us=MINUTE_US).to_pandas()
    arrivals = frame().drop(columns="arrived").sort_values(["ts", "sensor"], ignore_index=True)
    pd.testing.assert_frame_equal(
        arrivals, readings.sort_values(["ts", "sensor"], ignore_index=True)
    )


def test_the_same_seed_gives_the_same_arrivals() -> None:
    arrived = frame(sensors=3)["arrived"].astype("int64").to_numpy().astype("<i8")
    assert hashlib.sha256(arrived.tobytes()).hexdigest()[:16] == "58064182eb4c8f5f"
    assert not frame(sensors=3, seed=8)["arrived"].equals(frame(sensors=3)["arrived"])


def test_rows_come_in_order_of_arrival_and_none_before_its_time() -> None:
    arrivals = frame()
    assert arrivals["arrived"].is_monotonic_increasing
    assert (arrivals["arrived"] >= arrivals["ts"]).all()


def test_some_are_late_and_a_few_stray() -> None:
    arrivals = frame(late=0.1, stray=0.01)
    minutes = (arrivals["arrived"] - arrivals["ts"]).dt.total_seconds() / 60
    assert ((minutes > 1) & (minutes <= 8)).mean() == pytest.approx(0.1 * 7 / 8, rel=0.1)
    assert (minutes >= 480).mean() == pytest.approx(0.01, rel=0.2)
    assert not ((minutes > 8) & (minutes < 480)).any()
    assert minutes.max() <= 720


def test_nothing_is_late_if_nothing_shall_be() -> None:
    arrivals = frame(late=0.0, stray=0.0)
    assert (arrivals["arrived"] - arrivals["ts"]).max() < pd.Timedelta("1min")


@pytest.mark.parametrize("share", ["late", "stray"])
def test_shares_are_checked(share: str) -> None:
    with pytest.raises(InputError, match=f"{share}=1.5 is not a share"):
        frame(**{share: 1.5})


def test_files_hold_what_arrived_and_carry_its_time(tmp_path: Path) -> None:
    arrivals = day_of_arrivals(3, every_us=MINUTE_US)
    paths = write_arrivals(arrivals, tmp_path / "new", every_us=60 * MINUTE_US)
    assert [path.name for path in paths[:2]] == ["part-00000.parquet", "part-00001.parquet"]
    tables = [pq.read_table(path) for path in paths]
    assert pa.concat_tables(tables).to_pylist() == arrivals.to_pylist()
    times = [pd.Timestamp(path.stat().st_mtime, unit="s", tz="UTC") for path in paths]
    assert {later - earlier for earlier, later in pairwise(times)} == {pd.Timedelta("1h")}
    for end, table in zip(times, tables, strict=True):
        assert (
            table["arrived"]
            .to_pandas()
            .between(end - pd.Timedelta("1h"), end, inclusive="left")
            .all()
        )


def test_no_rows_are_no_files(tmp_path: Path) -> None:
    assert write_arrivals(day_of_arrivals(1, every_us=MINUTE_US)[:0], tmp_path) == []
