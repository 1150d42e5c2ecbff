"""Columns as they come, numpy or Arrow, made into what kernels read: numbers and a mask."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.algebra.numeric import BOOL, FLOAT, INT
from windrow.arguments import shown
from windrow.columnar.lists import read_list
from windrow.errors import InputError

__all__ = ["Column", "in_one_piece", "is_arrow", "named_columns", "python_values", "read_column"]


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


def named_columns(data: Any, argument: str) -> dict[Any, Any] | None:
    """The columns of a mapping, a table or a frame by name; None for what is one column."""
    if isinstance(data, Mapping):
        return dict(data)
    if isinstance(data, pa.Table | pa.RecordBatch):
        names, columns = data.schema.names, data.columns
    elif _is_frame(data):
        names = list(data.columns)
        columns = [data[name] for name in names]
    else:
        return None
    seen: set[Any] = set()  # looked up by hash: pandas' NA does not say what it equals
    for name in names:
        if name in seen:
            raise InputError(
                f"{argument} has several columns called {shown(name)}; give each a name of its own"
            )
        seen.add(name)
    return dict(zip(names, columns, strict=True))


def _is_frame(data: Any) -> bool:
    """Whether it is a frame of pandas or polars; lazy ones, and those of Spark, have no rows."""
    return hasattr(type(data), "columns") and hasattr(data, "__len__")


def read_column(data: Any, argument: str) -> Column:
    """Read one column of a user's: numpy, Arrow, a list, or anything that turns into one."""
    if isinstance(data, pa.ChunkedArray):
        return _from_arrow(in_one_piece(data), argument)
    if isinstance(data, pa.Array):
        return _from_arrow(data, argument)
    if isinstance(data, np.ma.MaskedArray):
        return _from_masked(data, argument)
    if isinstance(data, np.ndarray):
        return _from_numpy(data, argument)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__array__"):
        return _from_foreign(data, argument)
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _from_list(data, argument)
    way_out = "give a numpy array, an Arrow array or a list"
    if type(data).__module__.startswith("pyspark."):
        way_out = "use windrow.over for DataFrames of Spark"
    raise InputError(f"{argument} is a {type(data).__name__}, not a column; {way_out}")


def in_one_piece(data: pa.ChunkedArray) -> pa.Array:
    """All chunks as one; of none at all, Arrow cannot make every type."""
    return data.combine_chunks() if data.num_chunks else pa.nulls(0, data.type)


def _from_foreign(data: Any, argument: str) -> Column:
    """A column of another library's: by Arrow, by numpy, or value by value, as far as they go."""
    ways: list[Callable[[], Any]] = [lambda: list(data)]
    if hasattr(data, "__array__"):
        ways.insert(0, lambda: np.asarray(data))
    dtype = getattr(data, "dtype", np.dtype(object))
    holds_objects = str(dtype).lower() == "object"  # which are read one by one, as lists are
    if not isinstance(dtype, np.dtype) and not holds_objects:
        ways.insert(0, lambda: pa.array(data))  # pandas' own types have nulls of their own
    if hasattr(data, "__arrow_c_stream__") and not (hasattr(data, "dtype") and holds_objects):
        ways.insert(0, lambda: pa.chunked_array(data))
    for way in ways:
        with suppress(Exception):  # each library has its own for a type that another has not
            found = way()
            break
    else:
        raise InputError(
            f"{argument} is a {type(data).__name__} that cannot be read; give a numpy array, an "
            "Arrow array or a list"
        )
    return read_column(found, argument)


def _from_list(values: Sequence[Any], argument: str) -> Column:
    plain, array = read_list(values)
    if array is None:
        return Column(len(plain), lambda: plain)
    if pa.types.is_timestamp(array.type):
        _require_one_clock(plain, argument)
    return _from_arrow(array, argument)


