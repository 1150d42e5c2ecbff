"""Bytes pressed for a store whose cost is the bytes it moves: LZ4, where it saves anything.

Spark hands binary state to Python as pickled text, some 20 ns for a byte each way; pressing takes
1 to 2.
"""

import struct
from typing import Any

import pyarrow as pa

from windrow.errors import SnapshotError

__all__ = ["press", "unpress"]

_LZ4 = pa.Codec("lz4_raw")
_HEAD = "<q"  # the length before; 0 if the bytes are as they were
_HEAD_BYTES = struct.calcsize(_HEAD)
_TOO_FEW = 256


def press(content: bytes) -> bytes:
    """The same, shorter if that can be."""
    if len(content) >= _TOO_FEW:
        pressed: bytes = _LZ4.compress(content, asbytes=True)
        if len(pressed) < len(content):
            return struct.pack(_HEAD, len(content)) + pressed
    return struct.pack(_HEAD, 0) + content


def unpress(content: Any) -> Any:
    """What was pressed."""
    view = memoryview(content)
    if len(view) < _HEAD_BYTES:
        raise SnapshotError(
            f"state of {len(view)} bytes is too short to be of this version of windrow: "
            "use a new checkpoint"
        )
    (length,) = struct.unpack_from(_HEAD, view)
    rest = pa.py_buffer(view[_HEAD_BYTES:])
    return _LZ4.decompress(rest, length) if length else rest
