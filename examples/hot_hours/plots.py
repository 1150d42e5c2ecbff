"""The pictures of the page: drawn with matplotlib, handed on as text that HTML can hold."""

import base64
import io
from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from examples.drawing import (
    BLUE,
    GREY,
    INK,
    LEGEND,
    RED,
    draw_last_hour,
    draw_readings,
    make_plain,
)


def one_day(sensor: str, readings: pd.DataFrame, hours: pd.DataFrame) -> str:
    """A sensor's readings, and the mean and the range of the hour before each minute."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots()
    read, ended = clock(readings["ts"]), clock(hours["start"]) + 1
    draw_readings(axes, read, readings["temp"])
    draw_last_hour(axes, ended, hours["mean"], hours["low"], hours["peak"])
    stray = (readings["arrived"] - readings["ts"]) > pd.Timedelta("1h")
    axes.plot(
        read[stray],
        readings["temp"][stray],
        "o",
        color=RED,
        markersize=6,
        markerfacecolor="white",
        label="came hours late",
    )
    axes.legend(**LEGEND, ncols=4)
    axes.set_ylabel(f"{sensor}, °C", color=INK)
    make_plain(axes)
    _hours_of_day(axes)
    return embedded(figure)


def all_sensors(hours: pd.DataFrame) -> str:
    """The mean of the last hour of every sensor, minute by minute: a line for each."""
    means = hours.assign(ended=clock(hours["start"]) + 1).pivot(
        index="sensor", columns="ended", values="mean"
    )
    by_peak = means.loc[means.idxmax(axis=1).sort_values().index]
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots()
    ended = means.columns.to_numpy(float)
    extent = (ended[0], ended[-1], len(means), 0)
    image = axes.imshow(by_peak, aspect="auto", cmap="magma", extent=extent, interpolation="none")
    axes.set_yticks([])
    axes.set_ylabel(f"{len(means)} sensors, by their warmest hour", color=INK)
    axes.spines[:].set_visible(False)
    _hours_of_day(axes)
    bar = figure.colorbar(image, ax=axes, pad=0.01, aspect=40, label="mean of the last hour, °C")
    bar.ax.spines[:].set_visible(False)
    bar.ax.tick_params(length=0)
    return embedded(figure)


def timings(seconds: Mapping[str, tuple[float, float]]) -> str:
    """For each way to run, windrow's seconds over Spark's."""
    figure = Figure(figsize=(10, 0.9 + 0.75 * len(seconds)), layout="constrained")
    axes = figure.subplots()
    for place, color, label in (
        (0, BLUE, "windrow run"),
        (1, GREY, "Spark's own hopping window"),
    ):
        rows = [row + 0.4 * place - 0.2 for row in range(len(seconds))]
        bars = axes.barh(
            rows, [pair[place] for pair in seconds.values()], height=0.36, color=color, label=label
        )
        axes.bar_label(bars, fmt="%.1f s", padding=5, color=INK)
    axes.legend(**LEGEND, ncols=2)
    axes.set_yticks(range(len(seconds)), list(seconds))
    axes.set_xticks([])
    axes.invert_yaxis()
    axes.margins(x=0.08)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelcolor=INK)
    return embedded(figure)


def clock(times: "pd.Series[pd.Timestamp]") -> "pd.Series[float]":
    """Times as hours of the day that most of them belong to."""
    midnight = times.median().floor("D")
    return (times - midnight) / pd.Timedelta("1h")


def embedded(figure: Figure) -> str:
    """A picture as an address that holds it whole."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=160, metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}"


def _hours_of_day(axes: Axes) -> None:
    axes.set_xticks(range(0, 25, 3), [f"{hour:02}:00" for hour in range(0, 25, 3)])
    axes.set_xlim(0, 24)
    axes.tick_params(length=0, pad=6, labelcolor=INK)
