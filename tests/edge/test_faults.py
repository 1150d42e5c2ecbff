"""Whatever gets lost, doubled or dies: the same answers in the same order, to the last bit."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from tests.edge.queries import (
    AGGREGATES,
    ORIGINS,
    WINDOWS,
    Asked,
    Case,
    drawn_case,
    users_aggregates,
)
from tests.edge.simulated import SECOND, Faults, Simulation
from windrow.edge.clock import Pace
from windrow.edge.inflow import Applied, Inflow
from windrow.edge.query import read_node_query
from windrow.testing import check_rows
from windrow.wire.messages import Frame, decode
from windrow.wire.tables import table_of

pytestmark = pytest.mark.trees

QUICK = 12  # scenarios for each kind of window
CHUNKS = 100  # of a hundred runs


@pytest.fixture(scope="module", autouse=True)
def _with_users_aggregates() -> Iterator[None]:
    with users_aggregates():
        yield


@dataclass(frozen=True)
class Scenario:
    """Rows, queries, and limits of the nodes."""

    case: Case
    asked: list[Asked]
    limits: dict[str, Any]

    def run(self, faults: Faults, seed: int) -> Simulation:
        jobs = [one.job for one in self.asked]
        return Simulation(
            self.case.tree, jobs, self.case.arrivals, faults, seed, **self.limits
        ).run()


def _drawn(chance: Random, kind: str) -> Scenario:
    kinds = [kind, *chance.sample(sorted(WINDOWS), chance.choice((0, 0, 1, 2)))]
    asked = {
        one.job: one
        for own in kinds
        for one in [
            Asked(
                own, AGGREGATES[chance.choice(sorted(AGGREGATES))], chance.choice(("sensor", None))
            )
        ]
    }
    limits = {"snapshot_bytes": chance.choice((500, 2_000, 1 << 20))}
    if chance.random() < 0.3:
        limits["buffer_bytes"] = chance.choice((0, 300, 3_000))
    return Scenario(drawn_case(chance, chance.choice(ORIGINS)), [*asked.values()], limits)


def _faults(chance: Random) -> Faults:
    return Faults(
        loss=chance.choice((0, 0.05, 0.3)),
        doubled=chance.choice((0, 0.2)),
        delay_us=chance.choice((2_000, 300_000, 2_000_000)),
        crashes=chance.choice((0, 1, 3, 6)),
    )


def _answers(run: Simulation) -> dict[str, str]:
    """The results of each query, in their order; as text floats differ if a bit does."""
    found: dict[str, list[Any]] = {}
    for answer in run.answers():
        assert not answer.is_late
        found.setdefault(answer.query, []).extend(answer.table.to_pylist())
    return {query: repr(rows) for query, rows in found.items()}


def _require_same(scenario: Scenario, seeds: range) -> None:
    calm = _answers(scenario.run(Faults(), 0))
    for seed in seeds:
        faults = _faults(Random(seed))
        assert _answers(scenario.run(faults, seed)) == calm, (seed, faults)


@pytest.mark.parametrize("kind", WINDOWS)
def test_faults_change_no_bit_of_the_answers(kind: str) -> None:
    for seed in range(QUICK):
        scenario = _drawn(Random(f"{kind} {seed}"), kind)
        _require_same(scenario, range(seed, seed + 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "chunk",
    [pytest.param(n, marks=pytest.mark.xdist_group(f"faults {n}")) for n in range(CHUNKS)],
)
def test_ten_thousand_runs_with_faults_change_no_bit(chunk: int) -> None:
    kinds = sorted(WINDOWS)
    for scene in range(25):
        number = 25 * chunk + scene
        scenario = _drawn(Random(number), kinds[number % len(kinds)])
        _require_same(scenario, range(4 * number, 4 * number + 4))


@pytest.mark.parametrize("seed", range(12))
def test_queries_that_come_and_go_leave_the_others_alone(seed: int) -> None:
    """A query that came in mid-stream answers for windows from the time on where it began."""
    chance = Random(seed)
    kind = sorted(WINDOWS)[seed % len(WINDOWS)]
    case = drawn_case(chance, ORIGINS[0])
    stays = Asked("hopping", AGGREGATES["algebraic"])
    goes = Asked(kind, AGGREGATES["distributive"])
    comes = Asked(kind, AGGREGATES["of rows"])
    run = Simulation(case.tree, [stays.job, goes.job], case.arrivals, _faults(chance), seed)
    run.at(chance.randint(0, run.last), lambda: run.ask(comes.job))
    run.at(chance.randint(0, run.last), lambda: run.drop(goes.job))
    run.run()
    found = {one: read_node_query(one.job).fingerprint for one in (stays, goes, comes)}
    check_rows(run.rows(found[stays]), stays.expected(case.rows))
    begun = _begun(run, found[comes])
    wanted = [] if begun is None else [r for r in case.rows if _us(r["ts"]) >= begun]
    whole = [
        row
        for row in comes.expected(wanted)
        if "window" not in row or begun is None or _us(row["window"]["start"]) >= begun
    ]
    check_rows(run.rows(found[comes]), whole)
    assert found[goes] not in run.nodes["root"].queries


def _begun(run: Simulation, query: str) -> int | None:
    """Where the first frame of a query in the spool begins."""
    messages = [decode(record) for _, record in run.disks["root"].records()]
    found = (m.since for m in messages if isinstance(m, Frame) and m.query == query)
    return next(found, None)


def _us(time: Any) -> int:
    return int((time - ORIGINS[1] - timedelta(seconds=7)) / timedelta(microseconds=1))


@pytest.mark.parametrize("seed", range(24))
def test_clocks_that_differ_cost_no_row_and_double_none(seed: int) -> None:
    """Event time moves with the clock where no rows come: late is late, and is there once."""
    chance = Random(seed)
    kind = sorted(WINDOWS)[seed % len(WINDOWS)]
    asked = Asked(kind, AGGREGATES["distributive"])
    origin = ORIGINS[0]
    case = drawn_case(chance, origin)
    pace = Pace(max_skew_us=30 * SECOND, idle_us=chance.choice((500_000, 5 * SECOND)))
    at = _us(origin)
    names = {*case.tree, *case.arrivals}
    clocks = {name: at + chance.randint(-8 * SECOND, 8 * SECOND) for name in sorted(names)}
    faults = _faults(chance)
    run = Simulation(case.tree, [asked.job], case.arrivals, faults, seed, pace=pace, clocks=clocks)
    run.run().settled()
    late = [
        _us(time)
        for answer in run.answers()
        if answer.is_late
        for time in answer.table["ts"].to_pylist()
    ]
    assert len(set(late)) == len(late)
    in_time = [row for row in case.rows if _us(row["ts"]) not in late]
    assert len(in_time) + len(late) == len(case.rows)
    check_rows(run.rows(), asked.expected(in_time))


class _Hasty(Inflow):
    """A deliberately broken one: a stretch is complete when the first member's frame is there."""

    def ready(self) -> Iterator[Any]:
        begun = [name for name, member in self.members.items() if member.frontier is not None]
        first = max(begun, key=lambda name: self.members[name].frontier or 0, default=None)
        waited_for = self.excluded
        if first is not None:
            self.excluded = {name for name in self.members if name != first}
        yield from super().ready()
        self.excluded = waited_for


class _Forgetful(Inflow):
    """Another: a frame that comes twice counts twice."""

    def apply(self, name: str, frame: Frame, *most_bytes: int) -> Applied:
        applied = super().apply(name, frame, *most_bytes)
        member = self.members[name]
        if applied is Applied.DUPLICATE and frame.rows:
            member.bodies.append(table_of(frame.body, self.payload.schema))
        return applied


@pytest.mark.parametrize("broken", [_Hasty, _Forgetful])
def test_an_inflow_that_is_broken_is_caught(
    broken: type[Inflow], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise these tests would say nothing."""
    scenarios = [_drawn(Random(f"tumbling {seed}"), "tumbling") for seed in range(8)]
    calm = [_answers(scenario.run(Faults(), 0)) for scenario in scenarios]
    monkeypatch.setattr("windrow.edge.children.Inflow", broken)
    bad = Faults(doubled=0.5, delay_us=300_000)
    assert [_answers(scenario.run(bad, 0)) for scenario in scenarios] != calm
