"""The tree as a drawing: nodes with their rates, and how far results were behind the clock."""

from collections.abc import Mapping, Sequence
from html import escape
from math import log10

from examples.drawing import BLUE, GREY, INK, RED
from examples.edge_tree.outcome import depth
from windrow.cli.figures import rounded
from windrow.cli.tree.figures import Figures
from windrow.edge.tree_file import Tree

WIDTH, STEP, TOP = 1080, 120, 40
LINK = "#93c5fd"


def drawn_tree(tree: Tree, figures: Sequence[Figures], planned: Mapping[str, float]) -> str:
    """Each node under its parent; a line is the thicker the more bytes went over it."""
    places = _places(tree)
    known = {one.name: one for one in figures}
    most = max((one.bytes for one in figures), default=1) or 1
    height = TOP + STEP * max(depth(tree, name) for name in tree.nodes) + 70
    parts = [_opening(height, f"A tree of {len(tree.nodes)} nodes and their rates")]
    for name, node in tree.nodes.items():
        if node.parent is not None:
            (x, y), (to_x, to_y) = places[name], places[node.parent]
            width = 0.8 + 4 * log10(1 + 9 * known[name].bytes / most)
            curve = f"M{x:.0f} {y} C{x:.0f} {y - 60},{to_x:.0f} {to_y + 60},{to_x:.0f} {to_y}"
            parts.append(
                f'<path d="{curve}" fill="none" stroke="{LINK}" stroke-width="{width:.1f}"/>'
            )
    for name, (x, y) in places.items():
        parts.append(_node(known[name], x, y, planned.get(name)))
    return "".join([*parts, "</svg>"])


def drawn_lags(lags: Sequence[tuple[float, float]]) -> str:
    """Seconds behind the clock, second by second."""
    height, left, bottom = 190, 50, 150
    last = max((at for at, _ in lags), default=1) or 1
    most = max((behind for _, behind in lags), default=1) or 1

    def place(at: float, behind: float) -> str:
        return f"{left + (WIDTH - 2 * left) * at / last:.1f},{bottom - 120 * behind / most:.1f}"

    line = " ".join(place(at, behind) for at, behind in lags)
    return "".join(
        [
            _opening(height, "How far results were behind the clock"),
            f'<line x1="{left}" y1="{bottom}" x2="{WIDTH - left}" y2="{bottom}" stroke="{GREY}"/>',
            f'<polyline points="{line}" fill="none" stroke="{BLUE}" stroke-width="2"/>',
            _text(left - 8, bottom + 4, "0 s", "end"),
            _text(left - 8, bottom - 116, f"{most:.1f} s", "end"),
            _text(WIDTH - left, bottom + 20, f"{last:.0f} s after the first reading", "end"),
            "</svg>",
        ]
    )


def _places(tree: Tree) -> dict[str, tuple[float, int]]:
    leaves = [name for name in tree.nodes if not tree.children(name)]
    places: dict[str, tuple[float, int]] = {}

    def put(name: str) -> float:
        children = tree.children(name)
        if children:
            xs = [put(child) for child in children]
            x = sum(xs) / len(xs)
        else:
            x = WIDTH * (leaves.index(name) + 0.5) / len(leaves)
        places[name] = x, TOP + STEP * depth(tree, name)
        return x

    for name, node in tree.nodes.items():
        if node.parent is None and tree.children(name):
            put(name)
    return places


def _node(one: Figures, x: float, y: int, planned: float | None) -> str:
    is_leaf = one.role == "leaf"
    rate = one.rows_per_s if is_leaf else one.frames_per_s
    colour = BLUE if one.answers else RED
    lines = ["" if rate is None else f"{rounded(rate)} {'rows' if is_leaf else 'frames'}/s"]
    if planned is not None:
        lines.append(f"plan {rounded(planned)}")
    if one.late:
        lines.append(f"{one.late:,} late")
    if one.quarantined:
        lines.append(f"{one.quarantined:,} in 2099")
    texts = [_text(x, y + 24 + 13 * k, line, "middle") for k, line in enumerate(lines)]
    circle = (
        f'<circle cx="{x:.0f}" cy="{y}" r="9" fill="{colour}" stroke="#fff" stroke-width="2">'
        f"<title>{escape(one.name)}: {one.rows:,} rows, {one.bytes:,} bytes</title></circle>"
    )
    return "".join([circle, *texts])


def _opening(height: int, words: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(words)}" '
        'xmlns="http://www.w3.org/2000/svg" style="width:100%;height:auto">'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="11" '
        f'stroke="#fff" stroke-width="3" paint-order="stroke" fill="{INK}">{escape(text)}</text>'
    )
