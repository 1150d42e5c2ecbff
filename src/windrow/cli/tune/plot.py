"""The picture: footprint against error, a line for each method, and what is recommended."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter

from windrow.approximate.tuning import Measured
from windrow.cli.drawing import BLUE, FAINT, GREEN, GREY, INK, VERMILION, dress, entitle
from windrow.cli.figures import share, size
from windrow.cli.tune.findings import Findings
from windrow.cli.tune.naming import named
from windrow.cli.tune.text import figures

__all__ = ["draw"]

_COLOURS = {"SumLike": BLUE, "MaxLike": BLUE, "Footprint": VERMILION, "exact": INK}
_WIDTH = 1.4


def draw(findings: Findings, path: Path) -> None:
    """Draw all that was tried; the ending of the path says how."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    asked = findings.asked
    entitle(figure, f"{asked.aggregate!r} over {asked.window!r}: memory against error")
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    drawn = [one for one in findings.tried if isfinite(one.max_error)]
    floor = _floor(drawn, asked.target.error)
    _draw_frontier(axes, [one for one in findings.frontier if one in drawn], floor)
    names = [named(one.method, asked).method for one in drawn]
    for name in dict.fromkeys(names):
        own = [one for one, its in zip(drawn, names, strict=True) if its == name]
        _draw_method(axes, name, own, findings.frontier, floor)
    axes.plot([], [], "o", mfc="white", mec=GREY, mew=_WIDTH, label="beaten in both")
    _draw_target(axes, findings)
    highest = max((one.max_error for one in drawn), default=0.0)
    _mark(axes, floor, max(highest, asked.target.error or 0.0, 100 * floor))
    if findings.recommendation.chosen in drawn:
        _draw_chosen(axes, findings, floor)
    figure.legend(loc="outside lower left", ncols=3, fontsize=9, frameon=False, labelcolor=INK)
    figure.savefig(path, dpi=130)


def _floor(tried: Sequence[Measured], target: float | None) -> float:
    """Where no error at all is drawn: more than a decade below all others."""
    errors = [*(one.max_error for one in tried), target or 0.0]
    return min((error for error in errors if error > 0), default=1e-3) / 30


def _draw_frontier(axes: Axes, chosen: Sequence[Measured], floor: float) -> None:
    """Steps: the least error that so much memory buys."""
    axes.plot(
        [one.mean_bytes for one in chosen],
        [_height(one, floor) for one in chosen],
        drawstyle="steps-post",
        color=FAINT,
        lw=5,
        zorder=1,
        label="frontier",
    )


def _draw_method(
    axes: Axes,
    name: str,
    own: Sequence[Measured],
    on_frontier: Sequence[Measured],
    floor: float,
) -> None:
    """A line with dots, full on the frontier and hollow elsewhere, each with a tail to its peak."""
    colour, is_exact = _COLOURS[name], name == "exact"
    shape = "D" if is_exact else "o"
    x, y = [one.mean_bytes for one in own], [_height(one, floor) for one in own]
    axes.plot(x, y, color=colour, lw=_WIDTH, zorder=2)
    axes.hlines(y, x, [one.peak_bytes for one in own], color=colour, lw=0.8, alpha=0.5)
    axes.scatter(
        x,
        y,
        s=70 if is_exact else 34,
        marker=shape,
        c=[colour if one in on_frontier else "white" for one in own],
        edgecolors=colour,
        linewidths=_WIDTH,
        zorder=3,
    )
    label = "exact window" if is_exact else name
    axes.plot([], [], color=colour, marker=shape, lw=0 if is_exact else _WIDTH, label=label)


def _height(one: Measured, floor: float) -> float:
    return one.max_error if one.max_error > 0 else floor


def _draw_target(axes: Axes, findings: Findings) -> None:
    target = findings.asked.target
    look: dict[str, Any] = {"color": GREEN, "lw": 1.3, "ls": "--", "zorder": 1.5}
    if target.error is not None:
        axes.axhline(target.error, label=f"target: errors up to {share(target.error)}", **look)
    elif target.bytes is not None:
        axes.axvline(target.bytes, label=f"target: {size(target.bytes)}", **look)


def _draw_chosen(axes: Axes, findings: Findings, floor: float) -> None:
    """A ring around what is recommended, and its name where there are no dots."""
    chosen = findings.recommendation.chosen
    title = named(chosen.method, findings.asked).title
    at = chosen.mean_bytes, _height(chosen, floor)
    axes.plot(*at, "o", ms=15, mfc="none", mec=GREEN, mew=2.2, zorder=4)
    dots = [(one.mean_bytes, _height(one, floor)) for one in findings.tried]
    x, y = _free_corner(axes, dots)
    axes.annotate(
        f"recommended: {title}\n{figures(chosen)}",
        at,
        xytext=(x, y),
        textcoords="axes fraction",
        ha="left" if x < 0.5 else "right",
        va="bottom" if y < 0.5 else "top",
        fontsize=10,
        color=INK,
        bbox={"boxstyle": "round,pad=0.5", "fc": "white", "ec": GREEN, "lw": 1.3},
        arrowprops={"arrowstyle": "-", "color": GREEN, "lw": 1.1, "shrinkB": 8},
        zorder=5,
    )


def _free_corner(axes: Axes, dots: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The corner with the fewest dots in it; below a frontier there are none as a rule."""
    places = (axes.transData + axes.transAxes.inverted()).transform(dots)

    def crowd(corner: tuple[float, float]) -> int:
        return sum(abs(x - corner[0]) < 0.5 and abs(y - corner[1]) < 0.2 for x, y in places)

    return min(((0.015, 0.03), (0.985, 0.97), (0.015, 0.97), (0.985, 0.03)), key=crowd)


def _mark(axes: Axes, floor: float, high: float) -> None:
    """Powers of ten, and a line of its own for no error at all."""
    axes.margins(x=0.06)
    axes.set_ylim(floor / 3, high * 3)
    decades = [t for t in LogLocator().tick_values(floor, high * 3) if 3 * floor < t <= high * 3]
    axes.yaxis.set_major_locator(FixedLocator([floor, *decades]))
    axes.yaxis.set_major_formatter(lambda y, _: "none" if y <= floor * 1.01 else f"{100 * y:g} %")
    axes.yaxis.set_minor_locator(FixedLocator([]))
    axes.xaxis.set_major_formatter(lambda x, _: size(x).replace(".0 ", " "))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(
        "memory of a window: on average, and thin lines up to the peak", fontsize=10, color=INK
    )
    axes.set_ylabel("largest error, as a share of the result", fontsize=10, color=INK)
    dress(axes, 9)