def _require_one_clock(values: Sequence[Any], argument: str) -> None:
    """Refuse times with and without a zone in one column: Arrow would take the latter as UTC."""
    zoned = {value.tzinfo is not None for value in values if isinstance(value, datetime)}
    if len(zoned) > 1:
        raise InputError(
            f"{argument} has times with and without a time zone; give all of them one, "
            "e.g. time.replace(tzinfo=UTC)"
        )


def _from_masked(data: "np.ma.MaskedArray[Any, Any]", argument: str) -> Column:
    if data.dtype.names is not None and data.ndim == 1:
        return _from_list(data.tolist(), argument)  # each field has a mask of its own
    column, known = _from_numpy(data.data, argument), ~np.ma.getmaskarray(data)

    def objects() -> Sequence[Any]:
        pairs = zip(column.objects(), known, strict=True)
        return [value if is_known else None for value, is_known in pairs]

    mask = known if column.mask is None else known & column.mask
    return replace(column, objects=objects, mask=None if mask.all() else mask, arrow=None)


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
        return _from_numpy_times(_in_arrow_units(array, argument), argument)
    if kind == "u":
        return _from_arrow(pa.array(array), argument)
    return _from_list(array.tolist(), argument)


def _from_numpy_times(array: NDArray[Any], argument: str) -> Column:
    known = ~np.isnat(array)
    if np.datetime_data(array.dtype)[0] == "D":
        return _from_arrow(pa.array(array), argument)
    logical = pa.from_numpy_dtype(array.dtype)
    mask = None if known.all() else known
    objects = partial(python_values, pa.array(array), argument)
    return Column(len(array), objects, array.view(np.int64), mask, logical)


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


def _from_arrow(array: pa.Array, argument: str) -> Column:
    array = _plain(array)
    objects = partial(python_values, array, argument)
    try:
        numbers = _numbers(array)
        mask = pc.is_valid(array).to_numpy(zero_copy_only=False) if array.null_count else None
    except pa.ArrowException:  # types that only few of Arrow's functions know
        return Column(len(array), objects, logical=array.type)
    return Column(len(array), objects, numbers, mask, array.type, array)


def _plain(array: pa.Array) -> pa.Array:
    """The values themselves, of what has each of them only once."""
    in_runs = pa.types.is_run_end_encoded(array.type)
    if not in_runs and not pa.types.is_dictionary(array.type):
        return array
    try:
        return _plain(pc.run_end_decode(array) if in_runs else array.dictionary_decode())
    except pa.ArrowNotImplementedError:  # views cannot be taken from
        return pa.array(array.to_pylist(), array.type.value_type)


def python_values(array: pa.Array, argument: str) -> Sequence[Any]:
    """An Arrow column as Python values; refuses those that Python cannot hold."""
    try:
        values: list[Any] = array.to_pylist()
    except (pa.ArrowException, ArithmeticError, LookupError, ValueError) as problem:
        raise InputError(
            f"{argument} of type {array.type} has values that Python cannot represent ({problem}); "
            "cast it first, e.g. to int64 or to text"
        ) from None
    return values


def _numbers(array: pa.Array) -> NDArray[Any] | None:
    """The storage of an Arrow column as one of the three kinds of numbers, if it has any."""
    kind = array.type
    if pa.types.is_boolean(kind):
        numbers = _filled(array, False)
    elif pa.types.is_floating(kind):
        numbers = _filled(array.cast(pa.float64()), 0.0)
    elif pa.types.is_integer(kind):
        try:
            numbers = _filled(array.cast(pa.int64()), 0)
        except pa.ArrowInvalid:  # an unsigned number beyond 2⁶³
            return None
    elif pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_date64(kind):
        numbers = _filled(array.view(pa.int64()), 0)
    elif pa.types.is_date32(kind):
        numbers = _filled(array.view(pa.int32()).cast(pa.int64()), 0)
    else:
        return None
    found: NDArray[Any] = numbers.to_numpy(zero_copy_only=False)
    return found


def _filled(array: pa.Array, value: Any) -> pa.Array:
    """A column with a value for nulls; Arrow would copy one that has none."""
    return pc.fill_null(array, value) if array.null_count else array
