"""How all nodes of a tree fare: the landing knows, and nodes on this machine write it down.

Nodes tell their parents every few seconds, and write a file every second: the newer one counts.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from windrow.edge.payload import BEGIN, END
from windrow.edge.processes.control import ordered
from windrow.edge.tree_file import Node, Role, Tree
from windrow.errors import InputError, WindrowError
from windrow.topology.files import read_plan

__all__ = ["Figures", "figures_of", "landing_of", "measured", "planned_rates", "totals"]

_OWN_S, _TOLD_S = 5, 20  # how old figures of a node that lives may be
_REFUSED = (
    "connections refused",
    "damaged frames",
    "failures",
    "frames of unknown queries",
    "messages of nobody",
    "messages of strangers",
    "messages out of place",
    "refused batches",
    "rejected rows",
    "unreadable messages",
    "unreadable queries",
)


@dataclass(frozen=True)
class Figures:
    """A node, as it was heard of last."""

    name: str
    role: str
    parent: str | None
    answers: bool
    connected: bool | None = None  # to its parent; None: it has none, or does not answer
    rows: int = 0  # that came in, at a leaf; that frames of children stand for, above
    frames: int = 0  # of one query: sent by a leaf; come from children, above
    bytes: int = 0  # sent to the parent; come from children, at the root
    lag_s: float | None = None  # how far its frontier is behind the clock
    stored_bytes: int = 0
    late: int = 0
    quarantined: int = 0
    refused: int = 0
    missing: tuple[str, ...] = ()
    now: int = 0
    rows_per_s: float | None = None
    frames_per_s: float | None = None
    planned_per_s: float | None = None  # rows at a leaf, frames above

    def as_plain(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def landing_of(tree: Tree) -> Node:
    """The node that all frames come to."""
    for node in tree.nodes.values():
        if node.role in (Role.LANDING, Role.ROOT) and node.listen is not None:
            return node
    raise InputError(f"{tree.path}: no node is a landing, or a root that listens; add one")


def figures_of(tree: Tree, *, seconds: float = 2.0) -> list[Figures]:
    """All nodes, as they are now; waits no longer for the landing."""
    told: Mapping[str, Any] = {}
    landing = landing_of(tree)
    if (landing.folder / "control").exists():
        try:
            told = ordered(landing.folder, "status", seconds=seconds)
        except WindrowError:
            told = {}
    now = time.time_ns() // 1_000
    found = []
    for node in tree.nodes.values():
        own = _own(node)
        entry = max([own, told.get(node.name, {})], key=lambda one: int(one.get("now", 0)))
        age_s = (now - int(entry.get("now", 0))) / 1e6
        answers = age_s < (_OWN_S if entry is own else _TOLD_S)
        found.append(_figures(tree, node, entry, answers=answers, now=now))
    return found


def measured(before: Sequence[Figures], after: Sequence[Figures]) -> list[Figures]:
    """The later figures, with rates since the earlier ones."""
    known = {one.name: one for one in before}
    return [_with_rates(known[one.name], one) if one.name in known else one for one in after]


def planned_rates(tree: Tree) -> dict[str, float]:
    """What the plan offers each node per second, if the tree was made from one."""
    if tree.plan is None:
        return {}
    layers = read_plan(tree.plan).layers
    heights = {name: _height(tree, name) for name in tree.nodes}
    return {
        name: layers[height].usual_items / layers[height].width
        for name, height in heights.items()
        if height < len(layers)
    }


def totals(all_: Sequence[Figures]) -> dict[str, Any]:
    """A line about the whole tree."""
    leaves = [one for one in all_ if one.role == "leaf"]
    lags = [one.lag_s for one in all_ if one.parent is None and one.lag_s is not None]
    return {
        "nodes": len(all_),
        "answer": sum(one.answers for one in all_),
        "rows": sum(one.rows for one in leaves),
        "rows_per_s": sum(one.rows_per_s or 0.0 for one in leaves),
        "lag_s": max(lags, default=None),
        "late": sum(one.late for one in leaves),
        "quarantined": sum(one.quarantined for one in leaves),
        "refused": sum(one.refused for one in all_),
        "missing": sorted({name for one in all_ for name in one.missing}),
    }


def _height(tree: Tree, name: str) -> int:
    children = tree.children(name)
    return 0 if not children else 1 + max(_height(tree, child) for child in children)


def _own(node: Node) -> dict[str, Any]:
    try:
        found = json.loads((node.folder / "status.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    own: dict[str, Any] = found.get(node.name, {})
    return own


def _figures(
    tree: Tree, node: Node, entry: Mapping[str, Any], *, answers: bool, now: int
) -> Figures:
    counts = entry.get("counts", {})
    up, down = entry.get("up", {}), entry.get("down", {})
    is_leaf = node.role is Role.LEAF
    queries = entry.get("queries", {}).values()
    missing = sorted({name for query in queries for name in query.get("missing", ())})
    frontiers = [query["frontier"] for query in queries if query["frontier"] is not None]
    began = [frontier for frontier in frontiers if BEGIN < frontier < END]
    lag_s = (now - min(began)) / 1e6 if began and tree.pace.live else None
    stored = ("log_bytes", "spool_bytes") if node.role is not Role.MERGER else ("unsafe_bytes",)
    return Figures(
        name=node.name,
        role=node.role.value,
        parent=node.parent,
        answers=answers,
        connected=entry.get("parent") if answers else None,
        rows=entry.get("rows", 0) if is_leaf else _most(down, "rows"),
        frames=_most(up if is_leaf else down, "frames"),
        bytes=(up if node.parent is not None else down).get("bytes", 0),
        lag_s=lag_s if answers else None,
        stored_bytes=sum(entry.get(one, 0) for one in stored),
        late=counts.get("late rows", 0),
        quarantined=counts.get("quarantined rows", 0),
        refused=sum(counts.get(reason, 0) for reason in _REFUSED),
        missing=tuple(missing),
        now=entry.get("now", 0),
    )


def _most(traffic: Mapping[str, int], what: str) -> int:
    """Of the query that has most: all of them stand for the same rows."""
    return max((n for name, n in traffic.items() if name.startswith(f"{what} of ")), default=0)


def _with_rates(before: Figures, after: Figures) -> Figures:
    seconds = (after.now - before.now) / 1e6
    if seconds <= 0 or not after.answers:
        return after
    return replace(
        after,
        rows_per_s=max(0.0, (after.rows - before.rows) / seconds),
        frames_per_s=max(0.0, (after.frames - before.frames) / seconds),
    )
