"""Ropes of numbers as arrays: what `encode` and `decode` make of them, without objects between."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.codec import letters as L
from windrow.algebra.codec.reading import decode
from windrow.algebra.codec.writing import WORTH_A_LOOK, encode
from windrow.algebra.numeric import FLOAT
from windrow.algebra.rope import Rope
from windrow.errors import SnapshotError

__all__ = ["decode_numbers", "encode_numbers"]

_HEAD = 6  # letter, count, how its items lie
_SINGLES = b"r" + L.ITEMS.pack(1, L.MIXED)
_SINGLE = _HEAD + 1  # and the letter of the only item


def encode_numbers(numbers: NDArray[Any]) -> bytes:
    """The bytes of a rope of these numbers, all of them floats or all 64-bit integers."""
    if len(numbers) < WORTH_A_LOOK:
        return encode(Rope(numbers.tolist()))
    way = L.FLOAT if numbers.dtype == FLOAT else L.INT
    return b"r" + L.ITEMS.pack(len(numbers), way) + numbers.tobytes()


def decode_numbers(content: bytes, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of a rope, in its order."""
    letter = L.FLOAT if dtype == FLOAT else L.INT
    number, lie = L.ITEMS.unpack_from(content, 1) if len(content) > _HEAD else (0, 0)
    if content[:1] == b"r" and lie == letter and len(content) == _HEAD + 8 * number:
        return np.frombuffer(content, dtype, offset=_HEAD)
    # Where rows are rare, most states are a single number.
    if len(content) == _SINGLE + 8 and content.startswith(_SINGLES) and content[_HEAD] == letter:
        return np.frombuffer(content, dtype, offset=_SINGLE)
    state = decode(content)
    try:
        return np.array(list(state), dtype)
    except (ArithmeticError, TypeError, ValueError) as reason:
        raise SnapshotError(
            f"a state of {len(content)} bytes that begins with {content[:8]!r} is damaged "
            f"({reason}); use a copy of the checkpoint or store, or begin with a new one"
        ) from None
