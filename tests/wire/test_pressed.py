"""Pressed bytes come back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.errors import SnapshotError
from windrow.wire.pressed import press, unpress


@given(content=st.binary(max_size=2000), times=st.integers(1, 50))
def test_what_is_pressed_comes_back(content: bytes, times: int) -> None:
    pressed = press(content * times)
    assert bytes(unpress(pressed)) == content * times
    assert len(pressed) <= len(content * times) + 8


def test_what_repeats_takes_less_room() -> None:
    assert len(press(bytes(100_000))) < 1_000


def test_less_than_a_head_is_refused() -> None:
    with pytest.raises(SnapshotError, match="3 bytes"):
        unpress(b"abc")
