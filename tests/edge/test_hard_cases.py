"""The cases at which trees of nodes break: each by name, as a little timeline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import pytest

from tests.edge.queries import (
    AGGREGATES,
    TREES,
    Asked,
    Row,
    drawn_case,
    leaves_of,
    table_of,
    users_aggregates,
)
from tests.edge.simulated import SECOND, Faults, SimulatedDisk, Simulation
from windrow.edge.clock import Pace
from windrow.edge.landing import Landing
from windrow.edge.leaf import Batch, Leaf
from windrow.edge.merger import Merger
from windrow.edge.payload import BEGIN, END
from windrow.edge.query import read_node_query
from windrow.edge.root import Root
from windrow.testing import check_rows
from windrow.wire.messages import (
    Ack,
    Asking,
    Frame,
    Hello,
    Late,
    Message,
    Welcome,
    decode,
    encode,
)

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
NOON_US = int(NOON.timestamp()) * SECOND
BOTH = ("median(temp)", "count()")
Said = tuple[float, float]  # a time in seconds after noon, and a value
NO_FAULTS = Faults()


def row(said: Said, sensor: str | None = "p", **others: Any) -> Row:
    """A row of a sensor."""
    empty = dict.fromkeys(("number", "word", "on_", "off_"))
    at = NOON + timedelta(seconds=said[0])
    return {"ts": at, "sensor": sensor, "temp": said[1], **empty, **others}


def run(
    tree: Mapping[str, Sequence[str]],
    asked: Asked,
    own: Mapping[str, Sequence[Row]],
    faults: Faults = NO_FAULTS,
    seed: int = 0,
    **how: Any,
) -> Simulation:
    """A tree whose leaves get their rows one by one, each at its time."""
    arrivals = {
        leaf: [
            (int((one["ts"] - NOON) / timedelta(microseconds=1)), table_of([one])) for one in rows
        ]
        for leaf, rows in own.items()
    }
    for leaf in leaves_of(tree):
        arrivals.setdefault(leaf, [])
    return Simulation(tree, [asked.job], arrivals, faults, seed, **how).run()


def check(asked: Asked, own: Mapping[str, Sequence[Row]], found: Simulation) -> None:
    """All rows are in the results, and none is late."""
    assert found.late() == 0
    check_rows(found.rows(), asked.expected([one for rows in own.values() for one in rows]))


@pytest.fixture(scope="module", autouse=True)
def _with_users_aggregates() -> Iterator[None]:
    with users_aggregates():
        yield


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_a_child_without_rows_holds_nothing_back(tree: dict[str, list[str]]) -> None:
    """Its event time moves with the clock, so results come while the others' rows do."""
    asked = Asked("tumbling", BOTH)
    busy = leaves_of(tree)[0]
    own = {busy: [row((second, second)) for second in range(20)]}
    clocks = dict.fromkeys([*tree, *leaves_of(tree)], NOON_US)
    simulation = run(tree, asked, own, pace=Pace(idle_us=SECOND), clocks=clocks)
    check(asked, own, simulation)
    first = next(
        number
        for number, record in simulation.disks["root"].records()
        if isinstance(message := decode(record), Frame) and message.rows
    )
    assert first < simulation.disks["root"].end - 3  # frames come all the time, not at the end


def test_a_duplicate_while_a_sibling_is_silent_completes_nothing() -> None:
    asked = Asked("tumbling", BOTH)
    landing = Landing("root", ["a", "b"], SimulatedDisk(), [asked.job])
    leaf = Leaf("a", SimulatedDisk(), [asked.job], Pace(live=False))
    _talk(landing, leaf)
    leaf.insert([Batch("s", table_of([row((second, second)) for second in range(10)]), 0)], 0)
    frames = [message for message in leaf.step(0) if isinstance(message, Frame)]
    assert frames
    for frame in frames * 3:
        landing.receive("a", frame, 0)
        landing.step(0)
    assert landing.counts["duplicate frames"] >= 2 * len(frames)
    assert not [m for m in _spooled(landing) if isinstance(m, Frame)]


