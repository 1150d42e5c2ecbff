"""A day of readings as they arrive: most at once, some late, a few much too late.

As a table sorted by arrival, or as files that a stream picks up one after the other.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from windrow.datasets.arguments import require_int, require_share
from windrow.datasets.sensors import day_of_sensors

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["day_of_arrivals", "write_arrivals"]

_SECOND_US = 1_000_000
_MINUTE_US = 60 * _SECOND_US
_HOUR_US = 60 * _MINUTE_US


def day_of_arrivals(
    sensors: int = 200,
    *,
    seed: int = 7,
    every_us: int = 10 * _SECOND_US,
    missing: float = 0.01,
    nulls: float = 0.001,
    late: float = 0.05,
    stray: float = 0.0005,
) -> pa.Table:
    """The readings of `day_of_sensors`, with the time when each `arrived`, sorted by that time.

    A reading takes some seconds to arrive. The share `late` comes up to eight minutes late, as
    after a lost connection; the share `stray` comes eight to twelve hours late, when nobody waits
    for it.

    >>> arrivals = day_of_arrivals(sensors=2, every_us=3_600_000_000)
    >>> arrivals.column_names
    ['ts', 'sensor', 'temp', 'arrived']
    """
    import pyarrow as pa

    require_share(late, "late")
    require_share(stray, "stray")
    readings = day_of_sensors(sensors, seed=seed, every_us=every_us, missing=missing, nulls=nulls)
    which, how_long = np.random.default_rng([seed, 1]).random((2, len(readings)))

    delay_us = -np.log1p(-how_long) * 2 * _SECOND_US
    is_late = which < late
    is_stray = which >= 1 - stray
    delay_us[is_late] = how_long[is_late] * 8 * _MINUTE_US
    delay_us[is_stray] = (8 + 4 * how_long[is_stray]) * _HOUR_US
    ts_us = readings["ts"].cast(pa.int64()).to_numpy()
    # Whole milliseconds also hide that logarithms differ in the last digit among machines.
    arrived_us = ts_us + np.round(delay_us / 1000).astype(np.int64) * 1000

    order = np.argsort(arrived_us, kind="stable")
    arrived = pa.array(arrived_us, pa.timestamp("us", tz="UTC"))
    return readings.append_column("arrived", arrived).take(order)


def write_arrivals(
    arrivals: pa.Table, folder: Path, *, every_us: int = 15 * _MINUTE_US
) -> list[Path]:
    """Write one Parquet file for each `every_us` of arrivals; returns the paths in that order.

    If nothing arrived in such a stretch, its file has no rows. The files' modification times are in
    the same order, since a stream reads older files first.

    >>> from tempfile import TemporaryDirectory
    >>> arrivals = day_of_arrivals(sensors=2, every_us=3_600_000_000)
    >>> with TemporaryDirectory() as folder:
    ...     len(write_arrivals(arrivals, Path(folder), every_us=3 * 3_600_000_000))
    8
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    require_int(every_us, "every_us", least=1, most=24 * _HOUR_US)
    folder.mkdir(parents=True, exist_ok=True)
    arrived_us = arrivals["arrived"].cast(pa.int64()).to_numpy()
    if not len(arrivals):
        return []
    parts = np.arange(arrived_us[0] // every_us, arrived_us[-1] // every_us + 1)
    borders = np.searchsorted(arrived_us, np.append(parts, parts[-1] + 1) * every_us)
    paths = []
    for number, (first, last) in enumerate(pairwise(borders)):
        path = folder / f"part-{number:05d}.parquet"
        pq.write_table(arrivals.slice(first, last - first), path)
        end_s = float(parts[number] + 1) * every_us / _SECOND_US
        os.utime(path, (end_s, end_s))
        paths.append(path)
    return paths
