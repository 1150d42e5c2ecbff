"""The topology drawn: a row of nodes for each layer, filled as far as they are loaded."""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon, Rectangle

from windrow.cli.drawing import BLUE, GREY, INK, entitle
from windrow.cli.figures import counted, duration, rounded, share, size
from windrow.cli.plan.proofs import widths_of
from windrow.cli.plan.text import limit_of
from windrow.topology import Layer, Plan

__all__ = ["draw"]

_MOST = 21  # nodes in a row; wider layers are cut in the middle
_CUT = 3  # places that a cut takes
_RADIUS, _STEP, _ROW = 0.43, 1.0, 1.7
_LEFT, _RIGHT = 5.8, 8.4  # room for labels
_INCHES, _TITLE = 10.5, 0.45
_SOURCES = 41
_FUNNEL, _EMPTY = "#eef2f6", "#d6e9f5"


def draw(plan: Plan, path: Path) -> None:
    """Draw a plan; the ending of the path says how."""
    half = _MOST * _STEP / 2
    left, right = -half - _LEFT, half + _RIGHT
    top, bottom = 1.0, -len(plan.layers) * _ROW - 0.9
    scale = _INCHES / (right - left)
    height = (top - bottom) * scale
    figure = Figure(figsize=(_INCHES, height + _TITLE))
    _title(figure, plan)
    axes = figure.add_axes((0.0, 0.0, 1.0, height / (height + _TITLE)))
    axes.set_axis_off()
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    _draw_sources(axes, plan, half)
    above = half
    for number, layer in enumerate(plan.layers, 1):
        y = -number * _ROW
        own = _half(layer)
        _draw_funnel(axes, above, own, y)
        _draw_layer(axes, layer, y)
        _label(axes, plan, number, y, half)
        above = own
    figure.savefig(path, dpi=150)


def _title(figure: Figure, plan: Plan) -> None:
    title = (
        f"{counted(plan.nodes, 'node')} in {counted(len(plan.layers), 'layer')}: "
        f"{widths_of(plan.widths)}"
    )
    entitle(figure, title, x=0.015, y=1 - 0.12 / figure.get_figheight(), va="top")


def _half(layer: Layer) -> float:
    """Half as wide as its row is drawn."""
    return min(layer.width, _MOST) * _STEP / 2


def _draw_sources(axes: Axes, plan: Plan, half: float) -> None:
    count = sum(one.count for one in plan.sources)
    shown = min(count, _SOURCES)
    step = 2 * half / max(shown, 1)
    xs = [(place - (shown - 1) / 2) * step for place in range(shown)]
    axes.plot(xs, [0.0] * shown, ".", color=GREY, ms=3.5)
    _text(axes, -half - 0.7, 0.0, counted(count, "source"), ha="right", weight="bold")
    _text(axes, half + 0.7, 0.0, f"{rounded(plan.rate)} items/s")


def _draw_funnel(axes: Axes, above: float, below: float, y: float) -> None:
    """What is above may go to any node below."""
    top, bottom = y + _ROW - _RADIUS - 0.12, y + _RADIUS + 0.12
    corners = [(-above, top), (above, top), (below, bottom), (-below, bottom)]
    axes.add_patch(Polygon(corners, closed=True, fc=_FUNNEL, ec="none", zorder=0))


def _draw_layer(axes: Axes, layer: Layer, y: float) -> None:
    shown = min(layer.width, _MOST)
    for place in range(shown):
        x = (place - (shown - 1) / 2) * _STEP
        if layer.width <= _MOST or abs(x) > _CUT / 2:
            _draw_node(axes, x, y, layer.load)
    if layer.width > _MOST:
        _text(axes, 0.0, y, "· · ·", ha="center", weight="bold")


def _draw_node(axes: Axes, x: float, y: float, load: float) -> None:
    """A vessel, as full as the node is loaded."""
    rim = Circle((x, y), _RADIUS, fc=_EMPTY, ec="none", zorder=1)
    axes.add_patch(rim)
    level = Rectangle(
        (x - _RADIUS, y - _RADIUS), 2 * _RADIUS, 2 * _RADIUS * min(load, 1.0), fc=BLUE, zorder=2
    )
    axes.add_patch(level)
    level.set_clip_path(rim)
    axes.add_patch(Circle((x, y), _RADIUS, fc="none", ec=BLUE, lw=0.8, zorder=3))


def _label(axes: Axes, plan: Plan, number: int, y: float, half: float) -> None:
    """On the left who they are, on the right what they take."""
    layer = plan.layers[number - 1]
    _text(
        axes,
        -half - 0.7,
        y + 0.26,
        counted(layer.width, layer.node.name),
        ha="right",
        weight="bold",
    )
    _text(axes, -half - 0.7, y - 0.34, f"of {limit_of(layer.node.limit)}", ha="right", color=GREY)
    each = f"{share(layer.load)} full"
    offered = f"{rounded(layer.items)} items/s"
    if layer.bytes:
        offered += f", {size(layer.bytes)}/s"
    after = duration(plan.latencies_s[number - 1])
    _text(axes, half + 0.7, y + 0.26, each, weight="bold")
    _text(axes, half + 0.7, y - 0.34, f"{offered} · {after}", color=GREY)


def _text(axes: Axes, x: float, y: float, said: str, **look: Any) -> None:
    usual: dict[str, Any] = {"ha": "left", "va": "center", "fontsize": 8.5, "color": INK}
    axes.text(x, y, said, **(usual | look))
