"""Pictures: how many results are how wrong, and how long updates take."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from benchmarks.drawing import INK, clear, entitle, save
from benchmarks.findings import chosen
from benchmarks.measure import Measured
from benchmarks.numbers import duration

__all__ = ["PLOTS"]

# From dark to light: the tighter a setting, the darker.
_SHADES = ("#08306b", "#2171b5", "#41ab5d", "#d9a400", "#e6550d", "#a50f15", "#777777")
_LEAST = 1e-9  # errors below are drawn there

_PANELS = (
    ("mean", "sum-like", "mean, bounded errors"),
    ("mean", "limit", "mean, limited buckets"),
    ("max", "max-like", "max, blocks of candidates"),
    ("max", "limit", "max, limited buckets"),
    ("hop", "hop", "hops, predicted"),
    ("hop", "limit", "hops, limited buckets"),
)


def _footprints(measured: Sequence[Measured], path: Path) -> None:
    figure = Figure(figsize=(13, 8), layout="constrained")
    title = "Relative errors of approximate windows: the share of results that are no more wrong"
    entitle(figure, title)
    grid = figure.subplots(2, 3, sharex=True, sharey=True)
    for place, (scenario, method, name) in enumerate(_PANELS):
        axes = grid[place % 2][place // 2]
        _cumulative(axes, chosen(measured, scenario=scenario, method=method))
        axes.set_title(name, loc="left", fontsize=11, color=INK)
    for axes in grid[1]:
        axes.set_xlabel("relative error", fontsize=9, color=INK)
    for axes in grid[:, 0]:
        axes.set_ylabel("results", fontsize=9, color=INK)
    save(figure, path)


def _cumulative(axes: Axes, measured: Sequence[Measured]) -> None:
    for shade, m in zip(_SHADES, measured, strict=False):
        assert m.percentiles is not None
        ranks = [100.0 if k == "max" else float(k[1:]) for k in m.percentiles]
        errors = [max(error, _LEAST) for error in m.percentiles.values()]
        parameter = m.case["parameter"] or "hop"
        label = f"{parameter}: {m.median:.2g} % of buckets"
        axes.step([_LEAST, *errors], [0, *ranks], where="post", color=shade, lw=1.6, label=label)
    axes.set_xscale("log")
    axes.set_xlim(_LEAST, 3)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _share(x)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g} %"))
    axes.legend(fontsize=7.5, loc="lower right", framealpha=0.9, edgecolor="none")
    clear(axes, "both")


def _share(error: float) -> str:
    return "exact" if error <= _LEAST else f"{100 * error:g} %"


def _times(measured: Sequence[Measured], path: Path) -> None:
    figure = Figure(figsize=(10, 4.3), layout="constrained")
    title = "Updates of approximate and exact windows: how many take how long"
    entitle(figure, title)
    singles = chosen(measured, by="update")
    names = list(dict.fromkeys(str(m.case["aggregate"]) for m in singles))
    grid = figure.subplots(1, len(names), squeeze=False, sharey=True, sharex=True)[0]
    for axes, name in zip(grid, names, strict=True):
        for colour, m in zip(("#d55e00", "#0a4f7d"), chosen(singles, aggregate=name), strict=True):
            _histogram(axes, m, colour)
        axes.legend(fontsize=9, loc="upper right", framealpha=0.9, edgecolor="none")
        axes.set_title(name, loc="left", fontsize=11, color=INK)
        axes.set_xlabel("time of one update", fontsize=9, color=INK)
        clear(axes, "both")
    grid[0].set_xscale("log")
    grid[0].set_xticks([20, 50, 100, 200, 500, 1_000])
    grid[0].xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g} ns"))
    grid[0].xaxis.set_minor_locator(NullLocator())
    grid[0].yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g} %"))
    save(figure, path)


def _histogram(axes: Axes, m: Measured, colour: str) -> None:
    """Each percentile stands for one update in a hundred."""
    assert m.percentiles is not None
    times = [time for rank, time in m.percentiles.items() if float(rank[1:]).is_integer()]
    label = f"{m.contender}: p50 {duration(m.at('p50'))}, p99 {duration(m.at('p99'))}"
    axes.hist(
        times,
        bins=list(np.logspace(1, 3, 31)),
        color=colour,
        histtype="stepfilled",
        alpha=0.35,
        edgecolor=colour,
        lw=1.8,
        label=label,
    )


PLOTS = {"footprints": _footprints, "times": _times}
