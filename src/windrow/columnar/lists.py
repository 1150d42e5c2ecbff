"""Lists of Python values as Arrow columns, where Arrow keeps every value as it is.

Arrow infers a type from some of the values and coerces the others to it: 1.5 next to an integer
becomes 1, a time next to a date loses its hours, and some mixtures crash the process.  So only
values of one kind are given to Arrow.  All others stay Python objects, and compare and add up as
such.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from operator import countOf
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["of_one_kind", "read_list"]

_NUMPY = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
_KEPT: tuple[frozenset[type], ...] = (
    frozenset({int, float}),
    frozenset({int, Decimal}),
    frozenset({bool}),
    frozenset({str, np.str_}),
    frozenset({bytes, np.bytes_}),
    frozenset({date}),
    frozenset({time}),
    frozenset({np.datetime64}),
    frozenset({np.timedelta64}),
    *(frozenset({np.dtype(name).type}) for name in _NUMPY.split()),
)

# What Arrow would find too, but only after looking at every value.
_KNOWN: dict[tuple[type, ...], pa.DataType] = {(float,): pa.float64(), (int,): pa.int64()}


def read_list(values: Sequence[Any]) -> tuple[Sequence[Any], pa.Array | None]:
    """The values, None for null, and the same as Arrow; None where no type keeps them all."""
    array = _as_arrow(values)
    if array is not None:
        return values, array
    simple = [_simple(value) for value in values]
    return simple, _as_arrow(simple)


def of_one_kind(values: Sequence[Any]) -> bool:
    """Whether Arrow can be asked for their type without changing any of them."""
    kinds = _kinds(values)
    return len(kinds) <= 1 or _are_kept(kinds)


def _as_arrow(values: Sequence[Any]) -> pa.Array | None:
    kinds = _kinds(values)
    if not _are_kept(kinds) or (kinds == {time} and _have_zones(values)):
        return None
    try:
        array = pa.array(values, _KNOWN.get(tuple(kinds)))
        return pa.array(values, _finer(array.type)) if _have_nanoseconds(values, kinds) else array
    except Exception:  # wider integers, mixed units, NaN decimals: whatever Arrow makes of them
        return None


def _kinds(values: Sequence[Any]) -> set[type]:
    first = {type(value) for value in values[:1]}
    # Most lists are of one type, and counting is faster than collecting.
    alike = all(countOf(map(type, values), kind) == len(values) for kind in first)
    return (first if alike else set(map(type, values))) - {type(None)}


def _are_kept(kinds: set[type]) -> bool:
    if any(kinds <= kept for kept in _KEPT):
        return True
    # pandas has subclasses of both, whose nanoseconds are looked after.
    return any(all(issubclass(kind, base) for kind in kinds) for base in (datetime, timedelta))


def _have_zones(values: Sequence[Any]) -> bool:
    """Whether some times of day have a zone, for which Arrow has no room."""
    return any(value is not None and value.tzinfo is not None for value in values)


def _have_nanoseconds(values: Sequence[Any], kinds: set[type]) -> bool:
    names = [n for n in ("nanosecond", "nanoseconds") if any(hasattr(kind, n) for kind in kinds)]
    return any(getattr(value, name, 0) for name in names for value in values)


def _finer(kind: pa.DataType) -> pa.DataType:
    return pa.duration("ns") if pa.types.is_duration(kind) else pa.timestamp("ns", kind.tz)


def _simple(value: Any) -> Any:
    """The same value as Python's own, as far as it has one; None for null."""
    if isinstance(value, pa.Scalar):
        with suppress(Exception):  # a value that Python has not stays Arrow's
            return value.as_py()
    if _is_missing(value):
        return None
    if isinstance(value, np.timedelta64) or not isinstance(value, np.number | np.bool_):
        return value
    return value if value.dtype.kind == "c" or value.dtype.itemsize > 8 else value.item()


def _is_missing(value: Any) -> bool:
    """Whether it is a null of pandas' or numpy's, known without importing pandas."""
    return type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))
    )
