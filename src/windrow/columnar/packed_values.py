"""Multisets of numbers as encoded states, made and joined a column at a time.

The state of a quantile is a rope of all values, and its bytes are a short header and the numbers as
they lie in memory (algebra/codec).  So a column of such states is written and read at once, and no
number becomes an object of Python's.
"""

from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.codec import letters as L
from windrow.algebra.numeric import FLOAT, INT

__all__ = ["pack_values", "unpack_values"]

Values: TypeAlias = NDArray[Any]

_HEADER = np.dtype([("rope", "u1"), ("count", "<u4"), ("way", "u1")])
_WAYS: Final[dict[np.dtype[Any], int]] = {FLOAT: L.FLOAT, INT: L.INT}
_DTYPES = {way: dtype for dtype, way in _WAYS.items()}
_MOST_BYTES = (1 << 31) - 1  # in a binary column of Arrow's


def pack_values(values: Values, borders: NDArray[np.int64]) -> pa.Array | None:
    """A state for each segment, its values ascending; null for one without any.

    None if the states are too large for one column.

    >>> from windrow.algebra.codec import decode
    >>> [state] = pack_values(np.array([2.0, 1.0]), np.array([0, 2])).to_pylist()
    >>> decode(state)
    Rope([1.0, 2.0])
    """
    counts = np.diff(borders)
    some = counts > 0
    sizes = np.where(some, counts * 8 + _HEADER.itemsize, 0)
    offsets = np.append(0, np.cumsum(sizes))
    if offsets[-1] > _MOST_BYTES:
        return None
    headers = np.empty(np.count_nonzero(some), _HEADER)
    headers["rope"], headers["count"], headers["way"] = L.ROPE, counts[some], _WAYS[values.dtype]
    content = np.empty(offsets[-1], np.uint8)
    places = _headers_at(offsets[:-1][some])
    content[places] = headers.view(np.uint8)
    is_value = np.ones(len(content), np.bool_)
    is_value[places] = False
    content[is_value] = _ascending(values, borders, counts).view(np.uint8)
    known = None if some.all() else pa.py_buffer(np.packbits(some, bitorder="little"))
    buffers = [known, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.binary(), len(counts), buffers)


def unpack_values(states: pa.Array) -> tuple[Values, NDArray[np.int64]] | None:
    """The values of all states, and where those of each begin.

    None if there are none, or some do not lie as `pack_values` leaves them.
    """
    _, places, content = states.buffers()
    known = states.is_valid().to_numpy(zero_copy_only=False)
    if content is None or not known.any():
        return None
    offsets = np.frombuffer(places, np.int32, len(states) + 1, 4 * states.offset).astype(np.int64)
    starts, sizes = offsets[:-1][known], np.diff(offsets)
    if (sizes[known] < _HEADER.itemsize).any() or sizes[~known].any():
        return None
    content = np.frombuffer(content, np.uint8)
    headers = content[_headers_at(starts)].view(_HEADER)
    way = int(headers["way"][0])
    alike = (headers["rope"] == L.ROPE) & (headers["way"] == way)
    whole = sizes[known] == headers["count"].astype(np.int64) * 8 + _HEADER.itemsize
    if way not in _DTYPES or not (alike & whole).all():
        return None
    is_value = np.ones(int(offsets[-1] - offsets[0]), np.bool_)
    is_value[_headers_at(starts - offsets[0])] = False
    values = content[offsets[0] : offsets[-1]][is_value].view(_DTYPES[way])
    counts = np.where(known, (sizes - _HEADER.itemsize) // 8, 0)
    return values, np.append(0, np.cumsum(counts))


def _headers_at(starts: NDArray[np.int64]) -> NDArray[np.int64]:
    return (starts[:, None] + np.arange(_HEADER.itemsize)).ravel()


def _ascending(values: Values, borders: NDArray[np.int64], counts: NDArray[np.int64]) -> Values:
    """The values of each segment upwards, NaN last, and equal ones in the order they had."""
    # Only zeros are equal and yet of different bits; all other sorts give the same.
    mixed = values.dtype == FLOAT and _has_both_zeros(values)
    kind: Literal["stable"] | None = "stable" if mixed else None
    if np.count_nonzero(counts > 1) * _ROWS_PER_CALL > len(values):
        segments = np.repeat(np.arange(len(counts)), counts)
        return values[np.lexsort((values, segments))]
    ordered = values.copy()
    for segment in np.flatnonzero(counts > 1):
        ordered[borders[segment] : borders[segment + 1]].sort(kind=kind)
    return ordered


_ROWS_PER_CALL = 8  # what one call to sort a segment costs, in rows sorted all at once


def _has_both_zeros(values: Values) -> bool:
    zeros = values[values == 0]
    return bool(len(zeros)) and len(np.unique(np.signbit(zeros))) > 1
