"""How the pictures of the examples look: colours, plain axes, and a sensor's last hour."""

from typing import Any

from matplotlib.axes import Axes

INK, GRID, GREY = "#1e293b", "#e2e8f0", "#94a3b8"
BLUE, PALE_BLUE, RED = "#1d4ed8", "#dbeafe", "#dc2626"
LEGEND: dict[str, Any] = {
    "loc": "lower left",
    "bbox_to_anchor": (-0.01, 1),
    "frameon": False,
    "labelcolor": INK,
}


def draw_readings(axes: Axes, times: Any, temp: Any) -> None:
    """One dot for each reading: a line would hide the gaps."""
    axes.plot(times, temp, ".", color=GREY, markersize=1, alpha=0.5)
    axes.plot([], [], "o", color=GREY, markersize=4, label="readings")  # dots one can see


def draw_last_hour(axes: Axes, times: Any, mean: Any, low: Any, high: Any) -> None:
    """The mean of the hour before each time, in a band from the lowest to the highest reading."""
    axes.plot(times, mean, color=BLUE, linewidth=2, label="mean of the last hour")
    axes.fill_between(
        times, low, high, color=PALE_BLUE, linewidth=0, label="min to max of the last hour"
    )


def make_plain(axes: Axes) -> None:
    """Lines across instead of a frame."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(GREY)
    axes.grid(axis="y", color=GRID)
    axes.set_axisbelow(True)
