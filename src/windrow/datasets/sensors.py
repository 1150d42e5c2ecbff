"""A day of temperature readings from many sensors, with hot events, gaps and nulls."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from windrow.datasets.arguments import require_date, require_int, require_share
from windrow.datasets.signals import (
    Bools,
    Floats,
    Shape,
    between,
    cycle,
    drift,
    events,
    gusts,
    noise,
    outages,
    pulses,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["day_of_sensors"]

_MINUTE_US = 60_000_000
_HOUR_US = 60 * _MINUTE_US
_DAY_US = 24 * _HOUR_US
_STEPS_PER_DEGREE = 100  # what a sensor can tell apart

_MIDSUMMER = date(2024, 6, 21)


def day_of_sensors(
    sensors: int = 20,
    *,
    seed: int = 7,
    every_us: int = 1_000_000,
    day: date = _MIDSUMMER,
    missing: float = 0.01,
    nulls: float = 0.001,
) -> pa.Table:
    """One day of readings: `ts` (UTC, microseconds), `sensor` ("s-001", …) and `temp` (°C).

    Every sensor reads once in `every_us` microseconds, at its own moment of that time. Its
    temperature follows the sun, drifts, wavers, and has about three hot events: up by some
    degrees in minutes, and slowly down again. About the share `missing` of the readings was never
    sent, in gaps of some minutes; of those sent, the share `nulls` has no temperature.

    Rows are sorted by time. The same arguments give the same table; more sensors leave the
    readings of the first ones as they are.

    >>> readings = day_of_sensors(sensors=2, every_us=3_600_000_000)
    >>> readings.column_names
    ['ts', 'sensor', 'temp']
    >>> readings["sensor"].to_pylist()[:4]
    ['s-001', 's-002', 's-001', 's-002']
    """
    import pyarrow as pa

    require_int(sensors, "sensors", least=1, most=1_000_000)
    require_int(seed, "seed", least=0, most=2**64 - 1)
    require_int(every_us, "every_us", least=1_000, most=_DAY_US)
    require_date(day, "day")
    require_share(missing, "missing")
    require_share(nulls, "nulls")

    shape = (sensors, _DAY_US // every_us)
    moment_rng, temp_rng, gap_rng, null_rng = np.random.default_rng(seed).spawn(4)

    # Sorted by time without sorting: at each tick, sensors come by their moment of it.
    moment_us = moment_rng.integers(every_us, size=sensors)
    by_moment = np.argsort(moment_us, kind="stable")
    midnight_us = np.datetime64(day, "us").astype(np.int64)
    tick_us = midnight_us + np.arange(shape[1]) * every_us
    ts = tick_us[:, None] + moment_us[by_moment]

    sent = ~_gaps(gap_rng, shape, every_us, missing)[by_moment].T
    temp = _temperatures(temp_rng, shape, every_us)[by_moment].T
    is_null = (null_rng.random(shape) < nulls)[by_moment].T
    sensor = np.broadcast_to(by_moment.astype(np.int32), sent.shape)
    names = [f"s-{number:03d}" for number in range(1, sensors + 1)]

    return pa.table(
        {
            "ts": pa.array(ts[sent], pa.timestamp("us", tz="UTC")),
            "sensor": pa.DictionaryArray.from_arrays(sensor[sent], names),
            "temp": pa.array(temp[sent], mask=is_null[sent]),
        }
    )


def _temperatures(rng: np.random.Generator, shape: Shape, every_us: int) -> Floats:
    place_rng, drift_rng, gust_rng, noise_rng, event_rng = rng.spawn(5)
    minute, hour = _MINUTE_US / every_us, _HOUR_US / every_us
    place = place_rng.random((shape[0], 3))
    base, swing = between(16, 21, place[:, 0]), between(3, 5, place[:, 1])
    warmest = between(14, 16, place[:, 2]) * hour
    hot = events(event_rng, shape, each=3, traits=2)
    height, rise = between(4, 10, hot.traits[:, 0]), between(4, 12, hot.traits[:, 1]) * minute
    temp = (
        base[:, None]
        + cycle(shape[1], period=24 * hour, height=swing, peak=warmest)
        + drift(drift_rng, shape, spread=1.2)
        + gusts(gust_rng, shape, spread=0.25, width=max(1, round(5 * minute)))
        + noise(noise_rng, shape, spread=0.02)
        + pulses(shape, hot, height=height, rise=rise)
    )
    # Whole steps also hide that sines and exponentials differ in the last digit among machines.
    return np.round(temp * _STEPS_PER_DEGREE) / _STEPS_PER_DEGREE


def _gaps(rng: np.random.Generator, shape: Shape, every_us: int, missing: float) -> Bools:
    mean_us = 10 * _MINUTE_US
    # Gaps may overlap: n of them, on average, leave the share exp(-n * mean / day) untouched.
    each = -np.log1p(-missing) * _DAY_US / mean_us
    gap = events(rng, shape, each=each, traits=1)
    return outages(shape, gap, length=-np.log1p(-gap.traits[:, 0]) * (mean_us / every_us))
