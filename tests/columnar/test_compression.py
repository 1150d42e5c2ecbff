"""Compressed bytes come back as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.columnar.compression import compress, decompress
from windrow.errors import SnapshotError


@given(content=st.binary(max_size=2000), times=st.integers(1, 50))
def test_what_is_pressed_comes_back(content: bytes, times: int) -> None:
    compressed = compress(content * times)
    assert bytes(decompress(compressed)) == content * times
    assert len(compressed) <= len(content * times) + 8


@given(st.lists(st.integers(-(1 << 40), 1 << 40), min_size=32, max_size=3000))
def test_numbers_come_back(numbers: list[int]) -> None:
    content = np.array(numbers, np.int64).tobytes()
    assert bytes(decompress(compress(content))) == content
    assert bytes(decompress(compress(content + b"end"))) == content + b"end"


def test_numbers_of_one_size_take_less_room_than_text_of_their_bytes() -> None:
    content = np.random.default_rng(5).integers(0, 1 << 16, 10_000).tobytes()
    assert len(compress(content)) < len(content) / 3


def test_text_is_pressed_as_it_stands() -> None:
    words = np.random.default_rng(5).choice(["windows ", "of ", "streaming ", "readings "], 5_000)
    content = "".join(words).encode()
    assert len(compress(content)) < len(content) / 2


def test_what_repeats_takes_less_room() -> None:
    assert len(compress(bytes(100_000))) < 1_000


def test_less_than_a_head_is_refused() -> None:
    with pytest.raises(SnapshotError, match="3 bytes"):
        decompress(b"abc")
