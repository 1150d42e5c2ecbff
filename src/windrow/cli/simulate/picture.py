"""A simulation drawn: how full layers were, what they lost, which results lack it, and when."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from windrow.cli.drawing import BLUE, GREEN, INK, ORANGE, VERMILION, dress, entitle
from windrow.cli.figures import duration, share
from windrow.topology.simulation import Simulation

__all__ = ["draw"]

_BAR = 0.36
_OF_TIME = (1, 3, 6, 10)  # ticks at half and at whole minutes
_PEAK = "#bbdff5"


def draw(one: Simulation, path: Path, title: str) -> None:
    """Draw a run; the ending of the path says how."""
    figure = Figure(figsize=(11, 7.5), layout="constrained")
    entitle(figure, title)
    (used, lost), (wrong, late) = figure.subplots(2, 2)
    _draw_use(used, one)
    _draw_losses(lost, one)
    _draw_errors(wrong, one)
    _draw_latency(late, one)
    figure.savefig(path, dpi=130)


def _draw_use(axes: Axes, one: Simulation) -> None:
    """On average, and up to the busiest second."""
    places = range(1, len(one.layers) + 1)
    peaks = [layer.peak_utilisation for layer in one.layers]
    means = [layer.mean_utilisation for layer in one.layers]
    axes.barh(places, peaks, 0.62, color=_PEAK, label="in a node's busiest second")
    axes.barh(places, means, 0.62, color=BLUE, label="on average")
    axes.axvline(1.0, color=VERMILION, lw=1.3, ls="--", label="the limit")
    axes.set_xlim(0, 1.06)
    _label(axes, "use of the limit", "")
    _layered(axes, one)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:g} %"))
    _explain(axes, -0.1)


def _draw_losses(axes: Axes, one: Simulation) -> None:
    """Dropped tuples of a layer, and what the results lack by them: the deeper, the more."""
    _label(axes, "what each layer dropped", "")
    if one.lossless:
        _say(axes, "nothing was dropped")
        return
    sent = max(one.sent, 1)
    drops = [layer.dropped / max(layer.offered, 1) for layer in one.layers]
    losses = [layer.lost / sent for layer in one.layers]
    for shift, shares, colour, label in (
        (-_BAR / 2, drops, ORANGE, "of its tuples, dropped"),
        (_BAR / 2, losses, VERMILION, "of all items, lost by that"),
    ):
        places = [number + shift for number in range(1, len(one.layers) + 1)]
        bars = axes.barh(places, shares, _BAR, color=colour, label=label)
        axes.bar_label(bars, [share(x) for x in shares], padding=3, fontsize=8, color=INK)
    axes.set_xlim(0, 1.2 * max(*drops, *losses, 1e-6))
    _layered(axes, one)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:g} %"))
    _explain(axes, -0.1)


def _draw_errors(axes: Axes, one: Simulation) -> None:
    """Period by period."""
    starts = [period.start_s for period in one.periods]
    errors = [100 * period.error for period in one.periods]
    axes.bar(starts, errors, 0.85 * one.period_s, align="edge", color=VERMILION)
    if one.lossless:
        _say(axes, "every result is complete")
    _label(axes, "what each period's result lacks, in percent", "begin of the period")
    _timed(axes, one)


def _draw_latency(axes: Axes, one: Simulation) -> None:
    """From the end of each period to the last of its items, and what that is for all items."""
    known = [(period.start_s, period.latency_s) for period in one.periods]
    dots = [(start, late) for start, late in known if late is not None]
    axes.plot(
        [start for start, _ in dots],
        [late for _, late in dots],
        "o",
        ms=4,
        color=BLUE,
        label="last item of a period",
    )
    if one.latency is not None:
        for at, style, name in (
            (one.latency.p50, "-", "half of all items"),
            (one.latency.p99, "--", "99 % of all items"),
        ):
            axes.axhline(at, color=GREEN, ls=style, lw=1.3, label=f"{name}: {duration(at)}")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(7, steps=_OF_TIME))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: duration(y)))
    _label(axes, "from the end of a period to its result", "begin of the period")
    _timed(axes, one)
    _explain(axes, -0.17)


def _say(axes: Axes, what: str) -> None:
    """Good news, in place of bars that there are none of."""
    axes.set_yticks([])
    axes.set_xticks([])
    axes.text(
        0.5,
        0.5,
        what,
        transform=axes.transAxes,
        ha="center",
        color=GREEN,
        fontsize=12,
        weight="bold",
    )


def _layered(axes: Axes, one: Simulation) -> None:
    """The first layer on top, as items come."""
    axes.set_yticks(
        range(1, len(one.layers) + 1),
        [f"{number}  ({layer.width:,})" for number, layer in enumerate(one.layers, 1)],
    )
    axes.invert_yaxis()
    axes.set_ylabel("layer (nodes)", fontsize=9, color=INK)


def _timed(axes: Axes, one: Simulation) -> None:
    axes.set_xlim(min([0.0, *(period.start_s for period in one.periods)]), one.duration_s)
    axes.xaxis.set_major_locator(MaxNLocator(7, steps=_OF_TIME))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: duration(x)))


def _explain(axes: Axes, y: float) -> None:
    """The legend, below the axis."""
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, y),
        ncols=3,
        fontsize=8.5,
        frameon=False,
        labelcolor=INK,
        columnspacing=1.3,
        handlelength=1.5,
    )


def _label(axes: Axes, title: str, below: str) -> None:
    axes.set_title(title, loc="left", fontsize=10.5, color=INK)
    axes.set_xlabel(below, fontsize=9, color=INK)
    dress(axes, 8.5)
