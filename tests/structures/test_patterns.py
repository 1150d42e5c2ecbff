"""Streams of a certain shape: sawtooth, seesaw, drained windows, odd values, long runs."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.structures.support import ALL, FOR_ANY_MONOID, FREE, Structure, contents
from windrow import agg
from windrow.errors import EmptyWindowError, InputError
from windrow.structures import (
    Aggregator,
    Amta,
    Daba,
    FlatFat,
    LogMta,
    Recompute,
    SubtractOnEvict,
    TwoStacks,
)

every_structure = pytest.mark.parametrize("structure", ALL)
every_general_structure = pytest.mark.parametrize("structure", FOR_ANY_MONOID)


def filled(structure: Structure, aggregate: Any, values: Any) -> Aggregator:
    window = structure(aggregate)
    for value in values:
        window.insert(value)
    return window


@every_structure
@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 33, 64])
def test_a_sawtooth_fills_and_drains_over_and_over(structure: type[Aggregator], size: int) -> None:
    window, number = structure(FREE), 0
    for _ in range(4):
        expected = ""
        for _ in range(size):
            letter = chr(97 + number % 26)
            number += 1
            window.insert(letter)
            expected += letter
            assert contents(window) == expected
        for gone in range(1, size + 1):
            window.evict()
            assert contents(window) == expected[gone:]


@every_structure
@pytest.mark.parametrize("size", [9, 30, 48, 100])
def test_a_seesaw_between_a_third_and_the_full_size(structure: type[Aggregator], size: int) -> None:
    window, text, start = structure(FREE), "", 0
    for _ in range(5):
        while len(text) - start < size:
            letter = chr(97 + len(text) % 26)
            text += letter
            window.insert(letter)
            assert contents(window) == text[start:]
        while len(text) - start > size // 3:
            start += 1
            window.evict()
            assert contents(window) == text[start:]


@every_structure
@pytest.mark.parametrize("size", [1, 2, 5, 8, 17])
def test_a_window_of_constant_size_wraps_around_often(
    structure: type[Aggregator], size: int
) -> None:
    window, text = filled(structure, FREE, "a" * size), "a" * size
    for number in range(150):
        text += chr(97 + number % 26)
        window.insert(text[-1])
        window.evict()
        assert contents(window) == text[-size:]


@every_structure
def test_evicting_all_at_once_gives_the_identity_and_the_window_goes_on(
    structure: type[Aggregator],
) -> None:
    window = structure(FREE)
    assert contents(window) == ""
    for size in (1, 40, 3, 200, 1):
        for letter in "x" * size:
            window.insert(letter)
        window.evict(size)
        assert (len(window), contents(window)) == (0, "")
    window.insert("a")
    assert contents(window) == "a"


@every_structure
def test_evicting_from_an_empty_window_is_refused(structure: type[Aggregator]) -> None:
    with pytest.raises(EmptyWindowError, match=r"evict\(count=1\) from a window of 0 update"):
        structure(FREE).evict()


@every_structure
def test_evicting_more_than_there_is_changes_nothing(structure: type[Aggregator]) -> None:
    window = filled(structure, FREE, "abc")
    with pytest.raises(EmptyWindowError, match=r"count=4.* of 3 update.*ask len\(\) first"):
        window.evict(4)
    assert contents(window) == "abc"


@every_structure
@pytest.mark.parametrize("count", [-1, True, False, 1.0, "1", None])
def test_a_count_that_is_not_a_whole_number_from_zero_on_is_refused(
    structure: type[Aggregator], count: Any
) -> None:
    window = filled(structure, FREE, "abc")
    with pytest.raises(InputError, match=r"evict\(count="):
        window.evict(count)
    assert contents(window) == "abc"


@every_structure
def test_a_count_may_be_zero_or_a_numpy_integer(structure: type[Aggregator]) -> None:
    window = filled(structure, FREE, "abcd")
    window.evict(0)
    assert contents(window) == "abcd"
    window.evict(np.int64(3))  # type: ignore[arg-type]
    assert contents(window) == "d"


@every_structure
def test_bulk_evictions_to_given_positions_and_beyond_the_end(
    structure: type[Aggregator],
) -> None:
    window = filled(structure, agg.sum(), range(1499))
    for before, position in pairwise((0, 439, 981, 1439, 1456)):
        window.evict(position - before)
        assert len(window) == 1499 - position
        assert window.query() == sum(range(position, 1499))
    with pytest.raises(EmptyWindowError):
        window.evict(1500 - 1456)
    window.evict(1499 - 1456)
    assert window.query() is None
    window.insert(7)
    assert window.query() == 7


@every_structure
def test_bulk_evictions_keep_the_order(structure: type[Aggregator]) -> None:
    text = "".join(chr(97 + number % 26) for number in range(1499))
    for position in (439, 981, 1439, 1456, 1498, 1499):
        window = filled(structure, FREE, text)
        window.evict(position)
        assert contents(window) == text[position:]


@every_structure
def test_equal_values_are_counted_each(structure: type[Aggregator]) -> None:
    window = filled(structure, agg.sum(), [5] * 50)
    for left in range(49, -1, -1):
        window.evict()
        assert window.query() == (5 * left if left else None)


@every_structure
def test_a_nan_leaves_the_window_without_a_trace(structure: type[Aggregator]) -> None:
    for odd in (math.nan, math.inf, -math.inf):
        window = filled(structure, agg.sum(), [1, odd, 2, 3])
        assert not math.isfinite(window.query())
        window.evict()
        assert not math.isfinite(window.query())
        window.evict()
        assert window.query() == 5


@every_general_structure
def test_nan_is_the_largest_value(structure: type[Aggregator]) -> None:
    window = filled(structure, agg.max(), [math.nan, 3.0, 1.0])
    assert math.isnan(window.query())
    window.evict()
    assert window.query() == 3.0


@every_structure
def test_nulls_take_part_in_the_window_but_not_in_the_result(structure: type[Aggregator]) -> None:
    window = filled(structure, agg.sum(), [None, 1, None, 2, None])
    assert (len(window), window.query()) == (5, 3)
    window.evict(2)
    assert (len(window), window.query()) == (3, 2)
    window.evict(2)
    assert (len(window), window.query()) == (1, None)


@every_general_structure
def test_a_rolling_sum_of_zeros_is_exactly_zero(structure: type[Aggregator]) -> None:
    window = structure(agg.sum())
    for number, value in enumerate([2.06, 0.888889, 0.0, 0.0, 0.0, 0.0]):
        window.insert(value)
        if number >= 2:
            window.evict()
    assert window.query() == 0.0


def test_a_subtracted_float_sum_drifts_until_the_window_is_empty() -> None:
    window = filled(SubtractOnEvict, agg.sum(), [0.1, 0.2, 0.3])
    window.evict(2)
    assert window.query() == pytest.approx(0.3)
    window.evict()
    window.insert(0.3)
    assert window.query() == 0.3


def run_long(structure: Structure, updates: int, size: int) -> None:
    """Check the sum and the order-sensitive first and last value of a long run, here and there."""
    window = structure(agg.several(total=agg.sum(), first=agg.first(), last=agg.last()))
    for number in range(updates):
        window.insert(number)
        if number >= size:
            window.evict()
        if number % (updates // 100) == 0:
            first = max(0, number - size + 1)
            total = (first + number) * (number - first + 1) // 2
            assert window.query() == {"total": total, "first": first, "last": number}


@pytest.mark.parametrize("structure", [TwoStacks, Daba, Amta])
def test_a_run_of_a_hundred_thousand_updates(structure: type[Aggregator]) -> None:
    run_long(structure, 100_000, 1000)


@pytest.mark.parametrize("structure", [Recompute, FlatFat, LogMta])
def test_a_run_of_ten_thousand_updates(structure: type[Aggregator]) -> None:
    run_long(structure, 10_000, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("structure", [Amta, TwoStacks])
def test_a_run_of_ten_million_numbers(structure: type[Aggregator]) -> None:
    window, updates, size = structure(agg.sum()), 10_000_000, 1 << 16
    for number in range(updates):
        window.insert(number)
        if number >= size:
            window.evict()
    assert window.query() == sum(range(updates - size, updates))
