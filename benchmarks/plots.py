"""Pictures of the results: time against size, one line for each contender, named at its end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from benchmarks.experiments.bulk import COMPILED, FROM_PYTHON
from benchmarks.findings import chosen
from benchmarks.measure import Measured
from benchmarks.numbers import duration, size

__all__ = ["PLOTS"]

_INK, _FAINT = "#333333", "#dddddd"
_OURS = "#0a4f7d"
# Okabe and Ito's, which everyone can tell apart, and some between; the same for a contender in all
# panels.  What is compiled of ours is the darkest and the widest line.
_COLOURS = {
    **dict.fromkeys(("windrow", "CompiledAmta.advance", COMPILED, "trailing(rows=W)"), _OURS),
    **dict.fromkeys(("pandas", "TwoStacks", "keep count ≤ W"), "#d55e00"),
    **dict.fromkeys(("bottleneck", "Amta", "from the max on"), "#009e73"),
    **dict.fromkeys(("river", "keep sum ≤ limit"), "#9467bd"),
    **dict.fromkeys(("CompiledAmta", FROM_PYTHON), "#56a0d3"),
    "SubtractOnEvict": "#8c6d31",
    "Daba": "#c4528f",
    "FlatFat": "#e69f00",
    "LogMta": "#6b8e23",
    "Recompute": "#888888",
}
_LABEL_HEIGHT = 0.05  # of the panel's
_TICKS = 6  # at most, along a panel


class _Line(NamedTuple):
    name: str
    points: Sequence[tuple[int, float]]  # size, nanoseconds
    colour: str
    width: float


def _roll(measured: Sequence[Measured], path: Path) -> None:
    _panels(
        {name: _lines(chosen(measured, aggregate=name), "window") for name in _values(measured)},
        "Rolling over whole columns: time per update",
        "rows in the window",
        path,
    )


def _structures(measured: Sequence[Measured], path: Path) -> None:
    _panels(
        {name: _lines(chosen(measured, aggregate=name), "window") for name in _values(measured)},
        "One window, step by step: time per insert + evict + query",
        "updates in the window",
        path,
    )


def _bulk(measured: Sequence[Measured], path: Path) -> None:
    single = [m for m in measured if m.percentiles is not None]
    _panels(
        {name: _lines(chosen(single, aggregate=name), "evicted") for name in _values(single)},
        "Evicting many updates at once: median time of one eviction",
        f"updates evicted at once ({_held(single)})",
        path,
    )


def _policies(measured: Sequence[Measured], path: Path) -> None:
    _panels(
        {"": _lines(measured, "window")},
        "Windows that slide by content: time per update",
        "rows in the window (W)",
        path,
    )


PLOTS: Mapping[str, Callable[[Sequence[Measured], Path], None]] = {
    "roll": _roll,
    "structures": _structures,
    "bulk": _bulk,
    "policies": _policies,
}


def _values(measured: Iterable[Measured]) -> list[str]:
    return list(dict.fromkeys(str(m.case["aggregate"]) for m in measured))


def _held(measured: Iterable[Measured]) -> str:
    """How large the windows were, where that depends on the contender."""
    compiled = {m.contender.startswith("Compiled"): int(m.case["window"]) for m in measured}
    return ", ".join(
        f"of {_power(held)} {'compiled' if fast else 'in Python'}"
        for fast, held in compiled.items()
    )


def _lines(measured: Sequence[Measured], along: str) -> list[_Line]:
    lines = []
    for name in dict.fromkeys(m.contender for m in measured):
        points = [(int(m.case[along]), m.median) for m in chosen(measured, contender=name)]
        colour = _COLOURS.get(name, _INK)
        lines.append(_Line(name, sorted(points), colour, 2.6 if colour == _OURS else 1.5))
    return lines


def _panels(panels: Mapping[str, Sequence[_Line]], title: str, along: str, path: Path) -> None:
    columns = min(len(panels), 3)
    rows = -(-len(panels) // columns)
    figure = Figure(
        figsize=(max(4.7 * columns, 7), 4.3 * rows + 0.5),
        layout=ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.1),
    )
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, color=_INK, weight="bold")
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    for axes in grid[len(panels) :]:
        axes.remove()
    drawn = list(zip(grid, panels.items(), strict=False))
    for axes, (name, lines) in drawn:
        _draw(axes, lines)
        axes.set_title(name, loc="left", fontsize=11, color=_INK)
        axes.set_xlabel(along, fontsize=9, color=_INK)
    _mark(grid[0], {x for lines in panels.values() for line in lines for x, _ in line.points})
    for axes, (_, lines) in drawn:  # now that all panels have their limits
        for end in {line.points[-1][0] for line in lines}:
            _name(axes, [line for line in lines if line.points[-1][0] == end])
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def _draw(axes: Axes, lines: Sequence[_Line]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    for line in lines:
        x, y = zip(*line.points, strict=True)
        axes.plot(x, y, marker="o", ms=3.5, color=line.colour, lw=line.width, clip_on=False)
    axes.tick_params(labelsize=8, colors=_INK, labelbottom=True, labelleft=True)
    axes.tick_params(which="both", length=0)
    axes.grid(axis="y", color=_FAINT, lw=0.7)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)


def _mark(axes: Axes, sizes: set[int]) -> None:
    """The ticks, for all panels at once: they share their axes."""
    ticks = sorted(sizes)
    axes.set_xticks(ticks[:: -(-len(ticks) // _TICKS)])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _power(int(x))))
    axes.xaxis.set_minor_locator(NullLocator())
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: _round(y)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _power(number: int) -> str:
    base, _, exponent = size(number).partition("^")
    return f"${base}^{{{exponent}}}$" if exponent else base


def _round(nanoseconds: float) -> str:
    number, unit = duration(nanoseconds).split()
    return f"{float(number):g} {unit}"


def _name(axes: Axes, lines: Sequence[_Line]) -> None:
    """The names of lines that end at one size, beside their ends."""
    lines = sorted(lines, key=lambda line: line.points[-1][1])
    ends = (axes.transScale + axes.transLimits).transform([line.points[-1] for line in lines])
    for line, (x, y), height in zip(lines, ends, _apart(ends[:, 1]), strict=True):
        axes.annotate(
            line.name,
            (x, y),
            xytext=(x + 0.055, height),
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
