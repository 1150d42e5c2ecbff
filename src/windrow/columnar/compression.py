"""Bytes compressed with LZ4, if that makes them shorter, and as ASCII text, which moves faster.

Spark sends binary state to Python as pickled text, at about 20 ns per byte each way; compressing
takes one.  Columns of numbers become shorter still if bytes are transposed: first the first bytes
of all numbers, then all second bytes, and so on, so that similar bytes are adjacent.

LZ4 compresses to no less than a 255th: content that claims to be longer than that is refused before
memory is allocated for it.

As text, seven bits of a byte fit a character, and the highest bits of seven bytes another one: a
seventh more characters than bytes, where base64 has a third.  Bytes lie in seven lanes, so that
numpy moves whole lanes; a character of highest bits has one of each.
"""

import struct
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import SnapshotError

__all__ = ["compress", "decompress", "decompressed_size", "from_text", "to_text"]

_LZ4 = pa.Codec("lz4")  # frames: of raw blocks Arrow does not notice that the end is missing
_HEAD = "<q"  # the length before, below 0 if bytes were put by place; 0 if they are as they were
_HEAD_BYTES = struct.calcsize(_HEAD)
_TOO_FEW = 256
_MOST_TIMES = 255
_WORD = 8
_SAMPLE = 1 << 13


def compress(content: bytes) -> bytes:
    """The same, shorter if that can be."""
    if len(content) >= _TOO_FEW:
        by_place = _is_shorter_by_place(content)
        compressed = _compressed(_by_place(content) if by_place else content)
        if len(compressed) < len(content):
            return struct.pack(_HEAD, -len(content) if by_place else len(content)) + compressed
    return struct.pack(_HEAD, 0) + content


def decompressed_size(content: Any) -> int:
    """How many bytes the content says it was."""
    length = _length(memoryview(content))
    return abs(length) if length else len(content) - _HEAD_BYTES


def decompress(content: Any) -> Any:
    """What was compressed."""
    view = memoryview(content)
    length = _length(view)
    rest = pa.py_buffer(view[_HEAD_BYTES:])
    if not length:
        return rest
    try:
        if abs(length) > _MOST_TIMES * rest.size:
            raise ValueError(f"{rest.size} bytes were never {abs(length)}")
        whole = _LZ4.decompress(rest, abs(length))
    except (pa.ArrowException, OSError, ValueError) as reason:
        raise SnapshotError(
            f"state of {len(view)} bytes is damaged ({reason}); use a copy of the checkpoint, or "
            "a new one"
        ) from None
    return _in_words(whole) if length < 0 else whole


def _length(view: memoryview) -> int:
    if len(view) < _HEAD_BYTES:
        raise SnapshotError(
            f"state of {len(view)} bytes is too short to be of this version of windrow: "
            "use a new checkpoint"
        )
    length: int = struct.unpack_from(_HEAD, view)[0]
    return length


def _compressed(content: bytes) -> bytes:
    compressed: bytes = _LZ4.compress(content, asbytes=True)
    return compressed


def _is_shorter_by_place(content: bytes) -> bool:
    """Whether transposing helps, tried on a piece from the middle: true of numbers, not of text."""
    start = max((len(content) - _SAMPLE) // 2, 0) // _WORD * _WORD
    sample = content[start : start + _SAMPLE]
    return len(_compressed(_by_place(sample))) < len(_compressed(sample))


def _by_place(content: bytes) -> bytes:
    """The first bytes of all words, then all second ones, …; and what makes no word."""
    whole = len(content) // _WORD * _WORD
    words = np.frombuffer(content, np.uint8, whole).reshape(-1, _WORD)
    return np.ascontiguousarray(words.T).tobytes() + content[whole:]


def _in_words(content: pa.Buffer) -> pa.Buffer:
    """The bytes of each word together again."""
    whole = len(content) // _WORD * _WORD
    words = np.empty(len(content), np.uint8)
    places = np.frombuffer(content, np.uint8, whole).reshape(_WORD, -1)
    words[:whole].reshape(-1, _WORD)[:] = places.T
    words[whole:] = np.frombuffer(content, np.uint8, offset=whole)
    return pa.py_buffer(words)


_LANES = 7
_HIGHEST = np.uint8(128)


def to_text(content: bytes) -> str:
    """How many bytes are added to fill the lanes, the lower bits of all, then the highest ones."""
    added = -len(content) % _LANES
    lanes = np.frombuffer(content + bytes(added), np.uint8).reshape(_LANES, -1)
    highest = np.zeros(lanes.shape[1], np.uint8)
    for place, lane in enumerate(lanes):
        highest |= (lane & _HIGHEST) >> np.uint8(_LANES - place)
    lower: bytes = (lanes & ~_HIGHEST).tobytes()
    return b"".join([b"%d" % added, lower, highest.tobytes()]).decode("ascii")


def from_text(text: str) -> Any:
    """The bytes that became text; SnapshotError if none can have."""
    added = ord(text[0]) - ord("0") if text else -1
    size = len(text) - 1
    if not text.isascii() or not 0 <= added < _LANES or size % (_LANES + 1) or added > size:
        raise SnapshotError(
            f"state of {len(text)} characters is damaged, or of another version of windrow; use a "
            "copy of the checkpoint, or a new one"
        )
    characters = np.frombuffer(text.encode("ascii"), np.uint8)[1:]
    lower, highest = np.split(characters, [size // (_LANES + 1) * _LANES])
    lanes = lower.reshape(_LANES, -1).copy()
    for place, lane in enumerate(lanes):
        lane |= (highest << np.uint8(_LANES - place)) & _HIGHEST
    return lanes.reshape(-1)[: lanes.size - added].data
