"""The pictures of the page: drawn with matplotlib, handed on as text that HTML can hold."""

import base64
import io
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, GRID, GREY = "#1e293b", "#e2e8f0", "#94a3b8"
BLUE, PALE_BLUE, RED = "#1d4ed8", "#dbeafe", "#dc2626"
LEGEND: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (-0.01, 1), "frameon": False}


def one_day(sensor: str, readings: pd.DataFrame, hours: pd.DataFrame) -> str:
    """A sensor's readings, and the mean and the range of the hour before each minute."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots()
    read, ended = clock(readings["ts"]), clock(hours["start"]) + 1
    axes.plot(read, readings["temp"], ".", color=GREY, markersize=1, alpha=0.5)
    axes.plot([], [], "o", color=GREY, markersize=4, label="readings")  # dots one can see
    axes.plot(ended, hours["mean"], color=BLUE, linewidth=2, label="mean of the last hour")
    axes.fill_between(
        ended,
        hours["low"],
        hours["peak"],
        color=PALE_BLUE,
        linewidth=0,
        label="min to max of the last hour",
    )
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
    axes.legend(**LEGEND, ncols=4, labelcolor=INK)
    axes.set_ylabel(f"{sensor}, °C", color=INK)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(GREY)
    axes.grid(axis="y", color=GRID)
    axes.set_axisbelow(True)
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
    axes.legend(**LEGEND, ncols=2, labelcolor=INK)
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
