"""What came of it: the tree's windows beside those of Spark, and bytes on every level."""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from examples.edge_tree.devices import FUTURE
from examples.edge_tree.live import Run
from windrow.edge.tree_file import Tree

RESULTS = ["n", "mean", "low", "peak"]
Row = dict[str, Any]


@dataclass(frozen=True)
class Level:
    """The links from one layer of nodes to the next, and the bytes of frames on them."""

    name: str
    links: int
    windows: int
    central: int


@dataclass(frozen=True)
class Agreement:
    """Two sets of results."""

    both: int
    only_tree: int
    only_spark: int
    apart: float

    @property
    def agrees(self) -> bool:
        """Means are sums of floats, in another order: their last digits may differ."""
        return self.both > 0 and not self.only_tree and not self.only_spark and self.apart < 1e-9


def lines_of(folder: Path) -> list[Row]:
    """Results of a query, or its late rows."""
    files = sorted(folder.glob("part-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def in_time(rows: list[Row], late: list[Row]) -> list[Row]:
    """The rows that count: not those that came late, nor those of a clock that is wrong."""
    times = Counter(datetime.fromisoformat(row["ts"]) for row in late)
    found = []
    for row in rows:
        time = datetime.fromisoformat(row["ts"])
        if times[time]:
            times[time] -= 1
        elif time != FUTURE:
            found.append(row)
    return found


def compared(tree_rows: list[Row], batch: Path) -> Agreement:
    """The tree's windows and those of a batch, which has written Parquet files."""
    table = ds.dataset(batch, format="parquet", exclude_invalid_files=True).to_table()
    start = table["window"].combine_chunks().field("start").cast(pa.timestamp("us", "UTC"))
    of_spark = dict(zip(start.to_pylist(), table.select(RESULTS).to_pylist(), strict=True))
    of_tree = {datetime.fromisoformat(row["window"]["start"]): row for row in tree_rows}
    both = of_tree.keys() & of_spark.keys()
    apart = [
        abs(of_tree[start][name] - of_spark[start][name]) for start in both for name in RESULTS
    ]
    return Agreement(
        len(both), len(of_tree) - len(both), len(of_spark) - len(both), max(apart, default=0.0)
    )


def levels(run: Run) -> list[Level]:
    """From the leaves up."""
    fingerprints = {name: query.fingerprint for name, query in run.tree.queries.items()}
    found = []
    depths = {name: depth(run.tree, name) for name in run.tree.nodes}
    for at in range(max(depths.values()), 0, -1):
        names = [name for name, found_at in depths.items() if found_at == at]
        up = [run.statuses[name]["up"] for name in names]
        windows, central = (
            sum(one.get(f"bytes of {fingerprints[query]}", 0) for one in up)
            for query in ("windows", "central")
        )
        found.append(Level(_level_name(run.tree, names[0]), len(names), windows, central))
    return found


def depth(tree: Tree, name: str) -> int:
    """How many steps a node is below the root."""
    parent = tree.nodes[name].parent
    return 0 if parent is None else 1 + depth(tree, parent)


def _level_name(tree: Tree, name: str) -> str:
    def of(one: str) -> str:
        return "leaves" if tree.nodes[one].role.value == "leaf" else f"layer {_height(tree, one)}"

    parent = tree.nodes[name].parent
    assert parent is not None
    above = "root" if tree.nodes[parent].parent is None else of(parent)
    return f"{of(name)} → {above}"


def _height(tree: Tree, name: str) -> int:
    """Leaves are layer 1."""
    children = tree.children(name)
    return 1 + max((_height(tree, child) for child in children), default=0)