def test_a_key_that_one_leaf_alone_has_is_answered_with_the_others() -> None:
    for kind in ("tumbling", "session", "hopping count", "trailing"):
        asked = Asked(kind, BOTH)
        own = {
            "a": [row((second, second), "p") for second in range(0, 12, 2)],
            "c": [row((second + 0.5, second), "q") for second in range(0, 12, 3)],
        }
        check(asked, own, run(TREES["of height 3"], asked, own))


def test_a_late_row_bridges_sessions_of_two_leaves() -> None:
    """p: one session until 2 s, one from 5 s on; what came at 3.5 s makes them one."""
    asked = Asked("session", BOTH, lateness_us=4 * SECOND)
    own = {
        "a": [row((0, 1)), row((1, 2)), row((2, 3))],
        "b": [row((5, 4)), row((6, 5))],
        "c": [row((7, 0), "q"), row((3.5, 9))],
    }
    arrivals = {
        leaf: [(at * SECOND, table_of([one])) for at, one in enumerate(rows, 5)]
        for leaf, rows in own.items()
    }
    for tree in (TREES["of height 2"], TREES["of height 3"]):
        found = Simulation(tree, [asked.job], arrivals, NO_FAULTS, 0).run()
        check(asked, own, found)
        (bridged,) = [one for one in found.rows() if one["sensor"] == "p"]
        assert (bridged["a0"], bridged["a1"]) == (3.5, 6)


def test_windows_of_one_second_and_of_twenty_share_slices_of_medians() -> None:
    asked = Asked("several aligned", ("median(temp)", "quantile(0.9, temp)", "count()"))
    chance = Random(1)
    own = {
        leaf: [row((second / 3, chance.random())) for second in range(chance.randint(60, 150))]
        for leaf in "abcd"
    }
    check(asked, own, run(TREES["of height 4"], asked, own))


@pytest.mark.parametrize("kind", ["hopping", "hopping count", "trailing", "trailing rows"])
def test_sliding_medians_and_counts_over_three_levels(kind: str) -> None:
    asked = Asked(kind, BOTH)
    chance = Random(kind)
    seconds = chance.sample(range(40_000), 120)  # in thousandths: no ties
    own: dict[str, list[Row]] = {leaf: [] for leaf in "abc"}
    for second in sorted(seconds):
        own[chance.choice("abc")].append(
            row((second / 1_000, chance.random()), chance.choice("pq"))
        )
    check(asked, own, run(TREES["of height 3"], asked, own))


@pytest.mark.parametrize("kind", ["tumbling", "hopping", "session", "long tumbling"])
def test_the_last_window_is_answered_when_all_sources_have_ended(kind: str) -> None:
    asked = Asked(kind, BOTH)
    own = {"a": [row((0.5, 1))], "c": [row((0.7, 2))]}
    found = run(TREES["of height 3"], asked, own)
    check(asked, own, found)
    assert any(one["a1"] == 2 for one in found.rows())


