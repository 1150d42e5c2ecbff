"""Columns as they come, numpy or Arrow, made into what kernels read: numbers and a mask."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.algebra.numeric import BOOL, FLOAT, INT
from windrow.errors import InputError

__all__ = ["Column", "is_arrow", "named_columns", "read_column"]


_UNITS = (("s", 1), ("ms", 1), ("us", 1), ("ns", 1))
_ARROW_UNITS = {"m": _UNITS, "M": (*_UNITS, ("D", 1))}
_NO_LENGTH = (("m", "Y"), ("m", "M"))  # a month of time may be 28 days or 31


@dataclass(frozen=True)
class Column:
    """One input column: its numbers, if it has a numeric form, and its values as Python objects."""

    length: int
    objects: Callable[[], Sequence[Any]]  # Python values, None for null; made only when asked for
    numbers: NDArray[Any] | None = None  # FLOAT, INT or BOOL; where null, any number
    mask: NDArray[np.bool_] | None = None  # False where null; None if nothing is null
    logical: pa.DataType | None = None  # the type that results like this column have
    arrow: pa.Array | None = None  # the column itself, if it came as Arrow or could be made so

    def __len__(self) -> int:
        return self.length

    def plain_numbers(self) -> Sequence[Any]:
        """The numbers that kernels read as Python's, None for null; objects if it has none."""
        if self.numbers is None:
            return self.objects()
        numbers: list[Any] = self.numbers.tolist()
        if self.mask is None:
            return numbers
        return [x if known else None for x, known in zip(numbers, self.mask, strict=True)]


def is_arrow(data: object) -> bool:
    """Whether answers to this input should be Arrow's too."""
    return isinstance(data, pa.Array | pa.ChunkedArray | pa.Table | pa.RecordBatch)


def named_columns(data: Any) -> dict[Any, Any] | None:
    """The columns of a mapping, a table or a frame by name; None for what is one column."""
    if isinstance(data, pa.Table | pa.RecordBatch):
        return dict(zip(data.schema.names, data.columns, strict=True))
    if isinstance(data, Mapping):
        return dict(data)
    if hasattr(data, "columns"):  # the frames of pandas and polars
        return {name: data[name] for name in data.columns}
    return None


def read_column(data: Any, argument: str) -> Column:
    """Read one column of a user's: numpy, Arrow, a list, or anything that turns into one."""
    if isinstance(data, pa.ChunkedArray):
        return _from_arrow(data.combine_chunks())
    if isinstance(data, pa.Array):
        return _from_arrow(data)
    if isinstance(data, np.ma.MaskedArray):
        return _from_arrow(pa.array(data.data, mask=np.ma.getmaskarray(data)))
    if isinstance(data, np.ndarray):
        return _from_numpy(data, argument)
    if hasattr(data, "__arrow_c_stream__"):
        return read_column(pa.chunked_array(data), argument)
    if isinstance(getattr(data, "dtype", np.dtype(object)), np.dtype):
        pass
    elif hasattr(data, "__array__"):  # pandas' own types have nulls of their own
        return read_column(pa.array(data), argument)
    if hasattr(data, "__array__"):
        return _from_numpy(np.asarray(data), argument)
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _from_list(data)
    raise InputError(
        f"{argument} is a {type(data).__name__}, not a column; "
        "give a numpy array, an Arrow array or a list"
    )


def _from_list(values: Sequence[Any]) -> Column:
    try:
        return _from_arrow(pa.array(values))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return Column(len(values), lambda: values)  # mixed or foreign types, or wider integers


def _from_numpy(array: NDArray[Any], argument: str) -> Column:
    if array.ndim != 1:
        raise InputError(
            f"{argument} has {array.ndim} dimensions, shape {array.shape}; "
            "give one column at a time, of one dimension"
        )
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    kind, length = array.dtype.kind, len(array)
    if kind == "f" and array.itemsize <= FLOAT.itemsize:
        logical = pa.from_numpy_dtype(array.dtype)
        return Column(length, array.tolist, array.astype(FLOAT, copy=False), logical=logical)
    if kind == "b" or (kind in "iu" and array.dtype != np.uint64):
        dtype = BOOL if kind == "b" else INT
        logical = pa.from_numpy_dtype(array.dtype)
        return Column(length, array.tolist, array.astype(dtype, copy=False), logical=logical)
    if kind in "mM":
        return _from_numpy_times(_in_arrow_units(array, argument))
    if kind == "u":
        return _from_arrow(pa.array(array))
    return _from_list(array.tolist())


def _from_numpy_times(array: NDArray[Any]) -> Column:
    known = ~np.isnat(array)
    if np.datetime_data(array.dtype)[0] == "D":
        return _from_arrow(pa.array(array))
    logical = pa.from_numpy_dtype(array.dtype)
    mask = None if known.all() else known
    return Column(
        len(array), lambda: pa.array(array).to_pylist(), array.view(np.int64), mask, logical
    )


def _in_arrow_units(array: NDArray[Any], argument: str) -> NDArray[Any]:
    """Times in a unit that Arrow knows too; longer ones become seconds."""
    unit, number = np.datetime_data(array.dtype)
    if (unit, number) in _ARROW_UNITS[array.dtype.kind] and not (unit == "D" and _is_far(array)):
        return array
    if unit not in ("Y", "M", "W", "D", "h", "m", "s") or (array.dtype.kind, unit) in _NO_LENGTH:
        raise InputError(
            f"{argument} has type {array.dtype}; give times in units of s, ms, us or ns"
        )
    seconds = array.astype(f"{array.dtype.kind}8[s]")
    wrapped = np.flatnonzero((seconds.astype(array.dtype) != array) & ~np.isnat(array))
    if len(wrapped):
        raise InputError(
            f"{argument} at row {wrapped[0]} is {array.view(np.int64)[wrapped[0]]} {unit}, which "
            "does not fit 64 bits as seconds; give times nearer to 1970"
        )
    return seconds


def _is_far(days: NDArray[Any]) -> bool:
    """Whether some are beyond Arrow's dates, which have 32 bits."""
    known = days.view(np.int64)[~np.isnat(days)]
    return bool((known != known.astype(np.int32)).any())


def _from_arrow(array: pa.Array) -> Column:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    numbers = _numbers(array)
    mask = None
    if array.null_count:
        mask = pc.is_valid(array).to_numpy(zero_copy_only=False)
    return Column(len(array), array.to_pylist, numbers, mask, array.type, array)


def _numbers(array: pa.Array) -> NDArray[Any] | None:
    """The storage of an Arrow column as one of the three kinds of numbers, if it has any."""
    kind = array.type
    if pa.types.is_boolean(kind):
        numbers = pc.fill_null(array, False)
    elif pa.types.is_floating(kind):
        numbers = pc.fill_null(array.cast(pa.float64()), 0.0)
    elif pa.types.is_integer(kind):
        try:
            numbers = pc.fill_null(array.cast(pa.int64()), 0)
        except pa.ArrowInvalid:  # an unsigned number beyond 2⁶³
            return None
    elif pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_date64(kind):
        numbers = pc.fill_null(array.view(pa.int64()), 0)
    elif pa.types.is_date32(kind):
        numbers = pc.fill_null(array.view(pa.int32()).cast(pa.int64()), 0)
    else:
        return None
    found: NDArray[Any] = numbers.to_numpy(zero_copy_only=False)
    return found
