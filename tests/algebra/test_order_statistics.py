"""Medians and quantiles against Spark's formula on sorted values, numpy and statistics."""

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.drawn import column, floats, moderate, numbers, rank, same, there
from windrow import agg
from windrow.errors import AggregateError
from windrow.testing import fold


def percentile(values: list[Any], q: float) -> float | None:
    """As Spark's `Percentile` computes it."""
    keys = sorted(there(values), key=rank)
    if not keys:
        return None
    position = (len(keys) - 1) * q
    lower, higher = math.floor(position), math.ceil(position)
    if lower == higher or keys[lower] == keys[higher]:
        return float(keys[lower])
    return (higher - position) * float(keys[lower]) + (position - lower) * float(keys[higher])


@given(numbers, st.floats(0, 1) | st.sampled_from([0, 0.25, 0.5, 1]))
def test_quantiles_are_those_of_spark(values: list[Any], q: float) -> None:
    result = fold(agg.quantile(q), values)
    assert same(result, percentile(values, q))
    assert result is None or type(result) is float


@given(column(moderate), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(values: list[Any], q: float) -> None:
    present = there(values)
    if present:
        result = fold(agg.quantile(q), values)
        assert result == pytest.approx(float(np.quantile(present, q)), rel=1e-9, abs=1e-6)


@given(column(st.integers(-1000, 1000)))
def test_medians_are_those_of_the_standard_library(values: list[Any]) -> None:
    present = there(values)
    assert fold(agg.median(), values) == (statistics.median(present) if present else None)


@given(column(floats))
def test_the_median_is_the_quantile_in_the_middle(values: list[Any]) -> None:
    assert same(fold(agg.median(), values), fold(agg.quantile(0.5), values))


def test_equal_infinite_neighbours_are_not_interpolated() -> None:
    assert fold(agg.median(), [math.inf, math.inf]) == math.inf
    assert math.isnan(fold(agg.median(), [-math.inf, math.inf]))


def test_nan_sorts_last() -> None:
    assert fold(agg.quantile(0.5), [math.nan, 1.0, 2.0]) == 2.0
    assert math.isnan(fold(agg.quantile(1.0), [math.nan, 1.0, 2.0]))


@pytest.mark.parametrize("q", [-0.1, 1.1, math.nan, "0.5", None])
@pytest.mark.parametrize("factory", [agg.quantile, agg.quantile_sketch])
def test_a_q_outside_0_and_1_is_refused(factory: Any, q: Any) -> None:
    with pytest.raises(AggregateError, match="is not between 0 and 1"):
        factory(q)
