"""`windrow tree`: from a plan to a tree file, and from that to nodes that run, move and end."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from tests.edge.running import JOB, PATIENCE_S, free_port, post_until_taken, until
from windrow import agg, topology, window
from windrow.cli import main
from windrow.edge.processes.control import ordered
from windrow.edge.tree_file import read_tree
from windrow.testing import check_rows, expected

pytestmark = pytest.mark.trees

BEGIN = datetime(2024, 7, 1, tzinfo=UTC)
LAST = datetime(2024, 7, 2, tzinfo=UTC)
COUNTS = JOB.replace("hopping: {size: 10 seconds, every: 4 seconds}", "tumbling: 7 seconds")


def windrow(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["tree", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hot.yaml").write_text(JOB)
    topology.write_plan(topology.plan(500, rate=0.5, nodes=20), tmp_path / "plan.json")
    return tmp_path


def test_a_plan_becomes_a_tree_with_its_layers(folder: Path) -> None:
    out = folder / "tree.yaml"
    made = windrow("make", folder / "plan.json", "--query", folder / "hot.yaml", "-o", out)
    assert made.exit_code == 0, made.output
    assert "13 leaves, 13 mergers in 3 layers, 1 root" in made.output
    tree = read_tree(out)
    layers = [["root"]]
    while layers[-1]:
        layers.append([child for name in layers[-1] for child in tree.children(name)])
    assert [len(layer) for layer in layers] == [1, 2, 4, 7, 13, 0]
    children = [len(tree.children(name)) for name in layers[3]]
    assert set(children) == {1, 2}
    again = windrow("make", folder / "plan.json", "--query", folder / "hot.yaml", "-o", out)
    assert again.exit_code == 2
    assert "--force" in again.output


def test_nodes_on_several_machines_have_keys(folder: Path) -> None:
    (folder / "hosts.yaml").write_text("{root: hq, mergers: [hall-1, hall-2], leaves: [a, b, c]}")
    out = folder / "tree.yaml"
    given = ["--query", folder / "hot.yaml", "--hosts", folder / "hosts.yaml", "-o", out]
    assert windrow("make", folder / "plan.json", *given).exit_code == 0
    tree = read_tree(out)
    assert tree.nodes["root"].address == "tcp://hq:7000"
    addresses = {node.address for node in tree.nodes.values() if node.role.value == "merger"}
    assert len(addresses) == 13
    assert windrow("keys", out).output.startswith("27 pairs")
    assert windrow("keys", out).output.startswith("0 pairs")


@pytest.mark.parametrize("hosts", ["[]", "{root: hq}", "7", "{root: hq", "[1, 2]"])
def test_a_file_that_names_no_machines_is_refused(folder: Path, hosts: str) -> None:
    (folder / "hosts.yaml").write_text(hosts)
    given = ["--query", folder / "hot.yaml", "--hosts", folder / "hosts.yaml"]
    made = windrow("make", folder / "plan.json", *given, "-o", folder / "tree.yaml")
    assert made.exit_code == 2
    assert "list of names" in made.output
    assert not (folder / "tree.yaml").exists()


def test_a_plan_with_several_roots_is_refused(folder: Path) -> None:
    plan = topology.plan(
        500, rate=0.5, nodes=20, reduction=topology.Reduction(keys=5_000), margin=0.1
    )
    topology.write_plan(plan, folder / "plan.json")
    made = windrow("make", folder / "plan.json", "--query", folder / "hot.yaml")
    assert made.exit_code == 2
    assert "one root" in made.output


def test_a_tree_that_does_not_run_does_not_answer(folder: Path) -> None:
    out = folder / "tree.yaml"
    windrow("make", folder / "plan.json", "--query", folder / "hot.yaml", "-o", out)
    shown = windrow("status", out, "--json", "--over", 0.1)
    assert shown.exit_code == 1
    found = json.loads(shown.output)
    assert found["total"]["answer"] == 0
    planned = {one["name"]: one["planned_per_s"] for one in found["nodes"]}
    assert planned["leaf-01"] == pytest.approx(250 / 13)
    assert "no answer" in windrow("status", out, "--over", 0.1).output


# A tree that runs ------------------------------------------------------------------------------


class Up:
    """`windrow tree up`, and what it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "hot.yaml").write_text(JOB)
        (folder / "counts.yaml").write_text(COUNTS)
        self.web = {name: free_port() for name in ("a", "b", "c", "d")}
        self.address = {name: f"tcp://127.0.0.1:{free_port()}" for name in ("hq", "east", "west")}
        self.sent: list[dict[str, Any]] = []
        self.numbers = dict.fromkeys(self.web, 0)

    def write(self, file: str, parents: Mapping[str, str]) -> Path:
        nodes: dict[str, Any] = {
            "hq": {"role": "root", "listen": self.address["hq"], "results": "out"}
        }
        for name, parent in parents.items():
            if name in self.web:
                source = {"http": f"127.0.0.1:{self.web[name]}"}
                nodes[name] = {"role": "leaf", "parent": parent, "sources": [source]}
            else:
                nodes[name] = {"role": "merger", "parent": parent, "listen": self.address[name]}
        tree = {"queries": ["hot.yaml"], "keys": "keys", "pace": {"live": False}, "nodes": nodes}
        (self.folder / file).write_text(yaml.safe_dump(tree))
        assert windrow("keys", self.folder / file).exit_code == 0
        return self.folder / file

    def start(self, tree: Path) -> None:
        command = [sys.executable, "-m", "windrow.cli", "tree", "up", str(tree), "--json"]
        with (self.folder / "up.log").open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    def says(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "up.log").read_text().splitlines()]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_S)

    def status(self, name: str) -> Any:
        return ordered(self.folder / "state" / name, "status")[name]

    def say(self, leaf: str, second: int) -> None:
        """Two rows of a leaf."""
        rows = [
            {"ts": BEGIN + timedelta(seconds=second + part), "sensor": sensor, "temp": second / 7}
            for sensor, part in (("p", 0.25), (leaf, 0.5))
        ]
        self.send(leaf, rows)

    def send(self, leaf: str, rows: Sequence[dict[str, Any]]) -> None:
        self.sent += rows
        self.numbers[leaf] += 1
        post_until_taken(self.web[leaf], "x", self.numbers[leaf], rows)

    def rows(self, query: str) -> list[dict[str, Any]]:
        files = sorted((self.folder / "out" / query).glob("part-*.jsonl"))
        rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        for row in rows:
            row["window"] = {
                end: datetime.fromisoformat(time) for end, time in row["window"].items()
            }
        return rows


