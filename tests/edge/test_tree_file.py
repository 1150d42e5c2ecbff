"""The file of a tree: what it says, and all that is wrong with one at once."""

from pathlib import Path

import pytest

from tests.edge.running import JOB
from windrow.edge.children import Absence
from windrow.edge.clock import Pace
from windrow.edge.tree_file import ResultFiles, Role, Source, read_tree
from windrow.jobs import JobFileError


def write(folder: Path, text: str) -> Path:
    (folder / "hot.yaml").write_text(JOB)
    path = folder / "tree.yaml"
    path.write_text(text)
    return path


def test_a_tree_file_says_what_each_node_does(tmp_path: Path) -> None:
    tree = read_tree(
        write(
            tmp_path,
            """
queries: [hot.yaml]
keys: keys
pace: {live: false, beat: 1 second}
absence: {exclude: 30 seconds}
limits: {spool_bytes: 1000}
nodes:
  hq:
    role: root
    listen: "tcp://0.0.0.0:7000"
    address: "tcp://hq:7000"
    results: {folder: out, format: parquet}
  hall: {role: merger, parent: hq, listen: "tcp://10.0.0.2:7000"}
  a: {role: leaf, parent: hall, sources: [{http: "127.0.0.1:8080"}, stdin]}
  b: {role: leaf, parent: hall, sources: [{files: {folder: incoming, once: true}}]}
""",
        )
    )
    assert tree.children("hall") == ["a", "b"]
    assert [tree.node(name).role for name in tree.nodes] == [
        Role.ROOT,
        Role.MERGER,
        Role.LEAF,
        Role.LEAF,
    ]
    assert tree.node("hq").address == "tcp://hq:7000"
    assert tree.node("hq").results == ResultFiles(tmp_path / "out", "parquet", 10_000_000)
    assert tree.node("a").sources == (
        Source("http", {"listen": "127.0.0.1:8080"}),
        Source("stdin", {}),
    )
    assert tree.node("b").folder == tmp_path / "state" / "b"
    assert tree.pace == Pace(live=False, beat_us=1_000_000)
    assert (tree.absence, tree.patience_us) == (Absence.EXCLUDE, 30_000_000)
    assert [*tree.queries] == ["hot"]


def test_all_problems_of_a_tree_file_are_said_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
queries: [hot.yaml]
insecure: maybe
nodes:
  hq: {role: root, listen: "hq:7000"}
  a: {role: leaf, parent: hp, sources: [{htp: "127.0.0.1:8080"}]}
  b: {role: leef, parent: hq}
  c: {role: leaf, parent: a, listen: "tcp://127.0.0.1:1"}
  d: {role: merger, parent: d, listen: "tcp://127.0.0.1:2"}
  e: {role: leaf, parent: hq, sources: [{http: "8080"}]}
  f/g: {role: leaf, parent: hq}
""",
    )
    with pytest.raises(JobFileError) as raised:
        read_tree(path)
    said = [
        (problem.place.line, problem.message.partition(" (")[0])
        for problem in raised.value.problems
    ]
    assert said == [
        (3, "insecure: 'maybe' is not yes or no"),
        (5, "nodes.hq: results is missing"),
        (5, "nodes.hq.listen: 'hq:7000' is no address"),
        (6, "nodes.a.parent: no node 'hp'"),
        (6, "nodes.a.sources: a source is one of http, mqtt, files, stdin"),
        (6, "unknown key 'htp' in nodes.a.sources"),
        (7, "nodes.b.role: unknown 'leef'"),
        (8, "nodes.c.parent: 'a' has no children"),
        (8, "nodes.c: listen is not for a leaf"),
        (9, "nodes.d.parent: 'd' is above itself"),
        (10, "nodes.e.sources.http: '8080' is no host and port"),
        (11, "nodes: 'f/g' cannot name a node"),
    ]
