"""The compiled window does as the list of what should be in it, through growth and restarts."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.examples import examples
from windrow import agg, window
from windrow.errors import (
    AggregateError,
    EmptyWindowError,
    InputError,
    ResultOverflowError,
    SnapshotError,
    WindowError,
)
from windrow.structures import Amta
from windrow.structures.compiled_amta import CompiledAmta
from windrow.windows import Check

pytestmark = [pytest.mark.xdist_group("compiled amta"), pytest.mark.usefixtures("always_compiled")]

INT = (np.int64,)
# Order shows in the first, all values in the sum.
ASKED = {"first": agg.first(), "sum": agg.sum()}
POLICY = window.policy(
    keep=lambda w: w.n <= 2500,
    drop=lambda evicted, after, before: evicted.peak <= after.peak and before.n > 1500,
    using={"peak": agg.max(), "n": agg.count()},
)


def compiled() -> CompiledAmta:
    return CompiledAmta(ASKED, POLICY, INT)


def leaving(values: list[Any]) -> int:
    """How many of the oldest values go, by the definition of the policy."""
    kept = max(len(values) - 2500, 0)
    if len(values) <= 1500:
        return kept
    lowest = -(1 << 63)
    order = [lowest if v is None else v for v in values]
    before = np.maximum.accumulate(order).tolist()
    after = np.maximum.accumulate(order[::-1])[::-1].tolist()
    condemned = [p for p in range(1, len(values)) if before[p - 1] <= after[p]]
    return max(kept, condemned[-1] if condemned else 0)


class WindowMachine(RuleBasedStateMachine):
    @initialize()
    def build(self) -> None:
        self.window, self.values = compiled(), list[Any]()

    @rule(value=st.none() | st.integers(0, 9))
    def insert(self, value: Any) -> None:
        self.window.insert(value)
        self.values.append(value)

    @rule(start=st.integers(0, 9), count=st.sampled_from([0, 1, 7, 300, 1024, 3000]))
    def extend(self, start: int, count: int) -> None:
        column = (start + np.arange(count)) * 7 % 10
        self.window.extend(column)
        self.values.extend(column.tolist())

    @precondition(lambda self: self.values)
    @rule(start=st.integers(0, 9), count=st.sampled_from([1, 5, 40]))
    def advance(self, start: int, count: int) -> None:
        column = (start + np.arange(count)) * 3 % 10
        found = self.window.advance(column)
        for row, value in enumerate(column.tolist()):
            self.values.append(value)
            del self.values[0]
            answers = {name: array[row] for name, array in found.items()}
            assert {
                n: None if a is np.ma.masked else a for n, a in answers.items()
            } == self.expected()

    @rule(share=st.floats(0, 1))
    def evict(self, share: float) -> None:
        count = round(share * len(self.values))
        self.window.evict(count)
        del self.values[:count]

    @rule()
    def slide(self) -> None:
        gone = leaving(self.values)
        assert self.window.slide() == gone
        del self.values[:gone]

    @rule()
    def restart(self) -> None:
        snapshot = pickle.loads(pickle.dumps(self.window.snapshot()))
        self.window.extend([9, 9])  # must not reach the snapshot
        self.window = compiled()
        self.window.restore(snapshot)

    @invariant()
    def agrees_with_the_list(self) -> None:
        assert len(self.window) == len(self.values)
        assert self.window.query() == self.expected()

    def expected(self) -> dict[str, Any]:
        known = [value for value in self.values if value is not None]
        if not known:
            return dict.fromkeys(ASKED)
        return {"first": known[0], "sum": sum(known)}


def test_the_compiled_window_does_as_the_list() -> None:
    run_state_machine_as_test(WindowMachine, settings=examples(25, stateful_step_count=20))


def test_the_compiled_window_does_as_amta_does() -> None:
    random = np.random.default_rng(7)
    fast, slow = compiled(), Amta(ASKED, POLICY)
    for value in random.integers(0, 10, 600).tolist():
        fast.insert(value)
        slow.insert(value)
        if value == 3:
            count = min(int(random.integers(0, 30)), len(slow))
            fast.evict(count)
            slow.evict(count)
        if value > 7:
            assert fast.slide() == slow.slide()
        assert fast.query() == slow.query()


def test_bulk_evictions_from_many_updates() -> None:
    kept = compiled()
    kept.extend(np.arange(1499))
    evicted = 0
    for position in (439, 981, 1439, 1456):
        kept.evict(position - evicted)
        evicted = position
        assert kept.query()["first"] == position
        assert kept.query()["sum"] == sum(range(position, 1499))
    with pytest.raises(EmptyWindowError, match=r"evict\(count=44\) from a window of 43"):
        kept.evict(44)


def test_an_empty_window_answers_null_and_stays_empty_when_advanced() -> None:
    kept = compiled()
    assert kept.query() == dict.fromkeys(ASKED)
    assert kept.slide() == 0
    assert all(column.mask.all() for column in kept.advance([1, 2, 3]).values())
    assert len(kept) == 0


def test_masked_updates_and_none_count_for_nothing() -> None:
    kept = compiled()
    kept.extend(np.ma.masked_array([9, 1, 2], [True, False, False]))
    with_none: Any = [None, 3]
    kept.extend(with_none)
    kept.insert(None)
    assert len(kept) == 6
    assert kept.query() == {"first": 1, "sum": 6}


def test_sums_that_overflow_are_refused() -> None:
    kept = compiled()
    kept.extend([(1 << 63) - 1, 1])
    with pytest.raises(ResultOverflowError, match=r"sum\(\) does not fit 64 bits; use float64"):
        kept.query()
    kept.evict()
    assert kept.query()["sum"] == 1


@pytest.mark.parametrize("value", [1.5, "a", 1 << 63, (1, 2)])
def test_updates_that_are_no_numbers_of_the_type_are_refused(value: Any) -> None:
    kept = compiled()
    with pytest.raises(InputError):
        kept.insert(value)
    assert len(kept) == 0


def test_columns_of_wrong_shapes_are_refused() -> None:
    kept = compiled()
    with pytest.raises(InputError, match=r"columns have shapes .*; give columns of one length"):
        kept.extend(np.zeros((2, 2), int))
    with pytest.raises(InputError, match=r"got 2 column\(s\); give 1"):
        kept.extend([1], [2])


def test_snapshots_of_other_aggregates_policies_and_types_do_not_fit() -> None:
    snapshot = compiled().snapshot()
    others = (
        CompiledAmta(ASKED, None, INT),
        CompiledAmta(ASKED, window.policy(keep=lambda w: w.n <= 3, using={"n": agg.count()}), INT),
        CompiledAmta(ASKED, POLICY),
    )
    for other in others:
        with pytest.raises(SnapshotError, match="does not fit CompiledAmta"):
            other.restore(snapshot)


def test_what_is_not_for_compiled_windows_is_refused() -> None:
    with pytest.raises(AggregateError, match=r"collect\(\) has no numeric form .*; use Amta"):
        CompiledAmta(agg.collect())
    with pytest.raises(AggregateError, match="do not all read the same update"):
        CompiledAmta(agg.max("v"))
    with pytest.raises(AggregateError, match="give float64, int64 or bool for each of 1"):
        CompiledAmta(agg.max(), dtypes=(np.float32,))
    checked = window.policy(keep=lambda w: w.n <= 3, using={"n": agg.count()}, check=Check.VERIFY)
    with pytest.raises(WindowError, match="use Amta to verify"):
        CompiledAmta(agg.max(), checked)
    with pytest.raises(WindowError, match="built without a policy; give policy="):
        CompiledAmta(agg.max()).slide()


def test_updates_may_have_two_numbers() -> None:
    kept = CompiledAmta(agg.argmax(), dtypes=(np.int64, np.float64))
    kept.extend([1, 2, 3], [0.5, 2.5, 1.5])
    assert kept.query() == 2
    kept.evict(2)
    assert kept.query() == 3
