"""A day of sensors is the same for the same seed, and looks like a day of sensors."""

import hashlib
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from windrow.datasets import day_of_sensors
from windrow.errors import InputError

MINUTE_US = 60_000_000

generate: Any = day_of_sensors  # some calls below are the ones its types rule out


def frame(**arguments: Any) -> pd.DataFrame:
    readings: pd.DataFrame = generate(**arguments).to_pandas()
    return readings


def series(readings: pd.DataFrame, sensor: str) -> "pd.Series[float]":
    temp: pd.Series[float] = readings[readings["sensor"] == sensor].set_index("ts")["temp"]
    return temp


def checksum(readings: pd.DataFrame) -> str:
    columns = (
        readings["ts"].to_numpy("datetime64[us]").astype("<i8"),
        readings["sensor"].cat.codes.to_numpy().astype("<i4"),
        readings["temp"].fillna(-999.0).to_numpy().astype("<f8"),
    )
    return hashlib.sha256(b"".join(column.tobytes() for column in columns)).hexdigest()


def test_the_columns_have_the_promised_types() -> None:
    schema = day_of_sensors(1, every_us=60 * MINUTE_US).schema
    assert [f"{field.name}: {field.type}" for field in schema] == [
        "ts: timestamp[us, tz=UTC]",
        "sensor: dictionary<values=string, indices=int32, ordered=0>",
        "temp: double",
    ]


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert checksum(frame(sensors=3, seed=1, every_us=10 * MINUTE_US)) == (
        "86d01c6d708c9daf4566ee38bd3583a375a2c18f0f79916513a3074cc8724fb3"
    )


def test_another_seed_gives_other_readings() -> None:
    one, other = (frame(sensors=3, seed=seed, every_us=MINUTE_US) for seed in (1, 2))
    assert checksum(one) != checksum(other)


def test_more_sensors_leave_the_first_ones_as_they_were() -> None:
    few, many = (frame(sensors=sensors, every_us=MINUTE_US) for sensors in (2, 9))
    for sensor in ("s-001", "s-002"):
        pd.testing.assert_series_equal(series(few, sensor), series(many, sensor))


def test_rows_are_sorted_by_time_within_the_day() -> None:
    times = frame(sensors=7, every_us=7_000_001, day=date(1969, 2, 28))["ts"]
    assert times.is_monotonic_increasing
    assert times.iloc[0] >= datetime(1969, 2, 28, tzinfo=UTC)
    assert times.iloc[-1] < datetime(1969, 3, 1, tzinfo=UTC)


def test_every_sensor_reads_at_its_own_moment_of_the_step() -> None:
    readings = frame(sensors=50, every_us=MINUTE_US)
    moments = readings["ts"].to_numpy("datetime64[us]").astype(np.int64) % MINUTE_US
    per_sensor = pd.Series(moments).groupby(readings["sensor"].cat.codes)
    assert (per_sensor.nunique() == 1).all()
    assert len(set(per_sensor.first())) == 50


def test_sensors_are_named_by_number() -> None:
    readings = frame(sensors=1_001, every_us=12 * 60 * MINUTE_US)
    names = readings["sensor"].cat.categories
    assert [names[0], names[16], names[1_000]] == ["s-001", "s-017", "s-1001"]


def test_nothing_missing_and_no_nulls_gives_every_reading() -> None:
    readings = frame(sensors=4, every_us=MINUTE_US, missing=0, nulls=0)
    assert len(readings) == 4 * 24 * 60
    assert not readings["temp"].isna().any()


@pytest.mark.parametrize(("missing", "nulls"), [(0.01, 0.001), (0.3, 0.2), (0.9, 0.5)])
def test_missing_and_null_readings_have_about_the_given_shares(
    missing: float, nulls: float
) -> None:
    readings = frame(sensors=400, every_us=5 * MINUTE_US, missing=missing, nulls=nulls)
    assert 1 - len(readings) / (400 * 24 * 12) == pytest.approx(missing, rel=0.1)
    assert readings["temp"].isna().mean() == pytest.approx(nulls, rel=0.1)


