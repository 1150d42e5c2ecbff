"""How pictures are drawn: most are figures against sizes, a line and a name for each contender."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from benchmarks.findings import chosen
from benchmarks.measure import Measured
from benchmarks.numbers import duration, size

__all__ = [
    "INK",
    "Figures",
    "Line",
    "clear",
    "dots",
    "entitle",
    "lines",
    "panels",
    "power",
    "row_of_panels",
    "save",
]

Figures: TypeAlias = Callable[[Measured], float]  # what is drawn of a measurement

INK, _FAINT = "#333333", "#dddddd"
_OURS = "#0a4f7d"
# Okabe and Ito's, which everyone can tell apart, and some between; the same for a contender in all
# panels.  What is compiled of ours is the darkest and the widest line.
_COLOURS = {
    **dict.fromkeys(
        ("windrow", "CompiledAmta.advance", "CompiledAmta, inside", "trailing(rows=W)"), _OURS
    ),
    **dict.fromkeys(("PagedAmta on RocksDB", "one window"), _OURS),
    **dict.fromkeys(("pandas", "TwoStacks", "keep count ≤ W", "a window each"), "#d55e00"),
    **dict.fromkeys(("bottleneck", "Amta", "from the max on"), "#009e73"),
    **dict.fromkeys(("river", "keep sum ≤ limit"), "#9467bd"),
    **dict.fromkeys(("CompiledAmta", "CompiledAmta, called"), "#56a0d3"),
    "PagedAmta on Redis": "#b22222",
    "LogMta on RocksDB": "#3f5f0f",
    "LogMta on Redis": "#111111",
    "SubtractOnEvict": "#8c6d31",
    "Daba": "#c4528f",
    "FlatFat": "#e69f00",
    "LogMta": "#6b8e23",
    "Recompute": "#888888",
}
_LABEL_HEIGHT = 0.05  # of the panel's
_TICKS = 6  # at most, along a panel


class Line(NamedTuple):
    name: str
    points: Sequence[tuple[int, float]]  # size, figure
    colour: str
    width: float


def _median(measured: Measured) -> float:
    return measured.median


def lines(measured: Sequence[Measured], along: str, figure: Figures = _median) -> list[Line]:
    """A line for each contender: its figures against a part of its cases."""
    drawn = []
    for name in dict.fromkeys(m.contender for m in measured):
        points = [(int(m.case[along]), figure(m)) for m in chosen(measured, contender=name)]
        colour = _COLOURS.get(name, INK)
        drawn.append(Line(name, sorted(points), colour, 2.6 if colour == _OURS else 1.5))
    return drawn


def panels(
    shown: Mapping[str, Sequence[Line]],
    title: str,
    along: str,
    path: Path,
    unit: Callable[[float], str] = duration,
) -> None:
    """Draw panels side by side, on the same axes; `unit` gives a figure with its unit."""
    columns = min(len(shown), 3)
    rows = -(-len(shown) // columns)
    figure = Figure(
        figsize=(max(4.7 * columns, 7), 4.3 * rows + 0.5),
        layout=ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.1),
    )
    entitle(figure, title)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    for axes in grid[len(shown) :]:
        axes.remove()
    drawn = list(zip(grid, shown.items(), strict=False))
    for axes, (name, own) in drawn:
        _draw(axes, own)
        axes.set_title(name, loc="left", fontsize=11, color=INK)
        axes.set_xlabel(along, fontsize=9, color=INK)
    _mark(grid[0], {x for own in shown.values() for line in own for x, _ in line.points}, unit)
    for axes, (_, own) in drawn:  # now that all panels have their limits
        _name(axes, own)
    save(figure, path)


def dots(measured: Sequence[Measured], down: str, title: str, path: Path) -> None:
    """Draw a row for each value of a part, with a dot for each contender."""
    rows = list(dict.fromkeys(str(m.case[down]) for m in measured))
    figure = Figure(figsize=(8, 0.5 * len(rows) + 1.6), layout="constrained")
    entitle(figure, title)
    axes = figure.subplots()
    for name in dict.fromkeys(m.contender for m in measured):
        own = chosen(measured, contender=name)
        heights = [rows.index(str(m.case[down])) for m in own]
        colour = _COLOURS.get(name, INK)
        axes.plot([m.median for m in own], heights, "o", ms=7, color=colour, label=name)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(_ticks(*axes.get_xlim()))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _round(duration(x))))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    clear(axes, "both", size=9)
    figure.legend(loc="outside lower left", ncols=4, fontsize=8, frameon=False)
    save(figure, path)


def row_of_panels(title: str, count: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A picture of empty panels side by side."""
    figure = Figure(figsize=(width * count, height), layout="constrained")
    entitle(figure, title)
    grid = list(figure.subplots(1, count, squeeze=False).ravel())
    for axes in grid:
        clear(axes)
    return figure, grid


def save(figure: Figure, path: Path, dpi: int = 130) -> None:
    """Write a picture, in a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=dpi)


def entitle(figure: Figure, title: str) -> None:
    """A title on the left."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, color=INK, weight="bold")


def clear(axes: Axes, grid: Literal["both", "y"] = "y", size: float = 8) -> None:
    """A faint grid instead of spines and ticks, and labels of this size."""
    axes.tick_params(which="both", length=0, labelsize=size, colors=INK)
    axes.grid(axis=grid, color=_FAINT, lw=0.7)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)


def _draw(axes: Axes, drawn: Sequence[Line]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    for line in drawn:
        x, y = zip(*line.points, strict=True)
        axes.plot(x, y, marker="o", ms=3.5, color=line.colour, lw=line.width, clip_on=False)
    axes.tick_params(labelbottom=True, labelleft=True)
    clear(axes)


def _mark(axes: Axes, sizes: set[int], unit: Callable[[float], str]) -> None:
    """The ticks, for all panels at once: they share their axes."""
    ticks = sorted(sizes)
    axes.set_xticks(ticks[:: -(-len(ticks) // _TICKS)])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: power(int(x))))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(_ticks(*axes.get_ylim()))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: _round(unit(y))))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _ticks(low: float, high: float) -> LogLocator:
    """Powers of ten, and some between where there are few."""
    return LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,))


def power(number: int) -> str:
    """A size as one writes it in a picture."""
    base, _, exponent = size(number).partition("^")
    return f"${base}^{{{exponent}}}$" if exponent else base


def _round(figure: str) -> str:
    number, unit = figure.split()
    return f"{float(number.replace(',', '')):g} {unit}"


def _name(axes: Axes, drawn: Sequence[Line]) -> None:
    """The names of lines, one below the other, beside the end of the longest."""
    drawn = sorted(drawn, key=lambda line: line.points[-1][1])
    ends = (axes.transScale + axes.transLimits).transform([line.points[-1] for line in drawn])
    beside = ends[:, 0].max() + 0.055
    for line, (x, y), height in zip(drawn, ends, _apart(ends[:, 1]), strict=True):
        axes.annotate(
            line.name,
            (x, y),
            xytext=(beside, height),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=8,
            color=line.colour,
            weight="bold" if line.colour == _OURS else "normal",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": line.colour, "lw": 0.6, "relpos": (0, 0.5)},
        )


def _apart(heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rising heights moved apart by a label's height, up and down alike."""
    steps = _LABEL_HEIGHT * np.arange(len(heights))
    raised = np.maximum.accumulate(heights - steps) + steps
    lowered = np.minimum.accumulate((heights - steps)[::-1])[::-1] + steps
    apart: NDArray[np.float64] = (raised + lowered) / 2
    return apart
