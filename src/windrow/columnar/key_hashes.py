"""A number for each key, the same for equal keys wherever they are: in every process, for good."""

import zlib

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.arrays import whole

__all__ = ["key_hashes"]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_PRIME = np.uint64(0x100000001B3)
_NULL = np.uint64(0x5851F42D4C957F2D)


def key_hashes(keys: pa.Table, rows: int) -> NDArray[np.uint64]:
    """A hash for each row of a table of keys; all the same if there are no keys.

    >>> found = key_hashes(pa.table({"k": ["a", "b", "a", None]}), 4)
    >>> bool(found[0] == found[2]), len(set(found.tolist()))
    (True, 3)
    """
    found = np.zeros(rows, np.uint64)
    for column in keys.columns:
        found = _mixed(found * _PRIME ^ _column(whole(column)))
    return found


def _column(column: pa.Array) -> NDArray[np.uint64]:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        hashes = _of_bytes(column)
    elif pa.types.is_floating(kind):
        hashes = _of_floats(column)
    elif pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_timestamp(kind):
        hashes = _bits(column.cast(pa.int64()).fill_null(0))
    else:
        hashes = _of_objects(column)
    if column.null_count:
        hashes[column.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return _mixed(hashes)


def _bits(column: pa.Array) -> NDArray[np.uint64]:
    numbers: NDArray[np.int64] = column.to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers.view(np.uint64)


def _of_floats(column: pa.Array) -> NDArray[np.uint64]:
    """Both zeros are one key, and so are all that are not numbers."""
    values = column.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
    known: NDArray[np.float64] = np.where(np.isnan(values), np.nan, values)
    return known.view(np.uint64)


def _of_bytes(column: pa.Array) -> NDArray[np.uint64]:
    """A polynomial of each value's bytes, and its length."""
    size = len(column)
    if not size:
        return np.zeros(0, np.uint64)
    _, offsets, content = column.buffers()
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + size + 1].astype(int)
    hashes = np.diff(ends).astype(np.uint64)
    if ends[0] == ends[-1]:
        return hashes
    letters = np.frombuffer(content, np.uint8)[ends[0] : ends[-1]].astype(np.uint64)
    lengths = np.diff(ends)
    places = np.arange(len(letters)) - np.repeat(ends[:-1] - ends[0], lengths)
    powers = np.multiply.accumulate(np.full(int(lengths.max()), _PRIME))
    sums = np.concatenate([[np.uint64(0)], np.cumsum((letters + _PRIME) * powers[places])])
    found: NDArray[np.uint64] = sums[ends[1:] - ends[0]] - sums[ends[:-1] - ends[0]]
    return hashes + found


def _of_objects(column: pa.Array) -> NDArray[np.uint64]:
    """Of what values look like; a zero looks the same with any sign."""
    texts = (repr(value).replace("-0.0", "0.0") for value in column.to_pylist())
    return np.array([zlib.crc32(text.encode()) for text in texts], np.uint64)


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The same numbers, each bit of which depends on all."""
    spread: NDArray[np.uint64] = (hashes ^ hashes >> np.uint64(32)) * _ODD
    return spread ^ spread >> np.uint64(29)
