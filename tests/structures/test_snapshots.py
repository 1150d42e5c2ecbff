"""Snapshots: a window goes on elsewhere as if nothing had happened."""

import pickle
from typing import Any

import pytest

from tests.structures.support import ALL, FREE, Structure, contents, last
from windrow import agg
from windrow.errors import SnapshotError
from windrow.structures import Aggregator, Amta, Snapshot, TwoStacks


def replay(window: Aggregator, start: int, end: int) -> list[str]:
    """What a window shows after each of the steps [start, end) of a mixed run."""
    shown = []
    for number in range(start, end):
        if number % 11 == 10:
            window.evict(len(window) * 2 // 3)
        elif number % 5 == 3:
            window.evict(min(2, len(window)))
        else:
            window.insert(chr(97 + number % 26))
        shown.append(contents(window))
    return shown


@pytest.mark.parametrize("structure", ALL)
def test_a_restart_at_any_step_changes_no_result(structure: type[Aggregator]) -> None:
    steps = 90
    undisturbed = replay(structure(FREE), 0, steps)
    window = structure(FREE)
    for step in range(steps):
        snapshot = pickle.loads(pickle.dumps(window.snapshot()))
        window = structure(FREE)
        window.restore(snapshot)
        assert replay(window, step, step + 1) == undisturbed[step : step + 1]


@pytest.mark.parametrize("structure", ALL)
def test_a_window_may_be_restored_from_any_earlier_step(structure: type[Aggregator]) -> None:
    steps = 70
    window, snapshots = structure(FREE), list[Snapshot]()
    shown = []
    for step in range(steps):
        snapshots.append(window.snapshot())
        shown += replay(window, step, step + 1)
    for step, snapshot in enumerate(snapshots):
        window.restore(snapshot)
        assert replay(window, step, steps) == shown[step:]


@pytest.mark.parametrize("structure", ALL)
def test_what_happens_later_does_not_reach_a_snapshot(structure: type[Aggregator]) -> None:
    window = structure(FREE)
    replay(window, 0, 20)
    snapshot, text = window.snapshot(), contents(window)
    frozen = pickle.dumps(snapshot)
    replay(window, 20, 60)
    assert pickle.dumps(snapshot) == frozen
    window.restore(snapshot)
    other = structure(FREE)
    other.restore(snapshot)
    replay(other, 20, 60)
    assert contents(window) == text


@pytest.mark.parametrize("structure", ALL)
def test_an_empty_window_has_a_snapshot_too(structure: type[Aggregator]) -> None:
    window = structure(FREE)
    for letter in "abc":
        window.insert(letter)
    window.restore(structure(FREE).snapshot())
    assert (len(window), contents(window)) == (0, "")


def with_policy(structure: Structure) -> Aggregator:
    return structure(FREE, last(3).policy())


@pytest.mark.parametrize(
    "foreign",
    [
        TwoStacks(FREE),
        Amta(agg.sum()),
        Amta(agg.several(text=FREE)),
        with_policy(Amta),
    ],
    ids=["another structure", "another aggregate", "a product", "a policy"],
)
def test_a_foreign_snapshot_is_refused_and_changes_nothing(foreign: Aggregator) -> None:
    window = Amta(FREE)
    window.insert("a")
    with pytest.raises(SnapshotError, match="does not fit Amta over free"):
        window.restore(foreign.snapshot())
    assert contents(window) == "a"


def test_products_of_other_aggregates_are_told_apart() -> None:
    window = Amta(agg.several(n=agg.count(), peak=agg.max("temp")))
    for other in (
        agg.several(n=agg.count(), peak=agg.min("temp")),
        agg.several(n=agg.count(), peak=agg.max("speed")),
        agg.several(peak=agg.max("temp"), n=agg.count()),
    ):
        with pytest.raises(SnapshotError):
            window.restore(Amta(other).snapshot())


@pytest.mark.parametrize("junk", [None, (), {"structure": "Amta"}])
def test_what_is_no_snapshot_is_refused(junk: Any) -> None:
    with pytest.raises(SnapshotError, match=r"give what snapshot\(\) returned"):
        Amta(FREE).restore(junk)
