"""A day of temperature readings through windrow: a table, a picture, and how long it took.

Run it with `python -m examples.day_of_sensors`. Read it from top to bottom: first the windows, then
what is made of them.
"""

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import windrow as wr
from examples.drawing import INK, LEGEND, RED, draw_last_hour, draw_readings, make_plain
from windrow import agg, window
from windrow.datasets import day_of_sensors

Column: TypeAlias = NDArray[Any]

HOT = 3.0  # °C of climb within ten minutes
CALM = 2.0  # °C between the lowest and the highest reading

# The windows ---------------------------------------------------------------------------------

# An aggregate of our own: the largest climb from a reading to a later one. A stretch of readings
# is summed up by its lowest, its highest and its largest climb; of two stretches, one after the
# other, the climb may lie in either, or go from the low of the older to the high of the newer.
climb = wr.monoid(
    lift=lambda temp: (temp, temp, 0.0),
    combine=lambda older, newer: (
        min(older[0], newer[0]),
        max(older[1], newer[1]),
        max(older[2], newer[2], newer[1] - older[0]),
    ),
    lower=lambda state: state[2],
    identity=(math.inf, -math.inf, 0.0),
)

# A window that slides by content: as many of the latest readings as stay this close together.
calm = window.policy(keep=lambda w: w.spread <= CALM, using={"spread": agg.range("temp")})


def roll_windows(readings: pa.Table) -> dict[str, Column]:
    """What the windows hold at each reading of each sensor: arrays, one entry for each reading."""
    roll = partial(wr.roll, readings, times=readings["ts"], by=readings["sensor"])

    several = {"mean": agg.mean("temp"), "low": agg.min("temp"), "high": agg.max("temp")}
    last_hour = roll(several, window.trailing("1 hour"))
    run = roll(agg.longest_increasing_run("temp"), window.trailing("1 hour"))
    swing = roll(agg.range("temp"), window.trailing("5 minutes"))
    climbed = roll(agg.of(climb, "temp"), window.trailing("10 minutes"))
    calm_since = roll(agg.first("ts"), calm)

    columns = {
        "mean": last_hour["mean"],
        "low": last_hour["low"],
        "high": last_hour["high"],
        "run_length": pc.struct_field(run, "length"),
        "run_start": pc.struct_field(run, "start"),
        "swing": swing,
        "climb": climbed,
        "calm_since": calm_since,
    }
    return {name: as_numpy(column) for name, column in columns.items()}


def as_numpy(column: Any) -> Column:
    """An Arrow column as numpy, where null is NaN."""
    array: Column = column.to_numpy(zero_copy_only=False)
    return array


# What is made of them ------------------------------------------------------------------------


@dataclass(frozen=True)
class Sensor:
    """One sensor's day: its readings, and what the windows held at each of them."""

    name: str
    ts: Column
    temp: Column
    windows: dict[str, Column]

    @property
    def hot_events(self) -> Column:
        """For each stretch of readings after a steep climb, the row of the hottest."""
        hot = self.windows["climb"] >= HOT
        edges = np.flatnonzero(np.diff(hot, prepend=False, append=False))
        stretches = zip(edges[::2], edges[1::2], strict=True)
        return np.array([a + np.nanargmax(self.temp[a:b]) for a, b in stretches], dtype=int)

    @property
    def calm_for(self) -> Column:
        """How long the latest readings have stayed close together."""
        return self.ts - self.windows["calm_since"]


def sensors_of(readings: pa.Table, windows: dict[str, Column]) -> list[Sensor]:
    names = as_numpy(readings["sensor"])
    ts, temp = as_numpy(readings["ts"]), as_numpy(readings["temp"])
    sensors = []
    for name in np.unique(names):
        rows = names == name
        own = {key: column[rows] for key, column in windows.items()}
        sensors.append(Sensor(name, ts[rows], temp[rows], own))
    return sensors


def print_table(sensors: Sequence[Sensor]) -> None:
    """One line for each sensor: the peak of each window, and when that was (UTC)."""
    titles = ("warmest hour", "widest 5 min", "steepest 10 min", "longest rise", "calmest time")
    print("       ", *(f"{title:>15}" for title in titles), "   hot")
    units = ("°C", "°C", "°C", "readings", "h:mm")
    heads = ("until", "until", "until", "from", "until")
    print("sensor ", *(f"{u:>8} {h:>6}" for u, h in zip(units, heads, strict=True)), "events")
    for sensor in sensors:
        print(f"{sensor.name:<7}", *table_cells(sensor), f"{len(sensor.hot_events):>6}")


