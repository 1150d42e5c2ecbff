"""Slide policies over whole columns equal the recomputing window, step by step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from windrow import agg, roll, window
from windrow.algebra.aggregate import TIME
from windrow.errors import CompilationWarning
from windrow.structures import Recompute
from windrow.windows import Check, Policy

pytestmark = pytest.mark.xdist_group("policies")
compiled = pytest.mark.usefixtures("always_compiled")

ASKED = {"first": agg.first("v"), "n": agg.count()}
COUNT: dict[str, Any] = {"n": agg.count()}
PEAK: dict[str, Any] = {"peak": agg.max("v")}

POLICIES: dict[str, Policy] = {
    "total up to 20": window.policy(keep=lambda w: w.total <= 20, using={"total": agg.sum("v")}),
    "span up to 9": window.policy(
        keep=lambda w: w.now - w.then <= 9, using={"now": agg.max(TIME), "then": agg.min(TIME)}
    ),
    "from the maximum on": window.policy(drop=lambda e, a, b: e.peak <= a.peak, using=PEAK),
    "last 5, and from the maximum on": window.policy(
        keep=lambda w: w.n <= 5, drop=lambda e, a, b: e.peak <= a.peak, using=COUNT | PEAK
    ),
    "older than 6": window.policy(
        drop=lambda e, a, b: b.now - e.now > 6, using={"now": agg.max(TIME)}
    ),
}


def recomputed(
    values: Sequence[Any], times: Sequence[int], policy: Policy, keys: Sequence[Any]
) -> dict[str, list[Any]]:
    windows: dict[Any, Recompute] = {}
    answers: dict[str, list[Any]] = {name: [] for name in ASKED}
    for value, time, key in zip(values, times, keys, strict=True):
        kept = windows.setdefault(key, Recompute(ASKED, policy))
        kept.insert({"v": value, "time": time})
        kept.slide()
        for name, answer in kept.query().items():
            answers[name].append(answer)
    return answers


drawn_rows = st.lists(st.tuples(st.none() | st.integers(0, 25), st.integers(0, 4)), max_size=40)


def check(policy: Policy, rows: list[tuple[Any, int]], keys: int) -> None:
    rows = [(None, 0), *rows]  # kernels for columns without nulls are others
    values = [value for value, _ in rows]
    times = np.cumsum([step for _, step in rows]).tolist()
    by = [number % keys for number in range(len(rows))]
    table = pa.table({"v": pa.array(values, pa.int64())})
    found = roll(table, ASKED, policy, times=times, by=by)
    assert found.to_pydict() == recomputed(values, times, policy, by)


@pytest.mark.usefixtures("interpreted_then_compiled")
@examples(40)
@given(drawn_rows, st.integers(1, 3))
@pytest.mark.parametrize("name", POLICIES)
def test_policies_leave_what_recomputing_leaves(
    name: str, rows: list[tuple[Any, int]], keys: int
) -> None:
    check(POLICIES[name], rows, keys)


@compiled
@examples(40)
@given(drawn_rows, st.integers(1, 3))
@pytest.mark.parametrize("name", ["span up to 9", "last 5, and from the maximum on"])
def test_compiled_policies_leave_what_recomputing_leaves(
    name: str, rows: list[tuple[Any, int]], keys: int
) -> None:
    check(POLICIES[name], rows, keys)


UP_TO_THE_NEWEST = window.policy(
    keep=lambda w: w.n <= w.limit, using={"n": agg.count(), "limit": agg.last("limit")}
)


@compiled
@pytest.mark.parametrize("limit", [1000, 1024, 1025, 5000])
def test_forests_grow_with_the_window(limit: int) -> None:
    values = np.arange(12_000)
    table = {"v": values, "limit": np.full(12_000, limit)}
    found = roll(table, ASKED, UP_TO_THE_NEWEST)
    np.testing.assert_array_equal(found["first"], np.maximum(values - limit + 1, 0))
    np.testing.assert_array_equal(found["n"], np.minimum(values + 1, limit))


@compiled
def test_windows_that_grow_and_shrink_hold_the_right_rows() -> None:
    """The limit is the newest value: windows fill beyond 4,096 rows and are cut down at once."""
    limits = np.concatenate([np.full(9000, 5000), [1], np.full(3000, 2000), [0, 10**6]])
    table = {"v": np.arange(len(limits)), "limit": limits}
    found = roll(table, ASKED, UP_TO_THE_NEWEST)
    held = 0
    for row, limit in enumerate(limits):
        held = min(held + 1, int(limit))
        assert found["n"][row] == held
        if held:
            assert found["first"][row] == row + 1 - held
    assert np.isnan(found["first"][-2])


@pytest.mark.usefixtures("interpreted_then_compiled")
def test_the_maximum_of_a_window_that_slides_to_its_maximum_comes_first() -> None:
    values = np.random.default_rng(4).normal(size=5000)
    policy = window.policy(drop=lambda e, a, b: e.peak <= a.peak, using={"peak": agg.max()})
    found = roll(values, agg.first(), policy)
    np.testing.assert_array_equal(found, np.maximum.accumulate(values))


@compiled
def test_predicates_read_the_fields_of_structs() -> None:
    values = [1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    times = list(range(0, 80, 10))
    recent = window.policy(
        keep=lambda w: w.now - w.run.start <= 30 or w.run.length < 3,
        using={"run": agg.longest_increasing_run("v"), "now": agg.max(TIME)},
    )
    found = roll({"v": values}, agg.count(), recent, times=times)
    kept = Recompute(agg.count(), recent)
    expected = []
    for value, time in zip(values, times, strict=True):
        kept.insert({"v": value, "time": time})
        kept.slide()
        expected.append(kept.query())
    assert found.tolist() == expected


@compiled
def test_predicates_may_look_at_truths() -> None:
    clear = window.policy(keep=lambda w: not w.broken, using={"broken": agg.any("broken")})
    found = roll({"broken": np.array([False, True, False, False])}, agg.count(), clear)
    assert found.tolist() == [1, 0, 1, 2]


@compiled
def test_policies_that_differ_in_names_only_are_not_mixed_up() -> None:
    table = {"x": np.array([1.0, 2.0, 3.0]), "y": np.array([3.0, 2.0, 1.0])}
    rising = {"a": agg.max("x"), "b": agg.max("y")}
    falling = {"b": agg.max("x"), "a": agg.max("y")}
    counts = [
        roll(table, agg.count(), window.policy(keep=_a_up_to_b, using=using)).tolist()
        for using in (rising, falling)
    ]
    assert counts == [[1, 2, 3], [0, 1, 2]]


def _a_up_to_b(candidate: Any) -> bool:
    return bool(candidate.a <= candidate.b)


@compiled
def test_predicates_that_cannot_be_compiled_run_interpreted_with_one_warning() -> None:
    limits = {"most": 2}  # a dict cannot be frozen into compiled code
    last = window.policy(keep=lambda w: w.n <= limits["most"], using={"n": agg.count()})
    with pytest.warns(
        CompilationWarning, match=r"runs interpreted.*cannot be compiled: \S+"
    ) as seen:
        found = roll(np.arange(4), agg.first(), last)
    assert len(seen) == 1
    assert found.tolist() == [0, 0, 1, 2]


@compiled
def test_checked_policies_are_checked_in_a_roll_too() -> None:
    last = window.policy(keep=lambda w: w.n <= 2, using={"n": agg.count()}, check=Check.VERIFY)
    assert roll(np.arange(4), agg.first(), last).tolist() == [0, 0, 1, 2]
