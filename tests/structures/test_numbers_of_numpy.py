"""Numbers of numpy's are inserted as Python's: they neither wrap around nor lose precision."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from windrow import agg
from windrow.structures import Aggregator, Amta, SubtractOnEvict, TwoStacks


def kept(structure: type[Aggregator], aggregate: Any, values: Any) -> Aggregator:
    window = structure(aggregate)
    for value in values:
        window.insert(value)
    return window


@pytest.mark.parametrize("structure", [Amta, SubtractOnEvict, TwoStacks])
def test_sums_of_integers_grow_beyond_their_type(structure: type[Aggregator]) -> None:
    assert kept(structure, agg.sum(), np.array([2**62, 2**62])).query() == 2**63
    assert kept(structure, agg.sum(), np.array([100, 100], np.int8)).query() == 200
    assert kept(structure, agg.mean(), np.array([100, 100], np.int8)).query() == 100.0


def test_a_range_of_small_integers_does_not_wrap_around() -> None:
    assert kept(Amta, agg.range(), np.array([-100, 100], np.int8)).query() == 200


def test_a_sum_of_booleans_is_a_number() -> None:
    assert type(kept(Amta, agg.sum(), [True]).query()) is int
    assert kept(Amta, agg.sum(), np.array([True, True])).query() == 2


@pytest.mark.parametrize("first", [np.float32("inf"), Decimal("Infinity"), Decimal("NaN")])
def test_what_cannot_be_subtracted_is_folded_anew(first: Any) -> None:
    window = kept(SubtractOnEvict, agg.sum(), [first, type(first)(1), type(first)(2)])
    window.evict()
    assert window.query() == 3
