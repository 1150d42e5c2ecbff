"""Members that are silent, come back, move or die for good."""

import heapq
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from tests.edge.moves import MovingSimulation
from tests.edge.simulated import SECOND, Faults, SimulatedDisk, Simulation, Tree
from windrow import agg, window
from windrow.edge.children import Absence
from windrow.edge.clock import Pace
from windrow.edge.inflow import Inflow
from windrow.edge.landing import Landing
from windrow.edge.leaf import Batch, Leaf
from windrow.edge.payload import payload_for
from windrow.edge.query import read_node_query
from windrow.testing import check_rows, expected
from windrow.wire.messages import Dropping, Frame, Late, Leaving, Welcome, decode

pytestmark = pytest.mark.trees

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
    _run_on(run)
    return run


def _run_on(run: Simulation) -> None:
    """What nodes have sent late is still on its way."""
    end = run.now + 40 * SECOND
    while run.now < end:
        run.now, _, what = heapq.heappop(run.queue)
        what()


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


def _check_newest(run: Simulation, rows: Sequence[dict[str, Any]]) -> None:
    """The last that came of each window is complete, and right."""
    newest: dict[Any, tuple[dict[str, Any], bool]] = {}
    for answer in run.answers():
        for row in answer.with_missing().to_pylist():
            complete, _ = row.pop("complete"), row.pop("missing")
            newest[row["window"]["start"], row["sensor"]] = row, complete
    assert all(complete for _, complete in newest.values())
    check_rows([row for row, _ in newest.values()], wanted(rows, "hopping"))


class _Cut(Simulation):
    """A simulation in which nodes may be alive and cannot reach each other."""

    away: tuple[str, str] | None = None

    def deliver(self, sender: str, to: str, content: bytes) -> None:
        if self.away is None or {sender, to} != {*self.away}:
            super().deliver(sender, to, content)


@pytest.mark.parametrize("crash_at", [12.0, 14.05, 14.4])
@pytest.mark.parametrize(
    ("tree", "member"), [({"root": ["a", "b", "c"]}, "a"), (TWO, "m1")], ids=["leaf", "merger"]
)
def test_a_landing_that_crashes_still_takes_what_it_has_gone_on_without(
    tree: Tree, member: str, crash_at: float
) -> None:
    rows, arrivals = drawn(2, batches=30)
    how: dict[str, Any] = {"absence": Absence.EXCLUDE, "patience_us": 2 * SECOND}
    run = _Cut(tree, [JOB % WINDOWS["hopping"][0]], arrivals, Faults(), 2, **how)
    run.at(6 * SECOND, lambda: setattr(run, "away", (member, "root")))
    run.at(14 * SECOND, lambda: setattr(run, "away", None))
    run.at(int(crash_at * SECOND), lambda: run.crash("root"))
    run.run().settled()
    _check_newest(run, rows)


def _inflow(*members: str) -> Inflow:
    """A node's view of members that have come to second 0."""
    query = read_node_query(JOB % WINDOWS["tumbling"][0])
    return Inflow(payload_for(query), members, 0)


def _empty(since: int, to: int, *missing: str) -> Frame:
    return Frame("q", since * SECOND, to * SECOND, 0, b"", missing)


