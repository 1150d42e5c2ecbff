"""A policy window goes on from the rows it held: continued anywhere, it is as if never stopped."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.examples import examples
from windrow import agg, roll, window
from windrow.algebra.aggregate import TIME
from windrow.errors import ResultOverflowError
from windrow.rolling.ordered import continue_policy, trail_groups
from windrow.windows import Check, Policy, Trailing

pytestmark = [pytest.mark.xdist_group("policies"), pytest.mark.usefixtures("always_compiled")]

COMPILED = {"first": agg.first("v"), "n": agg.count(), "total": agg.sum("v")}
INTERPRETED = {**COMPILED, "all": agg.collect("v")}
PEAK: dict[str, Any] = {"peak": agg.max("v")}

POLICIES: dict[str, Policy] = {
    "total up to 20": window.policy(keep=lambda w: w.total <= 20, using={"total": agg.sum("v")}),
    "from the maximum on": window.policy(drop=lambda e, a, b: e.peak <= a.peak, using=PEAK),
    "older than 6": window.policy(
        drop=lambda e, a, b: b.now - e.now > 6, using={"now": agg.max(TIME)}
    ),
    # What is left of a large total is still large: replayed, it would lose one row more.
    "one less while above 10": window.policy(
        drop=lambda e, a, b: e.n <= 1 and b.total > 10,
        using={"n": agg.count(), "total": agg.sum("v")},
    ),
}

Groups = Sequence[Sequence[tuple[Any, int]]]  # the rows of each group: a value and a time


def continued(
    groups: Groups, settled: Sequence[int], policy: Policy, asked: Any
) -> tuple[list[list[dict[str, Any]]], list[int]]:
    """The answers to each group's new rows, and how many rows it ends with."""
    rows = [row for group in groups for row in group]
    borders = np.cumsum([0, *map(len, groups)])
    values = pa.table({"v": pa.array([v for v, _ in rows], pa.int64())})
    ticks = np.array([t for _, t in rows], np.int64)
    answers, held = continue_policy(
        values, asked, policy, borders, np.array(settled, np.int64), ticks
    )
    listed = answers.to_pylist()
    for first, count in zip(borders[:-1], settled, strict=True):
        assert all(x is None for row in listed[first : first + count] for x in row.values())
    found = [
        listed[first + count : end]
        for (first, end), count in zip(pairwise(borders), settled, strict=True)
    ]
    return found, held.tolist()


def require_continuing(groups: Groups, policy: Policy, asked: Any) -> None:
    """Require that stopping and going on changes nothing, wherever it stops."""
    none = [0] * len(groups)
    whole, sizes = continued(groups, none, policy, asked)
    for cut in range(max(map(len, groups), default=0) + 1):
        before, held = continued([group[:cut] for group in groups], none, policy, asked)
        kept = [
            [*(group[:cut][len(group[:cut]) - n :]), *group[cut:]]
            for group, n in zip(groups, held, strict=True)
        ]
        after, left = continued(kept, held, policy, asked)
        assert [[*one, *other] for one, other in zip(before, after, strict=True)] == whole
        assert left == sizes


rows = st.lists(st.tuples(st.none() | st.integers(0, 25), st.integers(0, 4)), max_size=12)


def timed(steps: Sequence[tuple[Any, int]]) -> list[tuple[Any, int]]:
    times = np.cumsum([step for _, step in steps]).tolist()
    return [(value, time) for (value, _), time in zip(steps, times, strict=True)]


@examples(15)
@given(st.lists(rows.map(timed), max_size=3))
@pytest.mark.parametrize(
    "name",
    [
        # Each compiles a kernel of its own: with every change the one that drops has its turn.
        pytest.param(name, marks=[] if name == "from the maximum on" else [pytest.mark.slow])
        for name in POLICIES
    ],
)
def test_compiled_windows_go_on_where_they_stopped(name: str, groups: Groups) -> None:
    some = [[(None, 0)], *groups]  # kernels for columns without nulls are others
    require_continuing(some, POLICIES[name], COMPILED)