def table_cells(sensor: Sensor) -> list[str]:
    ts, windows = sensor.ts, sensor.windows
    warmest, widest, steepest, longest = (
        np.nanargmax(windows[name]) for name in ("mean", "swing", "climb", "run_length")
    )
    calmest = np.argmax(sensor.calm_for)
    hours, minutes = divmod(sensor.calm_for[calmest] // np.timedelta64(1, "m"), 60)
    return [
        f"{windows['mean'][warmest]:>8.2f} {clock(ts[warmest]):>6}",
        f"{windows['swing'][widest]:>8.2f} {clock(ts[widest]):>6}",
        f"{windows['climb'][steepest]:>8.2f} {clock(ts[steepest]):>6}",
        f"{windows['run_length'][longest]:>8.0f} {clock(windows['run_start'][longest]):>6}",
        f"{hours:>5}:{minutes:02} {clock(ts[calmest]):>6}",
    ]


def clock(moment: np.datetime64) -> str:
    return str(moment.astype("datetime64[m]"))[-5:]


# The picture ---------------------------------------------------------------------------------

TEAL, PALE_TEAL = "#0d9488", "#ccfbf1"


def draw(sensor: Sensor, picture: Path) -> None:
    """The day of one sensor: its readings and the trailing hour; below them, the calm window."""
    figure = Figure(figsize=(11, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    draw_hour(above, sensor)
    draw_calm(below, sensor)
    for axes in (above, below):
        make_plain(axes)
        axes.tick_params(length=0, pad=6, labelcolor=INK)
    midnight = sensor.ts[0].astype("datetime64[D]")
    hours = np.arange(0, 25, 3)
    below.set_xticks(midnight + hours.astype("timedelta64[h]"), [f"{h:02}:00" for h in hours])
    below.set_xlim(midnight, midnight + np.timedelta64(1, "D"))
    below.set_xlabel(f"{midnight}, UTC", color=INK)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=130, metadata={"Software": None})


def draw_hour(axes: Axes, sensor: Sensor) -> None:
    ts, temp, windows, hot = sensor.ts, sensor.temp, sensor.windows, sensor.hot_events
    draw_readings(axes, ts, temp)
    draw_last_hour(axes, ts, windows["mean"], windows["low"], windows["high"])
    axes.plot(
        ts[hot],
        temp[hot],
        "o",
        color=RED,
        markersize=8,
        markerfacecolor="white",
        markeredgewidth=2,
        label=f"up {HOT:g} °C or more in ten minutes",
    )
    for row in hot:
        place = (ts[row], temp[row])
        axes.annotate(
            f"{temp[row]:.1f}", place, (0, 9), textcoords="offset points", ha="center", color=RED
        )
    axes.margins(y=0.1)
    axes.locator_params(axis="y", nbins=5, integer=True)
    axes.set_ylabel("temperature (°C)", color=INK)
    title = f"Sensor {sensor.name}: one day, {len(ts):,} readings"
    axes.set_title(title, loc="left", pad=34, fontsize=15, fontweight="bold", color=INK)
    axes.legend(**LEGEND, ncols=4)


def draw_calm(axes: Axes, sensor: Sensor) -> None:
    hours = sensor.calm_for / np.timedelta64(1, "h")
    axes.fill_between(sensor.ts, hours, color=PALE_TEAL, linewidth=0)
    axes.plot(sensor.ts, hours, color=TEAL, linewidth=1)
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="y", nbins=3, integer=True)
    axes.set_ylabel("hours", color=INK)
    title = f"how long the readings have stayed within {CALM:g} °C of each other"
    axes.set_title(title, loc="left", fontsize=10, color=INK)


# All together --------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A day of sensor readings through windrow.")
    parser.add_argument("--sensors", type=int, default=20, help="how many (20)")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between readings (1)")
    parser.add_argument(
        "--picture", type=Path, default=Path("build/day_of_sensors.png"), help="where it goes"
    )
    options = parser.parse_args(arguments)

    readings = day_of_sensors(options.sensors, every_us=round(options.every * 1_000_000))
    first, _ = timed(readings)
    again, windows = timed(readings)
    sensors = sensors_of(readings, windows)
    print_table(sensors)
    draw(max(sensors, key=lambda sensor: len(sensor.hot_events)), options.picture)
    print(
        f"\n{len(readings):,} readings through 5 windows in {again:.2f} s: "
        f"{again / len(readings) * 1e9:,.0f} ns per reading"
        f"\n(the first time {first:.2f} s, with what had to be compiled)"
        f"\npicture: {options.picture}"
    )


def timed(readings: pa.Table) -> tuple[float, dict[str, Column]]:
    start = time.perf_counter()
    windows = roll_windows(readings)
    return time.perf_counter() - start, windows


if __name__ == "__main__":
    main()
