"""Members that are silent, come back, move or die for good."""

import heapq
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from tests.edge.moves import MovingSimulation
from tests.edge.simulated import SECOND, Faults, Simulation, Tree
from windrow import agg, window
from windrow.edge.children import Absence
from windrow.testing import check_rows, expected

MIDNIGHT = datetime(2024, 7, 1, tzinfo=UTC)
SCHEMA = pa.schema(
    [("ts", pa.timestamp("us", tz="UTC")), ("sensor", pa.string()), ("temp", pa.float64())]
)
JOB = """
source: {format: json, path: in, schema: "ts timestamp, sensor string, temp double"}
time: ts
by: sensor
lateness: 1 seconds
windows: %s
aggregates: {peak: max(temp), mean: mean(temp), middle: median(temp), n: count()}
sink: {format: console}
"""
AGGREGATES: dict[str, Any] = {
    "peak": agg.max("temp"),
    "mean": agg.mean("temp"),
    "middle": agg.median("temp"),
    "n": agg.count(),
}
WINDOWS = {
    "hopping": ("{hopping: {size: 10 seconds, every: 4 seconds}}", window.hopping("10 s", "4 s")),
    "tumbling": ("{tumbling: 20 seconds}", window.tumbling("20 s")),
    "session": ("{session: {gap: 3 seconds}}", window.session("3 s")),
    "count": ("{count: {size: 5, every: 2}}", window.count(5, every=2)),
}
TWO: Tree = {"root": ["m1", "m2"], "m1": ["a", "b"], "m2": ["c"]}
THREE: Tree = {"root": ["m"], "m": ["x", "y"], "x": ["a", "b"], "y": ["c"]}
ROUGH = Faults(loss=0.1, doubled=0.1, delay_us=300_000, crashes=2)

Arrivals = dict[str, list[tuple[int, pa.Table]]]


def drawn(seed: int, batches: int = 12) -> tuple[list[dict[str, Any]], Arrivals]:
    """Rows of three leaves, none too late, and when they come."""
    chance = random.Random(seed)
    rows: list[dict[str, Any]] = []
    arrivals: Arrivals = {}
    for leaf in ("a", "b", "c"):
        arrivals[leaf] = []
        now = chance.randint(0, SECOND)
        for _ in range(batches):
            now += chance.randint(1, 2 * SECOND)
            batch = [
                {
                    "ts": MIDNIGHT + timedelta(microseconds=now - chance.randint(0, SECOND - 1)),
                    "sensor": chance.choice(["p", "q", None]),
                    "temp": chance.choice([None, 1.5, 2.25, 0.1, 0.7]),
                }
                for _ in range(chance.randint(1, 4))
            ]
            rows += batch
            arrivals[leaf].append((now, pa.Table.from_pylist(batch, schema=SCHEMA)))
    return rows, arrivals


def wanted(rows: Sequence[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return expected(rows, time="ts", by=["sensor"], window=WINDOWS[kind][1], aggregates=AGGREGATES)


@pytest.mark.parametrize("kind", WINDOWS)
@pytest.mark.parametrize(("tree", "to"), [(TWO, "m2"), (THREE, "y")], ids=["two", "three"])
@pytest.mark.parametrize("seed", range(2))
def test_a_leaf_gets_another_parent_without_loss(kind: str, tree: Tree, to: str, seed: int) -> None:
    rows, arrivals = drawn(seed)
    moved = MovingSimulation(tree, [JOB % WINDOWS[kind][0]], arrivals, ROUGH, seed)
    moved.at(random.Random(seed).randint(0, moved.last), lambda: moved.move("a", to))
    check_rows(moved.run().rows(), wanted(rows, kind))
    assert moved.late() == 0


@pytest.mark.parametrize("kind", WINDOWS)
@pytest.mark.parametrize(("tree", "merger"), [(TWO, "m1"), (THREE, "x")], ids=["two", "three"])
@pytest.mark.parametrize("seed", range(2))
def test_children_of_a_dead_merger_go_on_at_its_parent(
    kind: str, tree: Tree, merger: str, seed: int
) -> None:
    rows, arrivals = drawn(seed)
    buried = MovingSimulation(tree, [JOB % WINDOWS[kind][0]], arrivals, ROUGH, seed)
    buried.at(random.Random(seed).randint(0, buried.last), lambda: buried.bury(merger))
    check_rows(buried.run().rows(), wanted(rows, kind))
    assert buried.late() == 0


def without_a_leaf(tree: Tree, kind: str, seed: int, away_us: int) -> Simulation:
    """A run in which a leaf is away for a while, and nobody waits for it."""
    _, arrivals = drawn(seed, batches=30)
    job = JOB % WINDOWS[kind][0]
    how: dict[str, Any] = {"absence": Absence.EXCLUDE, "patience_us": 2 * SECOND}
    run = Simulation(tree, [job], arrivals, Faults(), seed, **how)

    def leave() -> None:
        run.disks["a"].crash(run.chance)
        del run.nodes["a"]
        run.at(run.now + away_us, lambda: run.start("a"))

    run.at(6 * SECOND, leave)
    run.run()
    end = run.now + 40 * SECOND  # what the leaf has sent late is still on its way
    while run.now < end:
        run.now, _, what = heapq.heappop(run.queue)
        what()
    return run


@pytest.mark.parametrize("tree", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("seed", range(3))
def test_results_without_a_member_say_so_and_are_revised(tree: Tree, seed: int) -> None:
    run = without_a_leaf(tree, "hopping", seed, away_us=8 * SECOND)
    newest: dict[Any, tuple[dict[str, Any], bool]] = {}
    incomplete = 0
    for answer in run.answers():
        for row in answer.with_missing().to_pylist():
            complete, missing = row.pop("complete"), row.pop("missing")
            assert complete == (not missing)
            key = (row["window"]["start"], row["sensor"])
            assert answer.is_revised or key not in newest
            newest[key] = row, complete
            incomplete += not complete
    assert incomplete > 0
    assert all(complete for _, complete in newest.values())
    check_rows([row for row, _ in newest.values()], wanted(drawn(seed, batches=30)[0], "hopping"))


def test_what_comes_late_for_windows_that_cannot_be_made_again_is_counted() -> None:
    run = without_a_leaf(TWO, "session", 1, away_us=8 * SECOND)
    figures = run.nodes["root"].figures()["counts"]
    assert figures["late rows"] > 0