@examples(15)
@given(st.lists(rows.map(timed), max_size=2))
@pytest.mark.parametrize("name", POLICIES)
def test_interpreted_windows_go_on_where_they_stopped(name: str, groups: Groups) -> None:
    require_continuing(groups, POLICIES[name], INTERPRETED)


def test_checked_windows_go_on_where_they_stopped() -> None:
    last = window.policy(keep=lambda w: w.n <= 2, using={"n": agg.count()}, check=Check.VERIFY)
    require_continuing([[(value, value) for value in range(5)]], last, COMPILED)


@pytest.mark.parametrize("asked", [COMPILED, INTERPRETED])
def test_rows_that_were_replayed_would_leave_too_early(asked: Any) -> None:
    policy = POLICIES["one less while above 10"]
    group = [(value, 0) for value in (1, 1, 1, 20, 1)]
    _, held = continued([group[:4]], [0], policy, asked)
    assert held == [3]
    kept = group[1:]
    on, _ = continued([kept], [3], policy, asked)
    replayed, _ = continued([kept], [0], policy, asked)
    assert [answer["n"] for answer in on[0]] == [3]
    assert replayed[0][-1]["n"] == 2


def test_settled_windows_outgrow_their_first_forest() -> None:
    policy = window.policy(keep=lambda w: w.n <= 3000, using={"n": agg.count()})
    values = pa.table({"v": np.arange(10_000)})
    borders, settled = np.array([0, 4000, 10_000]), np.array([2500, 3000])
    answers, held = continue_policy(values, COMPILED, policy, borders, settled, np.arange(10_000))
    assert held.tolist() == [3000, 3000]
    assert answers["first"][2500].as_py() == 0
    assert answers["first"][3999].as_py() == 1000
    assert answers["first"][7000].as_py() == 4001


def test_settled_rows_are_not_summed_on_their_own() -> None:
    """Where a window fits 64 bits, the rows it began with need not."""
    policy = window.policy(keep=lambda w: w.n <= 3, using={"n": agg.count()})
    values = pa.table({"v": [1 << 62, 1 << 62, -(1 << 62)]})
    borders, ticks = np.array([0, 3]), np.arange(3)
    answers, _ = continue_policy(values, COMPILED, policy, borders, np.array([2]), ticks)
    assert answers["total"].to_pylist() == [None, None, 1 << 62]
    with pytest.raises(ResultOverflowError, match=r"sum\('v'\)"):
        continue_policy(values, COMPILED, policy, borders, np.array([1]), ticks)


@pytest.mark.parametrize("trailing", [window.trailing(rows=3), window.trailing("5 us")])
def test_trailing_windows_of_groups_in_order_are_those_of_a_roll(trailing: Any) -> None:
    random = np.random.default_rng(7)
    keys = np.sort(random.integers(0, 5, 200))
    ticks: NDArray[np.int64] = np.concatenate(
        [np.sort(random.integers(0, 90, n)) for n in np.bincount(keys)]
    )
    borders = np.searchsorted(keys, np.arange(6))
    values = pa.table({"v": pa.array(random.integers(0, 9, 200), mask=random.random(200) < 0.1)})
    (found,) = trail_groups(values, INTERPRETED, [trailing], ticks, borders)
    assert found.equals(roll(values, INTERPRETED, trailing, times=ticks, by=keys))


def test_one_aggregate_alone_is_a_column_called_value() -> None:
    values = pa.table({"v": [3, 1, 2]})
    windows: list[Trailing] = [window.trailing(rows=2), window.trailing("3 us")]
    found = trail_groups(values, agg.max("v"), windows, np.arange(3), np.array([0, 3]))
    assert [one.to_pydict() for one in found] == [{"value": [3, 3, 2]}, {"value": [3, 3, 3]}]
