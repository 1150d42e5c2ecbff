"""Bytes that became text come back, and text that never was bytes is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.columnar.compression import from_text, to_text
from windrow.errors import SnapshotError


@given(st.binary(max_size=2000))
def test_bytes_come_back(content: bytes) -> None:
    text = to_text(content)
    assert text.isascii()
    assert bytes(from_text(text)) == content


def test_text_is_longer_by_a_seventh() -> None:
    assert len(to_text(bytes(range(256)) * 7)) == 256 * 8 + 1


@pytest.mark.parametrize("text", ["", "7", "x", "3", "0abc", "0abcdefg\u00fc", "9abcdefgh"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(SnapshotError, match=f"{len(text)} characters"):
        from_text(text)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        from_text(text)
    except SnapshotError:
        return
    assert text.isascii()