def test_missing_readings_come_in_gaps_of_minutes() -> None:
    readings = frame(sensors=100, every_us=10_000_000, missing=0.05)
    steps = readings.groupby("sensor", observed=True)["ts"].diff().dropna()
    minutes = steps.dt.total_seconds().to_numpy() / 60
    assert 8 < minutes[minutes > 0.2].mean() < 13


def test_the_day_is_warm_in_the_afternoon_and_cool_at_night() -> None:
    readings = frame(sensors=100, every_us=5 * MINUTE_US)
    hourly = readings.groupby(readings["ts"].dt.hour)["temp"].mean()
    assert hourly.idxmax() in (14, 15, 16)
    assert hourly.idxmin() in (2, 3, 4)
    assert 6 < hourly.max() - hourly.min() < 11
    assert readings["temp"].between(0, 50).sum() == readings["temp"].count()


def test_sensors_differ_by_where_they_stand() -> None:
    readings = frame(sensors=100, every_us=5 * MINUTE_US)
    assert 1 < readings.groupby("sensor", observed=True)["temp"].mean().std() < 3


def test_hot_events_are_few_fast_and_high() -> None:
    readings = frame(sensors=100, every_us=MINUTE_US, missing=0, nulls=0)
    wide = readings.pivot_table(
        index=readings["ts"].dt.floor("min"), columns="sensor", values="temp", observed=True
    )
    hot = wide - wide.rolling(180, center=True, min_periods=1).median() > 3
    begins = hot & ~hot.shift(1, fill_value=False)
    assert 2 < begins.sum().mean() < 4
    assert hot.to_numpy().mean() < 0.1
    assert wide.diff(5).max().quantile(0.75) > 2  # degrees in five minutes


def test_neighbouring_readings_differ_by_hundredths() -> None:
    temp = series(frame(sensors=1, every_us=1_000_000, nulls=0), "s-001")
    assert temp.diff().abs().quantile(0.99) < 0.2
    np.testing.assert_allclose(temp * 100, np.round(temp * 100), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sensors": 0}, "sensors=0 is out of bounds; give an int from 1 to 1000000"),
        ({"sensors": 2.5}, "sensors=2.5 is a float; give an int from 1 to 1000000"),
        ({"sensors": True}, "sensors=True is a bool; give an int from 1 to 1000000"),
        ({"seed": -1}, f"seed=-1 is out of bounds; give an int from 0 to {2**64 - 1}"),
        ({"seed": None}, f"seed=None is a NoneType; give an int from 0 to {2**64 - 1}"),
        ({"every_us": 10}, "every_us=10 is out of bounds; give an int from 1000 to 86400000000"),
        ({"every_us": "1s"}, "every_us='1s' is a str; give an int from 1000 to 86400000000"),
        (
            {"missing": 1},
            "missing=1 is not a share; give 0 or more, and less than 1, e.g. missing=0.01",
        ),
        (
            {"nulls": float("nan")},
            "nulls=nan is not a share; give 0 or more, and less than 1, e.g. nulls=0.01",
        ),
        (
            {"nulls": 10**5000},
            "nulls=<an int of 16,610 bits> is not a share; give 0 or more, and less than 1, "
            "e.g. nulls=0.01",
        ),
        (
            {"nulls": "few"},
            "nulls='few' is a str; give a share from 0 to below 1, e.g. nulls=0.01",
        ),
        (
            {"day": "2024-06-21"},
            "day='2024-06-21' is a str; give a date, e.g. day=date(2024, 6, 21)",
        ),
        (
            {"day": datetime(2024, 6, 21, 12)},
            "day=datetime.datetime(2024, 6, 21, 12, 0) is a datetime; "
            "give a date, e.g. day=date(2024, 6, 21)",
        ),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        generate(**arguments)
    assert str(caught.value) == message