def shown(tree: Path) -> Any:
    return json.loads(windrow("status", tree, "--json", "--over", 0.1).output)


@pytest.fixture(scope="module")
def adapted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Up, dict[str, Any]]]:
    """A tree that got another merger, a leaf more and a leaf less while rows came."""
    up = Up(tmp_path_factory.mktemp("up"))
    tree = up.write("tree.yaml", {"east": "hq", "a": "east", "b": "east", "d": "east"})
    new = up.write("new.yaml", {"west": "hq", "a": "hq", "b": "west", "c": "west"})
    up.start(tree)
    seen: dict[str, Any] = {}
    try:
        for second in range(0, 30, 3):
            for leaf in "abd":
                up.say(leaf, second)
        until(lambda: up.rows("hot"))
        until(lambda: shown(tree)["total"]["rows"] == 60)
        seen["status"] = shown(tree)
        seen["table"] = windrow("status", tree, "--over", 0.1).output
        seen["asked"] = windrow("ask", tree, up.folder / "counts.yaml")
        seen["checked"] = windrow("adapt", tree, "--to", new, "--check")
        adapting = subprocess.Popen(
            [sys.executable, "-m", "windrow.cli", "tree", "adapt", tree, "--to", new],
            stdout=subprocess.PIPE,
            text=True,
        )
        for second in range(30, 90, 3):
            for leaf in "ab":
                up.say(leaf, second)
        for second in range(90, 120, 3):
            for leaf in "abc":
                up.say(leaf, second)
        seen["adapted"], _ = adapting.communicate(timeout=20)
        seen["code"] = adapting.returncode
        for leaf in "abc":
            up.send(leaf, [{"ts": LAST, "sensor": "end", "temp": 0.0}])
        count = len(wanted(up.sent))
        until(lambda: len(up.rows("hot")) >= count)
        yield up, seen
    finally:
        seen["stopped"] = up.stop()


def wanted(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found = expected(
        [dict(row) for row in rows],
        time="ts",
        by=["sensor"],
        window=window.hopping("10 s", every="4 s"),
        aggregates={
            "peak": agg.max("temp"),
            "mean": agg.mean("temp"),
            "middle": agg.median("temp"),
            "n": agg.count(),
        },
    )
    return [row for row in found if row["sensor"] != "end"]


def test_all_nodes_come_up_and_are_shown(adapted: tuple[Up, dict[str, Any]]) -> None:
    _, seen = adapted
    nodes = {one["name"]: one for one in seen["status"]["nodes"]}
    assert nodes.keys() == {"hq", "east", "a", "b", "d"}
    assert all(one["answers"] for one in nodes.values())
    assert nodes["a"]["rows"] == 20
    assert nodes["east"]["connected"]
    assert "5 of 5 nodes answer" in seen["table"]


def test_a_tree_that_is_adapted_while_rows_come_loses_none(
    adapted: tuple[Up, dict[str, Any]],
) -> None:
    up, seen = adapted
    assert seen["code"] == 0, seen["adapted"]
    check_rows(up.rows("hot"), wanted(up.sent))
    assert "new: west, c" in seen["checked"].output
    assert "to move: a, b" in seen["checked"].output
    assert "to end: d, east" in seen["checked"].output
    assert not (up.folder / "tree.yaml.before").exists()


def test_nodes_that_have_gone_are_not_started_again(adapted: tuple[Up, dict[str, Any]]) -> None:
    up, _ = adapted
    until(lambda: any("east has ended" in one.get("event", "") for one in up.says()))
    assert up.status("hq")["members"] == ["a", "west"]
    assert up.status("west")["members"] == ["b", "c"]


def test_a_query_is_asked_and_dropped(adapted: tuple[Up, dict[str, Any]]) -> None:
    up, seen = adapted
    assert seen["asked"].exit_code == 0, seen["asked"].output
    tree = up.folder / "tree.yaml"
    assert windrow("drop", tree, up.folder / "counts.yaml").exit_code == 0
    again = windrow("drop", tree, up.folder / "counts.yaml")
    assert again.exit_code == 2
    assert "is not asked" in again.output


def test_what_no_running_tree_can_do_is_refused(tmp_path: Path) -> None:
    up = Up(tmp_path)
    before = up.write("tree.yaml", {"east": "hq", "west": "east", "a": "west"})
    after = up.write("new.yaml", {"east": "hq", "west": "hq", "a": "west"})
    refused = windrow("adapt", before, "--to", after)
    assert refused.exit_code == 2
    assert "west: only leaves can move" in refused.output
