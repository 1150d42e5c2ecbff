"""The topology as text: a row of dots for each layer, wide ones cut in the middle."""

from windrow.cli.figures import counted, rounded, share
from windrow.planning.topology import Plan

__all__ = ["tree"]

_DOT, _CUT = "●", " … "
_WIDEST = 64  # more dots are not easier to count


def tree(plan: Plan, columns: int) -> list[str]:
    """Its layers from the sources to the sink, on a terminal of so many columns."""
    count = sum(one.count for one in plan.sources)
    labels = [f"{layer.width:,} at {share(layer.load)}" for layer in plan.layers]
    room = max(min(columns - max(map(len, labels)) - 4, _WIDEST), 9)
    gap = " " if 2 * max(plan.widths) - 1 <= room else ""
    rows = [_row(width, gap, room) for width in plan.widths]
    widest = max(map(len, rows))
    drawn = [
        f"  {row:^{widest}}  {label:>{max(map(len, labels))}}"
        for row, label in zip(rows, labels, strict=True)
    ]
    return [f"  {counted(count, 'source')}, {rounded(plan.rate)} items/s", *drawn]


def _row(width: int, gap: str, room: int) -> str:
    row = gap.join(_DOT * width) if width <= room else ""
    if row and len(row) <= room:
        return row
    side = _DOT * ((room - len(_CUT)) // 2)
    return f"{side}{_CUT}{side}"
