"""What `windrow.testing` offers beside the laws."""

import sys
from datetime import timedelta
from math import inf, nan
from typing import Any

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from tests.examples import examples
from windrow import agg
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import Monoid
from windrow.errors import AggregateError
from windrow.testing import check_monoid_laws, columns_for, fold, strategy_for
from windrow.testing.closeness import close, magnitude


def test_fold_takes_aggregates_products_and_monoids() -> None:
    rows = [{"t": 1}, {"t": None}, {"t": 5}]
    assert fold(agg.max("t"), rows) == 5
    assert fold({"n": agg.count(), "top": agg.max("t")}, rows) == {"n": 3, "top": 5}
    shape: dict[str, Any] = {"lift": len, "combine": max, "lower": int, "identity": 0}
    assert fold(Monoid(name="longest", **shape), ["wind", "row"]) == 4


def test_of_makes_an_aggregate_of_a_monoid() -> None:
    monoid = agg.max().monoid
    assert repr(agg.of(monoid, "t")) == "max('t')"
    assert agg.of(monoid).columns == (None,)
    with pytest.raises(AggregateError, match="reads 1 column"):
        agg.of(monoid, "a", "b")
    with pytest.raises(AggregateError, match="takes a monoid, got <built-in function max>"):
        agg.of(max)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", list(registered()))
@examples(10)
@given(data=st.data())
def test_samples_can_be_folded(name: str, data: st.DataObject) -> None:
    entry = registered()[name]
    for strategy in (strategy_for(entry), *columns_for(entry).values()):
        fold(entry.example, [data.draw(strategy)])


@pytest.mark.parametrize("awkward", [nan, inf, -inf])
def test_samples_of_numbers_hold_what_is_awkward(awkward: float) -> None:
    floats = columns_for(registered()["sum"])["floats"]
    found = find(floats, lambda value: value == awkward or value != value)
    assert found == awkward or found != found


def test_without_hypothesis_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis.strategies", None)
    with pytest.raises(ModuleNotFoundError, match="pip install hypothesis"):
        strategy_for(registered()["sum"])
    with pytest.raises(ModuleNotFoundError, match="pip install hypothesis"):
        check_monoid_laws(agg.sum(), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1),
        (nan, nan),
        (inf, inf),
        (0.1 + 0.2, 0.3),
        ((1, [nan]), (1, [nan])),
        ({"a": 0.3}, {"a": 0.1 + 0.2}),
        (None, None),
        (1, 1.0),
    ],
)
def test_what_counts_as_equal(one: Any, other: Any) -> None:
    assert close(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (10**18, 10**18 + 1),
        (1.0, 1.1),
        (nan, 1.0),
        (inf, -inf),
        (0.0, None),
        ("0.5", 0.5),
        ((1,), (1, 2)),
        ({"a": 1}, {"b": 1}),
        ("ab", "ba"),
    ],
)
def test_what_does_not_count_as_equal(one: Any, other: Any) -> None:
    assert not close(one, other)


def test_floats_may_differ_in_proportion_to_what_they_came_from() -> None:
    assert not close(0.0, 1e-3)
    assert close(0.0, 1e-3, scale=magnitude([1e9, None, "text", (inf, nan, [2.0])]))
    assert magnitude([{"t": -5}, timedelta(1)]) == 5
    assert magnitude([]) == 0