def test_a_clock_in_2099_makes_no_row_late() -> None:
    """Rows of a sensor whose clock is wrong are quarantined and counted, and not believed."""
    asked = Asked("tumbling", BOTH)
    wrong = row((0, 99))
    wrong["ts"] = datetime(2099, 1, 1, tzinfo=UTC)
    own = {"a": [row((second, second)) for second in range(8)], "b": [row((1.5, 7))]}
    arrivals = {
        "a": [(second * SECOND, table_of([one])) for second, one in enumerate(own["a"])],
        "b": [(SECOND, table_of([wrong])), (3 * SECOND // 2, table_of(own["b"]))],
        "c": [],
    }
    clocks = dict.fromkeys([*TREES["of height 2"], "a", "b", "c"], NOON_US)
    found = Simulation(
        TREES["of height 2"], [asked.job], arrivals, NO_FAULTS, 0, pace=Pace(), clocks=clocks
    ).run()
    check(asked, own, found)
    assert found.nodes["b"].counts["quarantined rows"] == 1


def test_a_merger_is_killed_between_the_frames_of_siblings() -> None:
    """The frame of one child is there, that of the other is not; then all of it is forgotten."""
    asked = Asked("tumbling", BOTH)
    own = {
        "a": [row((second, second)) for second in range(12)],
        "b": [row((second + 0.3, second)) for second in range(12)],
        "c": [row((second + 0.6, second)) for second in range(12)],
    }
    calm = run(TREES["of height 3"], asked, own)
    for moment in range(0, 14 * SECOND, SECOND // 2):
        arrivals = {
            leaf: [
                (int((one["ts"] - NOON) / timedelta(microseconds=1)), table_of([one]))
                for one in rows
            ]
            for leaf, rows in own.items()
        }
        again = Simulation(TREES["of height 3"], [asked.job], arrivals, NO_FAULTS, 1)
        again.at(moment, partial(_kill_between_siblings, again, "m1", ("a", "b")))
        again.run()
        assert repr(again.rows()) == repr(calm.rows())


def _kill_between_siblings(simulation: Simulation, merger: str, children: tuple[str, str]) -> None:
    node = simulation.nodes.get(merger)
    if simulation.done or not isinstance(node, Merger):
        return
    members = [known["members"] for known in node.figures()["queries"].values()]
    if not members or members[0][children[0]] == members[0][children[1]]:
        later = simulation.now + SECOND // 100
        simulation.at(later, lambda: _kill_between_siblings(simulation, merger, children))
        return
    simulation.crash(merger)


def test_a_merger_that_hears_late_how_far_it_had_come_counts_nothing_twice() -> None:
    """The first welcome after its crash was meant for the one before, and knows nothing."""
    asked = Asked("tumbling", BOTH)
    query = read_node_query(asked.job).fingerprint
    leaf = Leaf("a", SimulatedDisk(), [asked.job], Pace(live=False))
    leaf.insert([Batch("s", table_of([row((1, 5))]), 0)], 0)
    leaf.end()
    leaf.step(0)
    (frame,) = leaf._state.up.unsafe()
    merger = Merger("m", ["a"], 2)
    merger.upward(1)
    merger.receive_from_parent(Asking(query, asked.job), 1)
    merger.receive_from_parent(Welcome((query,), 1, {}, {}, {}, 1 << 20), 1)
    for message in (Hello(1), Frame(query, BEGIN, BEGIN, 0, b""), frame):
        merger.receive("a", message, 1)
    known = {query: BEGIN}
    merger.receive_from_parent(Welcome((query,), 1, known, known, {}, 1 << 20), 1)
    asked_again = [sent.message for sent in merger.step(1)]
    assert any(isinstance(m, Welcome) and m.frontiers == known for m in asked_again)
    merger.receive("a", frame, 1)
    merger.step(1)
    (sent,) = [one for one in merger.upward(1) if isinstance(one, Frame) and one.rows]
    assert (sent.since, sent.to, sent.rows) == (BEGIN, END, 1)


def test_a_spool_that_is_cut_at_every_record_becomes_whole_again() -> None:
    """Children replay what is missing; a reader that went on sees each record once."""
    asked = Asked("hopping", BOTH)
    own = {
        leaf: [row((second + n / 4, second)) for second in range(9)] for n, leaf in enumerate("abc")
    }
    whole = run(TREES["of height 3"], asked, own)
    records = [record for _, record in whole.disks["root"].records()]
    for length in range(len(records)):
        cut = SimulatedDisk(records[:length])
        landing = Landing("root", ["m1", "m2"], cut, [asked.job])
        for _, frame in [(n, decode(r)) for n, r in enumerate(records[length:])]:
            if isinstance(frame, Frame):
                assert _fed(landing, frame)
        found = [m for m in _spooled(landing) if isinstance(m, Frame)]
        assert found == [m for m in map(decode, records) if isinstance(m, Frame)]


def _fed(landing: Landing, frame: Frame) -> bool:
    """Feed the stretch of a frame through one child; the other has nothing there."""
    (known,) = landing.figures()["queries"].values()
    for member in landing.members:
        begun = known["members"][member]
        if begun is None:
            landing.receive(member, Frame(frame.query, frame.since, frame.since, 0, b""), 0)
        own = frame if member == "m1" else replace(frame, rows=0, body=b"")
        landing.receive(member, own, 0)
    landing.step(0)
    return True


@pytest.mark.parametrize("faults", [NO_FAULTS, Faults(0.2, 0.2, 300_000, 4)])
def test_late_rows_are_counted_and_reachable_once(faults: Faults) -> None:
    asked = Asked("tumbling", BOTH)
    late = [row((1, 70)), row((2, 80)), row((0.5, 90))]
    own = {
        "a": [row((second, second)) for second in range(20)],
        "b": [row((second + 0.5, second)) for second in range(20)],
    }
    arrivals = {
        leaf: [(second * SECOND, table_of([one])) for second, one in enumerate(rows)]
        for leaf, rows in own.items()
    }
    arrivals["a"] += [(21 * SECOND + n, table_of([one])) for n, one in enumerate(late)]
    arrivals["c"] = []
    found = Simulation(TREES["of height 3"], [asked.job], arrivals, faults, 3).run().settled()
    check_rows(found.rows(), asked.expected([*own["a"], *own["b"]]))
    tables = [answer.table for answer in found.answers() if answer.is_late]
    temps = [one for table in tables for one in _temps(table)]
    assert sorted(temps) == [70, 80, 90]
    spooled = [decode(record) for _, record in found.disks["root"].records()]
    assert sum(one.rows for one in spooled if isinstance(one, Late)) == 3


def test_late_rows_that_are_said_again_are_kept_once() -> None:
    asked = Asked("tumbling", BOTH)
    query = read_node_query(asked.job).fingerprint
    merger = Merger("m", ["a"], 1, [asked.job])
    merger.upward(1)
    merger.receive_from_parent(Welcome((query,), 1, {}, {}, {}, 1 << 20), 1)
    merger.receive("a", Hello(1), 1)
    late = Late(query, "a", 1, 2, b"")
    for now in range(2, 5):  # each time it goes up again: what is said again may have got lost
        merger.receive("a", late, now)
        merger.step(now)
        assert [one for one in merger.upward(now) if isinstance(one, Late)] == [late]
    assert merger.status().nodes["m"]["unsafe_bytes"] < 300


def _temps(table: Any) -> list[float]:
    name = next(name for name in table.column_names if name in ("temp", "v0"))
    found: list[float] = table[name].to_pylist()
    return found


def test_batches_of_a_source_that_come_twice_count_once() -> None:
    asked = Asked("tumbling", BOTH)
    disk = SimulatedDisk()
    leaf = Leaf("a", disk, [asked.job], Pace(live=False))
    batches = [Batch("s", table_of([row((n, n))]), n) for n in range(5)]
    for batch in batches:
        assert leaf.insert([batch, batch], 0)[1].accepted
        leaf.step(0)
        again = Leaf("a", disk, [asked.job], Pace(live=False))
        assert again.insert([batch], 0)[0].accepted
        assert again.counts["duplicate batches"] == 1
        disk.kept.pop()  # what the second one noted of its own start
    leaf.insert(batches, 0)
    assert leaf.figures()["rows"] == 5
    other = Batch("another", batches[0].rows, 0)
    leaf.insert([other], 0)
    assert leaf.figures()["rows"] == 6


@pytest.mark.parametrize("buffer_bytes", [0, 1, 400])
@pytest.mark.parametrize("spool_bytes", [1, 3_000])
def test_full_spools_and_buffers_slow_sources_down_and_lose_nothing(
    buffer_bytes: int, spool_bytes: int
) -> None:
    asked = Asked("tumbling", BOTH)
    own = {
        leaf: [row((second + n / 4, second)) for second in range(30)]
        for n, leaf in enumerate("abc")
    }
    most = 40_000 if spool_bytes == 1 else spool_bytes
    found = run(
        TREES["of height 3"],
        asked,
        own,
        Faults(delay_us=500_000),
        buffer_bytes=buffer_bytes,
        spool_bytes=most,
        snapshot_bytes=1_000,
    )
    check(asked, own, found)


@pytest.mark.parametrize("snapshot_bytes", [1_000, 1 << 20])
def test_a_full_leaf_takes_rows_again_when_the_root_has_caught_up(snapshot_bytes: int) -> None:
    asked = Asked("tumbling", BOTH)
    disk = SimulatedDisk()
    landing = Landing("root", ["a"], SimulatedDisk(), [asked.job])
    limits = {"spool_bytes": 8_000, "snapshot_bytes": snapshot_bytes}
    leaf = Leaf("a", disk, [asked.job], Pace(live=False), **limits)
    number = 0
    while leaf.insert([Batch("s", table_of([row((number, number))] * 20), number)], 0)[0].accepted:
        leaf.step(0)
        number += 1
        assert number < 1_000
    assert leaf.is_full
    _talk(landing, leaf)
    assert not leaf.is_full
    assert leaf.insert([Batch("s", table_of([row((number, number))]), number)], 0)[0].accepted


def _talk(landing: Landing, leaf: Leaf, until: int = 60) -> None:
    """Let a leaf and its parent talk for a while."""
    for second in range(until):
        now = second * SECOND
        for message in leaf.step(now):
            landing.receive(leaf.name, message, now)
        for sent in landing.step(now):
            if sent.to == leaf.name:
                leaf.receive(sent.message, now)


def _spooled(landing: Landing) -> list[Message]:
    return [decode(record) for _, record in landing._disk.records()]


@pytest.mark.parametrize("kind", ["hopping", "long tumbling", "session", "trailing"])
@pytest.mark.parametrize("snapshot_bytes", [100, 1 << 20])
def test_a_leaf_that_dies_at_any_record_is_the_same_afterwards(
    kind: str, snapshot_bytes: int
) -> None:
    """Its frames are those of one that lived on, to the last byte."""
    asked = Asked(kind, AGGREGATES["algebraic"])
    chance = Random(kind)
    batches = [
        Batch("s", table_of([row((n + chance.random() / 2, chance.random()))]), n)
        for n in range(25)
    ]
    lived = _frames_of_a_leaf(asked, batches, set(), snapshot_bytes)
    for death in range(len(batches)):
        assert _frames_of_a_leaf(asked, batches, {death}, snapshot_bytes) == lived
    assert _frames_of_a_leaf(asked, batches, set(range(len(batches))), snapshot_bytes) == lived


def _frames_of_a_leaf(
    asked: Asked, batches: Sequence[Batch], deaths: set[int], snapshot_bytes: int
) -> list[bytes]:
    """All frames in order; the parent acknowledges half of them."""
    disk = SimulatedDisk()
    chance = Random(0)

    def begun() -> Leaf:
        return Leaf("a", disk, [asked.job], Pace(live=False), snapshot_bytes=snapshot_bytes)

    leaf = begun()
    frames: dict[int, bytes] = {}
    for number, batch in enumerate(batches):
        leaf.insert([batch], 0)
        if number in deaths:
            disk.crash(chance)
            leaf = begun()
            leaf.insert([batch], 0)
        leaf.step(0)
        for frame in leaf.unsafe():
            assert isinstance(frame, Frame)
            assert frames.setdefault(frame.since, encode(frame)) == encode(frame)
        if number % 2 and frames:
            to = max(frame.to for frame in map(decode, frames.values()) if isinstance(frame, Frame))
            query = leaf.queries[0]
            leaf.receive(Ack(query, to, to, 1 << 20), 0)
    leaf.end()
    leaf.step(0)
    for frame in leaf.unsafe():
        assert isinstance(frame, Frame)
        frames[frame.since] = encode(frame)
    return [frames[since] for since in sorted(frames)]


@pytest.mark.parametrize("seed", range(4))
def test_a_root_that_begins_from_any_checkpoint_goes_on_as_before(seed: int) -> None:
    chance = Random(seed)
    asked = Asked("hopping", AGGREGATES["holistic"])
    case = drawn_case(chance, NOON)
    found = Simulation(case.tree, [asked.job], case.arrivals, NO_FAULTS, 0).run()
    records = [*found.disks["root"].records()]
    whole = [repr(answer.table.to_pylist()) for answer in Root().apply(records)]
    for cut in range(len(records) + 1):
        first = Root()
        before = [repr(answer.table.to_pylist()) for answer in first.apply(records[:cut])]
        second = Root.restored(first.checkpoint())
        after = [repr(answer.table.to_pylist()) for answer in second.apply(records[cut:])]
        assert before + after == whole


def test_rows_of_one_time_come_by_the_names_of_leaves_and_then_as_they_arrived() -> None:
    asked = Asked("count", ("collect(number)",), by=None)
    own = {
        "b": [row((1, 0), number=3), row((1, 0), number=4)],
        "a": [row((1, 0), number=1), row((1, 0), number=2)],
        "c": [row((0.5, 0), number=0), row((1, 0), number=5), row((1, 0), number=6)],
    }
    own["c"].append(row((2, 0), number=7))
    for tree in (TREES["of height 2"], TREES["of height 3"]):
        for seed in range(3):
            found = run(tree, asked, own, Faults(0.1, 0.1, 300_000, 2), seed)
            assert [one["a0"] for one in found.rows()] == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("different", [40, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_thousand_windows_at_once(different: int) -> None:
    sizes = {f"w{number}": 1 + number % different for number in range(1_000)}
    named = ", ".join(f"{name}: {{tumbling: {size} seconds}}" for name, size in sizes.items())
    job = Asked("tumbling", ("max(temp)", "count()")).job
    job = job.replace("{tumbling: 4 seconds}", f"{{{named}}}")
    chance = Random(0)
    own = {
        leaf: [row((n + chance.random(), n), chance.choice("pq")) for n in range(12)]
        for leaf in "ab"
    }
    arrivals = {
        leaf: [(one["ts"].microsecond + n * SECOND, table_of([one])) for n, one in enumerate(rows)]
        for leaf, rows in own.items()
    }
    found = Simulation({"root": ["m"], "m": ["a", "b"]}, [job], arrivals, NO_FAULTS, 0).run()
    rows = [one for mine in own.values() for one in mine]
    by_name: dict[str, list[Row]] = {}
    for answer in found.rows():
        by_name.setdefault(answer.pop("name"), []).append(answer)
    assert by_name.keys() == sizes.keys()
    for name, size in sizes.items():
        check_rows(by_name[name], _tumbled(rows, size))


def _tumbled(rows: Sequence[Row], size: int) -> list[Row]:
    found: dict[tuple[int, str], list[float]] = {}
    for one in rows:
        second = int(one["ts"].timestamp()) // size * size
        found.setdefault((second, one["sensor"]), []).append(one["temp"])
    return [
        {
            "window": {
                "start": datetime.fromtimestamp(second, UTC),
                "end": datetime.fromtimestamp(second + size, UTC),
            },
            "sensor": sensor,
            "a0": max(values),
            "a1": len(values),
        }
        for (second, sensor), values in found.items()
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_query_that_is_dropped_and_asked_again_begins_anew(seed: int) -> None:
    chance = Random(seed)
    asked, stays = Asked("tumbling", ("count()",)), Asked("session", BOTH)
    case = drawn_case(chance, NOON, 60)
    simulation = Simulation(case.tree, [stays.job, asked.job], case.arrivals, NO_FAULTS, seed)
    dropped = chance.randint(0, simulation.last)
    simulation.at(dropped, lambda: simulation.drop(asked.job))
    again = dropped + SECOND
    simulation.at(again, lambda: simulation.ask(asked.job))
    simulation.run()
    check_rows([one for one in simulation.rows() if "a1" in one], stays.expected(case.rows))
    wanted = {
        (str(one["window"]["start"]), one["sensor"]): one["a0"] for one in asked.expected(case.rows)
    }
    for one in simulation.rows():
        if "a1" not in one:  # windows may be missing around the change, and none is wrong
            assert wanted[str(one["window"]["start"]), one["sensor"]] == one["a0"]
