"""Pictures of trees beside central roots: figures 26 to 34 of the document, in shape."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.drawing import row_of_panels, save
from benchmarks.edge.cores import MODES
from benchmarks.edge.scaling import throughput
from benchmarks.findings import chosen
from benchmarks.measure import Measured

__all__ = ["PLOTS"]

_COLOURS = {"tree": "#0a4f7d", "central": "#d55e00"}
_SHADES = {"max": "#0a4f7d", "mean": "#009e73", "median": "#d55e00"}
_MILLION = "million rows / s"


def _lines(
    axes: Axes,
    measured: Sequence[Measured],
    along: str,
    figure: Callable[[Measured], float],
    colours: Mapping[str, str] = _COLOURS,
) -> None:
    """A line for each contender."""
    for name, colour in colours.items():
        points = sorted((int(m.case[along]), figure(m)) for m in chosen(measured, contender=name))
        if points:
            x, y = zip(*points, strict=True)
            axes.plot(x, y, marker="o", ms=4, color=colour, label=name)
    axes.set_xlabel(along, fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def _scaling(measured: Sequence[Measured], path: Path) -> None:
    names = list(dict.fromkeys(str(m.case["aggregate"]) for m in measured))
    figure, panels = row_of_panels("Throughput of all leaves together", len(names), 3.2, 3.4)
    for axes, name in zip(panels, names, strict=True):
        _lines(axes, chosen(measured, aggregate=name), "leaves", throughput)
        axes.set_title(name, loc="left", fontsize=10)
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
        axes.set_ylim(0)
    panels[0].set_ylabel(_MILLION, fontsize=9)
    save(figure, path)


def _along(what: str, title: str) -> Callable[[Sequence[Measured], Path], None]:
    def draw(measured: Sequence[Measured], path: Path) -> None:
        names = list(dict.fromkeys(str(m.case["aggregate"]) for m in measured))
        figure, panels = row_of_panels(title, len(names), 4.2, 3.4)
        for axes, name in zip(panels, names, strict=True):
            _lines(axes, chosen(measured, aggregate=name), what, throughput)
            axes.set_title(name, loc="left", fontsize=10)
            axes.set_xscale("log")
            axes.set_ylim(0)
        panels[0].set_ylabel(_MILLION, fontsize=9)
        save(figure, path)

    return draw


def _traffic(measured: Sequence[Measured], path: Path) -> None:
    names = list(dict.fromkeys(str(m.case["aggregate"]) for m in measured))
    figure, panels = row_of_panels("Bytes on all levels, rows into the leaf included", 5, 2.9, 3.4)
    for axes, name in zip(panels, names, strict=True):
        own = chosen(measured, aggregate=name)
        for place, way in enumerate(MODES):
            points = [(int(m.case["height"]), m.median / 1e6) for m in chosen(own, contender=way)]
            x, y = zip(*sorted(points), strict=True)
            shifted = [one + 0.38 * (place - 0.5) for one in x]
            axes.bar(shifted, y, 0.36, color=_COLOURS[way], label=way)
            axes.set_xticks(x)
        axes.set_title(name, loc="left", fontsize=10)
        axes.set_xlabel("levels", fontsize=9)
    panels[0].set_ylabel("MB", fontsize=9)
    panels[0].legend(fontsize=8, frameon=False)
    save(figure, path)


def _latency(measured: Sequence[Measured], path: Path) -> None:
    ranks = ("p50", "p99")
    figure, panels = row_of_panels("From a window's last row to its result", len(ranks), 4.2, 3.4)
    for axes, rank in zip(panels, ranks, strict=True):
        _lines(axes, measured, "load", lambda m, rank=rank: m.at(rank) / 1e6)  # type: ignore[misc]
        axes.set_ylim(0)
        axes.set_title(rank, loc="left", fontsize=10)
        axes.set_xlabel("load, %", fontsize=9)
    panels[0].set_ylabel("ms", fontsize=9)
    save(figure, path)


def _leaf(measured: Sequence[Measured], path: Path) -> None:
    """What each kind of row costs a leaf."""
    figure, (axes,) = row_of_panels("A row at a leaf", 1, 7.5, 3.8)
    words = {"log": "", "JSON": ", JSON lines", "none": ", no log"}
    names = [
        f"{m.contender}, {m.case['keys']:,} {'key' if m.case['keys'] == 1 else 'keys'}"
        + (f", {m.case['windows']:,} windows" if m.case["windows"] != 1 else "")
        + words[str(m.case["source"])]
        for m in measured
    ]
    colours = [_SHADES[m.contender] for m in measured]
    axes.barh(range(len(names)), [m.median for m in measured], color=colours)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("ns of the processor", fontsize=9)
    axes.grid(axis="x", color="#dddddd", lw=0.7)
    save(figure, path)


def _root(measured: Sequence[Measured], path: Path) -> None:
    figure, panels = row_of_panels("States at the root", 1, 6, 3.4)
    _lines(panels[0], measured, "children", throughput, _SHADES)
    panels[0].set_yscale("log")
    panels[0].set_ylabel("million states / CPU s", fontsize=9)
    save(figure, path)


PLOTS: Mapping[str, Callable[[Sequence[Measured], Path], None]] = {
    "leaf": _leaf,
    "scaling": _scaling,
    "traffic": _traffic,
    "windows": _along("windows", "Throughput by concurrent windows of 1 to 20 s"),
    "keys": _along("keys", "Throughput by keys"),
    "latency": _latency,
    "root": _root,
}
