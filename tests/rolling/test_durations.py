"""Durations: what has the unit of the values is a duration, and what has not is refused."""

from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow import agg, roll, window
from windrow.errors import InputError
from windrow.testing import fold

pytestmark = pytest.mark.xdist_group("other kernels")

ALL = window.trailing(rows=1000)
KEPT = [agg.sum, agg.mean, agg.median, agg.range, agg.min, agg.max, agg.first, agg.last]
REFUSED = [agg.variance, agg.stddev, agg.product, agg.geometric_mean]

microseconds = st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=8)


def us(number: int) -> timedelta:
    return timedelta(microseconds=number)


def half_up(number: Decimal) -> int:
    return int(number.quantize(Decimal(1), ROUND_HALF_UP))


@given(microseconds)
def test_a_mean_of_durations_is_the_exact_one_rounded_half_up(numbers: list[int]) -> None:
    expected = us(half_up(Decimal(sum(numbers)) / len(numbers)))
    values = pa.array(list(map(us, numbers)))
    assert roll(values, agg.mean(), ALL)[-1].as_py() == expected
    assert fold(agg.mean(), map(us, numbers)) == expected


@given(microseconds)
def test_a_median_of_durations_is_rounded_half_up(numbers: list[int]) -> None:
    ordered = sorted(numbers)
    middle = Decimal(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    expected = us(half_up(middle))
    assert roll(pa.array(list(map(us, numbers))), agg.median(), ALL)[-1].as_py() == expected
    assert fold(agg.median(), map(us, numbers)) == expected


def test_a_mean_of_the_longest_durations_does_not_overflow() -> None:
    longest = np.array([2**63 - 1, 2**63 - 2, 2**63 - 2], "m8[ns]")
    assert roll(longest, agg.mean(), ALL).astype(int).tolist() == [2**63 - 1] + [
        2**63 - 2 + k for k in (1, 0)
    ]


@pytest.mark.parametrize(
    "make", [*KEPT, lambda: agg.quantile(0.5), lambda: agg.quantile_sketch(0.5)]
)
@pytest.mark.parametrize("unit", ["s", "ns"])
def test_what_has_the_unit_of_durations_is_a_duration(make: Any, unit: str) -> None:
    found = roll(np.array([1, 3, "NaT"], f"m8[{unit}]"), make(), ALL)
    assert found.dtype.kind == "m"
    if make is not agg.range:  # of Python's durations, in microseconds
        assert found.dtype == f"m8[{unit}]"


@pytest.mark.parametrize("make", [*REFUSED, lambda: agg.histogram([0, 1])])
def test_what_has_another_unit_is_refused(make: Any) -> None:
    with pytest.raises(InputError, match=r"values is of type duration\[s\], and .* takes numbers"):
        roll(np.array([1, 3], "m8[s]"), make(), ALL)


@pytest.mark.parametrize("make", [agg.mean, agg.median])
def test_policies_give_the_same_durations(make: Any) -> None:
    values = pa.array([us(n) for n in (1, 2, 4, 9)])
    policy = window.policy(keep=lambda kept: kept.n <= 2, using={"n": agg.count()}, check="verify")
    assert roll(values, make(), policy).to_pylist() == [us(1), us(2), us(3), us(7)]


LONG = 9_072_000_000_000_001  # more than a float can tell from its neighbours


@pytest.mark.parametrize("make", [agg.median, lambda: agg.quantile(0.5)])
@pytest.mark.parametrize("numbers", [[LONG], [LONG, LONG], [2**63 - 1], [-(2**63) + 1, 2**63 - 1]])
def test_long_durations_keep_their_last_digit(make: Any, numbers: list[int]) -> None:
    expected = half_up(Decimal(sum(numbers)) / len(numbers))
    assert roll(np.array(numbers, "m8[ns]"), make(), ALL)[-1].astype(int) == expected


@given(
    st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=6),
    st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]),
)
def test_a_quantile_of_durations_is_exact_in_every_way(numbers: list[int], q: float) -> None:
    ordered, position = sorted(numbers), (len(numbers) - 1) * q
    low, high = ordered[int(position)], ordered[min(int(position) + 1, len(ordered) - 1)]
    exact = low + (high - low) * (Fraction(position) - int(position))
    expected = int(abs(exact) + Fraction(1, 2)) * (1 if exact > 0 else -1)
    values = np.array(numbers, "m8[us]")
    everything = window.policy(keep=lambda kept: True, using={"n": agg.count()})
    assert roll(values, agg.quantile(q), ALL)[-1].astype(int) == expected
    assert roll(values, agg.quantile(q), everything)[-1].astype(int) == expected


def test_a_sketch_beyond_all_durations_is_refused_by_windrow() -> None:
    with pytest.raises(InputError, match="coarser unit"):
        roll(np.array([2**63 - 1], "m8[us]"), agg.quantile_sketch(0.5), ALL)
