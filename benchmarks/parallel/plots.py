"""Pictures: predicted speed and latency in the published settings, and what blocks cost."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, ScalarFormatter

from benchmarks.drawing import INK, row_of_panels, save
from benchmarks.findings import chosen
from benchmarks.measure import Measured

__all__ = ["PLOTS"]

_STYLES = {
    "HSA": ("#d55e00", "s-"),
    "HOA": ("#e69f00", "D-"),
    "RRA": ("#0a4f7d", "o-"),
    "RRCA": ("#56a0d3", "x--"),
    "RRCPA": ("#009e73", "^-"),
    "keys": ("#888888", "v:"),
    "time": ("#c4528f", "P-"),
}


def _throughput(measured: Sequence[Measured], path: Path) -> None:
    figure, grid = _panels("Predicted speed, × round robin on one unit", 3)
    _lines(grid, measured)
    grid[1].set_yscale("log")  # panes are a hundred times faster there
    for axes in (grid[0], grid[2]):
        axes.set_ylim(bottom=0)
    save(figure, path, dpi=110)


def _latency(measured: Sequence[Measured], path: Path) -> None:
    figure, grid = _panels("Predicted latency, in forwards of a row", 3)
    _lines(grid, measured)
    for axes in grid:
        axes.set_yscale("log")
    save(figure, path, dpi=110)


def _methods(measured: Sequence[Measured], path: Path) -> None:
    figure, grid = _panels("Time blocks beside the published methods: predicted speed", 3)
    _lines(grid, measured)
    for axes in grid:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks([1, 2, 4, 8, 16, 32, 64])
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
    save(figure, path, dpi=110)


def _lines(grid: Sequence[Axes], measured: Sequence[Measured]) -> None:
    settings = dict.fromkeys(str(one.case["setting"]) for one in measured)
    titles = {
        "hash": "10k / 10k, 1,000 keys, costly rows",
        "panes": "10k / 100, 10 keys, costly rows",
        "in turn": "1,000 / 1, one key, count",
    }
    for axes, setting in zip(grid, settings, strict=True):
        own = chosen(measured, setting=setting)
        for name in dict.fromkeys(one.contender for one in own):
            colour, style = _STYLES[name.partition(" ")[0].rstrip(",")]
            if name.endswith("small queues"):
                style = "^:"
            line = [one for one in own if one.contender == name]
            units = [int(one.case["units"]) for one in line]
            axes.plot(
                units, [one.median for one in line], style, color=colour, ms=4, lw=1.4, label=name
            )
        axes.set_title(titles[setting], loc="left", fontsize=11, color=INK)
        axes.set_xlabel("units", fontsize=9, color=INK)
    # The first panel has all lines there are.
    figure = grid[0].get_figure()
    assert isinstance(figure, Figure)
    figure.legend(
        *grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=7, fontsize=9,
        frameon=False, labelcolor=INK,
    )  # fmt: skip


def _blocks(measured: Sequence[Measured], path: Path) -> None:
    figure, grid = _panels("What blocks cost: formulas as lines, simulated units as marks", 3)
    panels = {
        "copies": ("slices sent, × their number", "windows of a block, in slices of a window", 1.3),
        "balance": ("one key: busiest unit, × the mean", "units", 1.2),
        "trailing": ("wide trailing: rows sent to the busiest, × rows / units", "units", 3.3),
    }
    shades = ("#c4528f", "#0a4f7d")
    for axes, (question, (title, below, bar)) in zip(grid, panels.items(), strict=True):
        own = chosen(measured, question=question)
        for name, shade in zip(dict.fromkeys(one.contender for one in own), shades, strict=False):
            line = [one for one in own if one.contender == name]
            places = [float(one.case["at"]) for one in line]
            axes.plot(places, [one.best for one in line], "-", color=shade, label=name)
            axes.plot(places, [one.median for one in line], "o", color=shade, ms=5)
        axes.axhline(bar, color="#d55e00", lw=1, ls="--", label=f"at most {bar:g}")
        axes.set_ylim(bottom=0)
        axes.set_title(title, loc="left", fontsize=11, color=INK)
        axes.set_xlabel(below, fontsize=9, color=INK)
        axes.legend(fontsize=8, frameon=False, labelcolor=INK)
    save(figure, path, dpi=110)


def _panels(title: str, count: int) -> tuple[Figure, list[Axes]]:
    return row_of_panels(title, count, 5.2, 4.4)


PLOTS: Mapping[str, Callable[[Sequence[Measured], Path], None]] = {
    "throughput": _throughput,
    "latency": _latency,
    "methods": _methods,
    "blocks": _blocks,
}
