"""States of quantiles as whole columns: the bytes are read as any others, and join as ropes do."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from windrow.algebra.codec import decode, encode
from windrow.algebra.ordering import ascending
from windrow.algebra.rope import Rope
from windrow.columnar.packed_values import pack_values, unpack_values

FLOATS = st.lists(st.lists(st.sampled_from([0.0, -0.0, math.nan, 1.5, -2.0]) | st.floats()))
INTS = st.lists(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)))
MANY = st.lists(st.lists(st.integers(0, 9).map(float), max_size=2), min_size=30, max_size=50)


def _packed(segments: Sequence[Sequence[float]], dtype: type) -> pa.Array:
    borders = np.cumsum([0, *map(len, segments)])
    values: NDArray[Any] = np.array([value for own in segments for value in own], dtype)
    states = pack_values(values, borders)
    assert states is not None
    return states


@pytest.mark.parametrize(
    ("drawn", "dtype"), [(FLOATS, np.float64), (INTS, np.int64), (MANY, np.float64)]
)
@given(data=st.data())
def test_states_are_the_ropes_of_their_sorted_values(
    drawn: st.SearchStrategy[list[list[float]]], dtype: type, data: st.DataObject
) -> None:
    segments = data.draw(drawn)
    states = _packed(segments, dtype).to_pylist()
    for own, state in zip(segments, states, strict=True):
        if not own:
            assert state is None
            continue
        read = decode(state)
        assert isinstance(read, Rope)
        assert list(map(repr, read)) == list(map(repr, ascending(own)))


@given(segments=FLOATS, cuts=st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_values_are_read_back_from_any_part_of_a_column(
    segments: list[list[float]], cuts: tuple[int, int]
) -> None:
    states = _packed(segments, np.float64)
    first, end = sorted(min(cut, len(segments)) for cut in cuts)
    part = states.slice(first, end - first)
    found = unpack_values(part)
    own = segments[first:end]
    if not any(own):
        assert found is None
        return
    assert found is not None
    values, borders = found
    read = [values[a:b].tolist() for a, b in pairwise(borders.tolist())]
    assert [list(map(repr, one)) for one in read] == [
        list(map(repr, ascending(one))) for one in own
    ]


@pytest.mark.parametrize(
    "states",
    [
        [encode(Rope([1.0])), encode(Rope([2.0]))],  # each item by itself
        [encode(Rope([1.0] * 5)), encode(Rope([1] * 5))],
        [encode((1.0,) * 5)],
        [encode(Rope([1.0] * 5))[:-1]],
        [encode(Rope([1.0] * 5)) + b"\0"],
        [b"r"],
        [b""],
        [None],
        [],
    ],
    ids=repr,
)
def test_states_that_lie_otherwise_are_left_to_the_codec(states: list[bytes | None]) -> None:
    assert unpack_values(pa.array(states, pa.binary())) is None


def test_states_too_large_for_a_column_are_not_made() -> None:
    values = np.broadcast_to(np.zeros(1), 1 << 28)
    assert pack_values(values, np.array([0, 1 << 28])) is None
