"""How nodes fare, as lines of text."""

from collections.abc import Mapping, Sequence

from windrow.cli.figures import aligned, duration, rounded, size
from windrow.cli.tree.figures import Figures, totals

__all__ = ["as_table", "summary"]

_HEAD = ["node", "role", "parent", "rows/s", "frames/s", "plan/s", "lag", "stored"]
_HEAD += ["late", "quarantined", "refused", "missing"]
_TEXTS = {"node", "role", "parent", "missing"}


def as_table(all_: Sequence[Figures], planned: Mapping[str, float]) -> list[str]:
    """A line for each node, under a heading, and one about all."""
    rows = [_row(one, planned.get(one.name)) for one in all_]
    return [*aligned([_HEAD, *rows], _TEXTS), "", summary(all_)]


def summary(all_: Sequence[Figures]) -> str:
    """The whole tree in a line."""
    found = totals(all_)
    silent = [one.name for one in all_ if not one.answers]
    parts = [f"{found['answer']} of {found['nodes']} nodes answer"]
    if silent and len(silent) < len(all_):
        parts[0] += f" (not {', '.join(silent)})"
    parts += [f"{found['rows']:,} rows", f"{rounded(found['rows_per_s'])} rows/s"]
    if found["lag_s"] is not None:
        parts.append(f"results {_lag(found['lag_s'])} behind")
    for what in ("late", "quarantined", "refused"):
        if found[what]:
            parts.append(f"{found[what]:,} {what}")
    if found["missing"]:
        parts.append(f"missing {', '.join(found['missing'])}")
    return " · ".join(parts)


def _row(one: Figures, planned: float | None) -> list[str]:
    parent = one.parent or ""
    if one.connected is False:
        parent += " (away)"
    if not one.answers:
        return [one.name, one.role, parent, "no answer", *[""] * 8]
    return [
        one.name,
        one.role,
        parent,
        _rate(one.rows_per_s),
        _rate(one.frames_per_s),
        _rate(planned),
        "" if one.lag_s is None else _lag(one.lag_s),
        size(one.stored_bytes),
        f"{one.late:,}",
        f"{one.quarantined:,}",
        f"{one.refused:,}",
        ", ".join(one.missing),
    ]


def _rate(rate: float | None) -> str:
    return "" if rate is None else rounded(rate)


def _lag(seconds: float) -> str:
    return duration(max(seconds, 0.0))
