"""The tree while it runs: `windrow tree up` starts it; it is fed, watched, and told to end."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.edge_tree.devices import Devices, Reading
from windrow.cli.tree.figures import Figures, figures_of, landing_of, measured
from windrow.edge.payload import END
from windrow.edge.processes.control import ordered
from windrow.edge.tree_file import Role, Tree, read_tree

PATIENCE_S = 60
LOOK_S = 1.0


@dataclass
class Run:
    """What was seen of a tree."""

    tree: Tree
    devices: Devices
    start_s: float  # until all nodes answered
    figures: list[Figures]  # with rates, while rows came
    lags: list[tuple[float, float]]  # seconds since the beginning, seconds behind
    statuses: dict[str, dict[str, Any]]  # at the end


def run_tree(tree_file: Path, given: list[Reading], say: Callable[[str], None]) -> Run:
    tree = read_tree(tree_file)
    leaves = [node for node in tree.nodes.values() if node.role is Role.LEAF]
    ports = [int(node.sources[0].options["listen"].rpartition(":")[2]) for node in leaves]
    devices = Devices(given, ports)
    begin = time.monotonic()
    command = [sys.executable, "-m", "windrow.cli", "tree", "up", str(tree_file)]
    with (tree_file.parent / "up.log").open("wb") as log:
        up = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        _until(lambda: all(one.connected is not False and one.answers for one in figures_of(tree)))
        start_s = time.monotonic() - begin
        say(f"  {len(tree.nodes)} nodes answer after {start_s:.1f} s")
        devices.start()
        seen, lags = _watched(tree, devices)
        say("  the devices have said all; waiting for the last results")
        for leaf in leaves:
            ordered(leaf.folder, "end")
        _until(lambda: _is_all_here(tree))
    finally:
        up.send_signal(signal.SIGINT)
        up.wait(PATIENCE_S)
    if devices.failure is not None:
        raise devices.failure
    statuses = {name: _status(tree, name) for name in tree.nodes}
    return Run(tree, devices, start_s, seen, lags, statuses)


def _watched(tree: Tree, devices: Devices) -> tuple[list[Figures], list[tuple[float, float]]]:
    lags: list[tuple[float, float]] = []
    root = landing_of(tree).name
    seen: list[list[Figures]] = [figures_of(tree)]
    while not devices.are_done:
        time.sleep(LOOK_S)
        seen.append(figures_of(tree))
        after_s = time.time() - devices.begin_us / 1e6
        lags += [(after_s, one.lag_s) for one in seen[-1] if one.name == root and one.lag_s]
    # Not before rows have reached the root.
    return measured(seen[len(seen) // 3], seen[-1]), lags


def _is_all_here(tree: Tree) -> bool:
    landing = landing_of(tree)
    queries = ordered(landing.folder, "status")[landing.name]["queries"].values()
    return bool(queries) and all(query["frontier"] == END for query in queries)


def _status(tree: Tree, name: str) -> dict[str, Any]:
    found = json.loads((tree.nodes[name].folder / "status.json").read_text("utf-8"))
    status: dict[str, Any] = found[name]
    return status


def _until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not what():
        if time.monotonic() > end:
            sys.exit("the tree has not come up: see up.log and the node.log of each node")
        time.sleep(0.1)
