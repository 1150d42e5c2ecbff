"""Monoids of a user's own: as good as built-in aggregates, and open about what goes wrong."""

import math
import operator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.own import FLOATS, TWO, add
from tests.examples import examples
from windrow import agg, monoid, roll, window
from windrow.algebra.optional import same
from windrow.errors import AggregateError
from windrow.structures import Recompute
from windrow.testing import check_monoid_laws

pytestmark = pytest.mark.xdist_group("user monoids")

# NaN is above all numbers to agg.max, but not to Python.
finite = st.lists(st.integers(-100, 100).map(lambda n: n / 4), min_size=1, max_size=30)


@examples(40)
@given(finite, st.integers(1, 10))
def test_monoids_equal_the_built_in_aggregates_they_spell_out(
    values: list[float], rows: int
) -> None:
    trailing, column = window.trailing(rows=rows), np.array(values)
    own = {"sum": agg.of(SUM), "max": agg.of(MAX), "mean": agg.of(MEAN)}
    built_in = {"sum": agg.sum(), "max": agg.max(), "mean": agg.mean()}
    ours, theirs = roll(column, own, trailing), roll(column, built_in, trailing)
    for name in own:
        np.testing.assert_array_equal(ours[name], theirs[name])


SUM = monoid(lift=same, combine=operator.add, identity=0.0)
MAX = monoid(lift=same, combine=max, identity=-math.inf)
MEAN = monoid(
    lift=lambda x: (x, 1),
    combine=add,
    lower=lambda s: s[0] / s[1] if s[1] else None,
    identity=(0.0, 0),
)


def test_monoids_of_a_user_keep_the_laws_in_both_forms() -> None:
    check_monoid_laws(MEAN, finite.map(lambda values: values[0]))


def test_policies_may_watch_monoids_of_a_user(compiled_only: None) -> None:
    limited = window.policy(keep=lambda w: w.total <= 6, using={"total": agg.of(SUM)})
    found = roll(np.array(FLOATS), agg.first(), limited)
    kept = Recompute(agg.first(), limited)
    expected = []
    for value in FLOATS:
        kept.insert(value)
        kept.slide()
        expected.append(kept.query())
    np.testing.assert_array_equal(found, [np.nan if x is None else x for x in expected])


def test_nulls_never_reach_lift() -> None:
    found = roll(pa.array([1.0, None, None, 2.0]), agg.of(MEAN), TWO)
    assert found.to_pylist() == [1.0, 1.0, None, 2.0]


@pytest.mark.parametrize("argument", ["lift", "combine", "lower"])
def test_what_is_not_callable_is_refused(argument: str) -> None:
    functions: dict[str, Any] = {"lift": same, "combine": max, "lower": same, argument: 3}
    with pytest.raises(AggregateError, match=rf"{argument}=3 is not callable; give a function"):
        monoid(identity=0, **functions)


def test_errors_of_a_users_function_reach_the_user() -> None:
    broken = monoid(lift=lambda x: 1 / x, combine=operator.add, identity=0.0)
    with pytest.raises(ZeroDivisionError):
        roll(np.array([1.0, 0.0]), agg.of(broken), TWO)
