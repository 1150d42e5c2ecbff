"""Between Arrow's arrays and numpy's, without a copy where bytes are the same.

Small tables come by the thousand, so this reads the buffers directly: `columns.py`, which reads
anything a user may give, takes ten times as long as folding a hundred rows.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.numeric import BOOL, FLOAT, INT

__all__ = [
    "ARROW_OF",
    "NONE_MISSING",
    "arrow_of",
    "dtype_of",
    "known_of",
    "numbers_of",
    "read_only",
    "whole",
]

ARROW_OF = {FLOAT: pa.float64(), INT: pa.int64(), BOOL: pa.bool_()}


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """As all columns are that kernels get: else each would be compiled twice."""
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array


# Which rows are known, where all are.
NONE_MISSING = read_only(np.empty(0, np.bool_))


def dtype_of(kind: pa.DataType) -> np.dtype[Any] | None:
    """What numbers a column of this type is to kernels; None if it has none, whatever it holds."""
    if pa.types.is_boolean(kind):
        return BOOL
    if pa.types.is_floating(kind):
        return FLOAT
    if pa.types.is_uint64(kind):
        return None  # beyond 63 bits; whether a column has any such number, its type cannot tell
    if (
        pa.types.is_integer(kind)
        or pa.types.is_timestamp(kind)
        or pa.types.is_duration(kind)
        or pa.types.is_date(kind)
    ):
        return INT
    return None


def whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array of plain values."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column


def numbers_of(array: pa.Array) -> NDArray[Any]:
    """The numbers of a column that has a dtype; any number where it is null."""
    kind, length, offset = array.type, len(array), array.offset
    _, data = array.buffers()
    if data is None or not length:
        return read_only(np.empty(0, dtype_of(kind)))
    if pa.types.is_boolean(kind):
        return read_only(_bits(data, offset, length))
    stored = _stored_as(kind)
    numbers = np.frombuffer(data, stored, length, offset * stored.itemsize)
    return read_only(numbers.astype(FLOAT if stored.kind == "f" else INT, copy=False))


def _stored_as(kind: pa.DataType) -> np.dtype[Any]:
    if pa.types.is_date32(kind):
        return np.dtype(np.int32)
    return INT if pa.types.is_temporal(kind) else np.dtype(kind.to_pandas_dtype())


def known_of(array: pa.Array) -> NDArray[np.bool_]:
    """Which rows are not null; nothing at all where none is."""
    if not array.null_count:
        return NONE_MISSING
    validity = array.buffers()[0]
    if validity is None:  # an array of nulls has no bits to say so
        return read_only(np.zeros(len(array), np.bool_))
    return read_only(_bits(validity, array.offset, len(array)))


def arrow_of(numbers: NDArray[Any], known: NDArray[np.bool_] | None = None) -> pa.Array:
    """Numbers as a column that is null where they are not known."""
    validity = None
    if known is not None and not known.all():
        validity = pa.py_buffer(np.packbits(known, bitorder="little"))
    stored = np.packbits(numbers, bitorder="little") if numbers.dtype == BOOL else numbers
    kind = ARROW_OF[numbers.dtype]
    return pa.Array.from_buffers(kind, len(numbers), [validity, pa.py_buffer(stored)])


def _bits(buffer: pa.Buffer, offset: int, length: int) -> NDArray[np.bool_]:
    first = offset // 8
    bits = np.frombuffer(buffer, np.uint8, (offset + length + 7) // 8 - first, first)
    found = np.unpackbits(bits, bitorder="little", count=offset % 8 + length)
    return found[offset % 8 :].view(np.bool_)