def _stretches(inflow: Inflow) -> list[tuple[int, int, tuple[str, ...]]]:
    return [(m.since // SECOND, m.to // SECOND, m.missing) for m in inflow.ready()]


def test_what_a_member_sent_before_it_fell_silent_is_not_missing() -> None:
    inflow = _inflow("a", "b")
    inflow.apply("a", _empty(0, 40))
    inflow.exclude("a")
    inflow.apply("b", _empty(0, 20))
    assert _stretches(inflow) == [(0, 20, ())]
    inflow.apply("b", _empty(20, 60))
    assert _stretches(inflow) == [(20, 40, ()), (40, 60, ("a",))]


def test_a_member_without_which_nothing_was_merged_need_not_keep_its_frames() -> None:
    inflow = _inflow("a")
    inflow.exclude("a")
    assert _stretches(inflow) == []
    inflow.apply("a", _empty(0, 20))
    assert _stretches(inflow) == [(0, 20, ())]
    assert inflow.durable("a", 20 * SECOND) == 20 * SECOND


def test_members_are_missing_where_they_were_missing_below_and_nowhere_else() -> None:
    inflow = _inflow("m", "c")
    inflow.apply("m", _empty(0, 20))
    inflow.apply("m", _empty(20, 60, "a"))
    inflow.apply("m", _empty(60, 80))
    inflow.apply("c", _empty(0, 40))
    assert _stretches(inflow) == [(0, 20, ()), (20, 40, ("a",))]
    inflow.apply("c", _empty(40, 80))
    assert _stretches(inflow) == [(40, 60, ("a",)), (60, 80, ())]


@pytest.mark.parametrize("stretch", [(0, 0), (0, 20 * SECOND)], ids=["rows", "frame"])
def test_what_comes_late_and_damaged_does_not_reach_the_spool(stretch: tuple[int, int]) -> None:
    disk = SimulatedDisk()
    landing = Landing("root", ["a"], disk, [JOB % WINDOWS["tumbling"][0]])
    [query] = landing.queries
    landing.receive("a", Late(query, "a", 1, 5, b"junk", *stretch), 0)
    landing.step(0)
    assert landing.counts["damaged late tables"] == 1
    assert not any(isinstance(decode(record), Late) for _, record in disk.records())


def test_late_rows_of_a_query_that_is_asked_again_are_counted_from_the_beginning() -> None:
    disk = SimulatedDisk()
    landing = Landing("root", ["a"], disk, [])
    text = JOB % WINDOWS["tumbling"][0]
    for _ in range(2):
        query = landing.ask(text)
        landing.receive("a", Late(query, "a", 1, 5, b""), 0)
        landing.step(0)
        landing = Landing("root", ["a"], disk, [])
        landing.receive("a", Late(query, "a", 1, 5, b""), 0)
        landing.drop(query)
    assert sum(isinstance(decode(record), Late) for _, record in disk.records()) == 2


def test_a_leaf_arrives_at_its_new_parent_though_a_query_is_dropped_on_the_way() -> None:
    text = JOB % WINDOWS["tumbling"][0]
    leaf = Leaf("a", SimulatedDisk(), [text], Pace(live=False))
    [query] = leaf.queries
    _, arrivals = drawn(0)
    leaf.insert([Batch("s", arrivals["a"][0][1], 0)], 0)
    leaf.move()
    leaf.receive(Welcome((query,), 1, {}, {}, {}, 1 << 20), 1)
    leaf.receive(Welcome((query,), 1, {}, {}, {}, 1 << 20), 1, new=True)
    assert any(isinstance(message, Leaving) for message in leaf.step(1))
    leaf.receive(Dropping(query), 1)
    leaf.step(1)
    assert not leaf.is_moving


class _CutMoving(MovingSimulation, _Cut):
    """Both."""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("moves_at", [5.999, 10.0], ids=["before", "while"])
def test_a_leaf_that_moves_while_its_parent_goes_on_without_it_loses_nothing(
    moves_at: float, seed: int
) -> None:
    rows, arrivals = drawn(seed, batches=30)
    how: dict[str, Any] = {"absence": Absence.EXCLUDE, "patience_us": 2 * SECOND}
    faults = Faults(loss=0.05, doubled=0.1, delay_us=100_000) if seed else Faults()
    run = _CutMoving(TWO, [JOB % WINDOWS["hopping"][0]], arrivals, faults, seed, **how)
    run.at(int(moves_at * SECOND), lambda: run.move("a", "m2"))
    run.at(6 * SECOND, lambda: setattr(run, "away", ("a", "m1")))
    run.at(16 * SECOND, lambda: setattr(run, "away", None))
    _run_on(run.run())
    _check_newest(run, rows)
