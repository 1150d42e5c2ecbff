"""Results as numpy or Arrow columns, of the type their aggregate or its input asks for."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from windrow.algebra.numeric import INT, NULL, OVERFLOW, VALUE, Field, is_bare
from windrow.algebra.rounding import half_up
from windrow.columnar.digits import quantizer
from windrow.columnar.lists import of_one_kind, read_list
from windrow.errors import InputError, ResultOverflowError

__all__ = ["Answer", "Numbers", "Objects", "in_units"]

# What Arrow raises for values that it has no type for.
_REFUSALS = (pa.ArrowException, ArithmeticError, TypeError, ValueError)

_MOST_DIGITS = 76  # of any type of Arrow's

# The logical type of each input of an aggregate, by the input's name.
Logicals = Mapping[str, "pa.DataType | None"]


@dataclass(frozen=True)
class Numbers:
    """Results of compiled code: an array for each field, and a status for each row."""

    fields: tuple[Field, ...]
    arrays: tuple[NDArray[Any], ...]
    statuses: NDArray[np.uint8] | None  # None where all are values
    logicals: Logicals

    @classmethod
    def of(cls, values: Sequence[Any], fields: tuple[Field, ...], logicals: Logicals) -> "Numbers":
        """The results of interpreted code, just as compiled code would give them."""
        arrays = tuple(np.zeros(len(values), field.dtype) for field in fields)
        statuses = np.full(len(values), VALUE, np.uint8)
        for row, value in enumerate(values):
            if value is None:
                statuses[row] = NULL
                continue
            for array, number in zip(arrays, (value,) if is_bare(fields) else value, strict=True):
                whole = array.dtype == INT and isinstance(number, float)  # a mean of durations
                try:
                    array[row] = half_up(number) if whole else number
                except (OverflowError, ValueError):
                    statuses[row] = OVERFLOW
        return cls(fields, arrays, statuses, logicals)

    def arrow(self) -> pa.Array:
        """An Arrow array; a struct if the result has several fields."""
        null = self._null()
        if is_bare(self.fields):
            return self._arrow_field(0, null)
        columns = [self._arrow_field(k, None) for k in range(len(self.fields))]
        names = [field.name for field in self.fields]
        mask = None if null is None else pa.array(null)
        return pa.StructArray.from_arrays(columns, names, mask=mask)

    def numpy(self) -> NDArray[Any]:
        """A numpy array, which has NaN or NaT for null; structured if there are several fields."""
        null = self._null()
        columns = [_to_numpy(self._arrow_field(k, null)) for k in range(len(self.fields))]
        if is_bare(self.fields):
            return columns[0]
        names = [field.name for field in self.fields]
        dtype = [(name, column.dtype) for name, column in zip(names, columns, strict=True)]
        table = np.empty(len(columns[0]), dtype)
        for name, column in zip(names, columns, strict=True):
            table[name] = column
        return table

    def take(self, rows: NDArray[np.int64]) -> "Numbers":
        """The results of some rows."""
        statuses = None if self.statuses is None else self.statuses[rows]
        return replace(self, arrays=tuple(a[rows] for a in self.arrays), statuses=statuses)

    def require_fit(self, aggregate: str) -> None:
        """Refuse results that overflowed."""
        if self.statuses is None:
            return
        over = np.flatnonzero(self.statuses == OVERFLOW)
        if len(over):
            way_out = "make the column floats or decimals first"
            if "value duration" in self.logicals:
                way_out = "give durations in a coarser unit, such as seconds"
            raise ResultOverflowError(
                f"{aggregate} does not fit 64 bits at row {over[0]}; {way_out}"
            )

    def _null(self) -> NDArray[np.bool_] | None:
        if self.statuses is None:
            return None
        null: NDArray[np.bool_] = self.statuses == NULL
        return null if null.any() else None

    def _arrow_field(self, k: int, null: NDArray[np.bool_] | None) -> pa.Array:
        array = pa.array(self.arrays[k], mask=null)
        like = self.fields[k].like
        logical = self.logicals.get(like) if like else None
        return array if logical is None else _restored(array, logical)


@dataclass(frozen=True)
class Objects:
    """Results of interpreted code: Python values."""

    values: Sequence[Any]
    like: pa.DataType | None = None  # the type of the column they were computed from
    fitted: bool = False  # whether it is a type of decimals that results are rounded to

    def arrow(self) -> pa.Array:
        """An Arrow array: of the column's type if that is what the values are, or what fits."""
        plain = [v._asdict() if hasattr(v, "_asdict") else v for v in self._shown]
        if self.like is not None and _are_of(self.like, plain):
            with suppress(*_REFUSALS):  # a sum may be too wide for the type
                return pa.array(plain, self.like)
        try:
            if not of_one_kind(plain):
                raise TypeError("they are of several types")
            return pa.array(plain)
        except _REFUSALS as problem:
            raise InputError(
                f"results have no Arrow type ({problem}); give values as numpy to get objects"
            ) from None

    def numpy(self) -> NDArray[Any]:
        """A numpy array of numbers or durations, NaN or NaT for null, or else of objects."""
        if any(isinstance(v, timedelta) for v in self.values):
            _, durations = read_list(self.values)
            if durations is not None:
                return _to_numpy(durations)
        if all(v is None or isinstance(v, int | float) for v in self.values):
            try:
                return _to_numpy(pa.array(self.values, type=_number_type(self.values)))
            except _REFUSALS:
                pass  # integers beyond 64 bits stay objects
        return _boxed(self._shown)

    def take(self, rows: NDArray[np.int64]) -> "Objects":
        """The results of some rows."""
        return replace(self, values=[self.values[row] for row in rows.tolist()])

    def require_fit(self, aggregate: str) -> None:
        """Refuse decimals with too many digits; Python's other numbers always fit."""
        try:
            self._shown  # noqa: B018
        except OverflowError as problem:
            raise ResultOverflowError(
                f"{aggregate} does not fit {self.like} ({problem}); make the column floats, or "
                "decimals with fewer digits behind the point"
            ) from None

    @cached_property
    def _shown(self) -> Sequence[Any]:
        """The values, decimals rounded to their type or to the digits that Python is asked for."""
        if self.fitted:
            round_ = quantizer(self.like)
            return [None if v is None else round_(v) for v in self.values]
        return [+v if isinstance(v, Decimal) and _is_quotient(v) else v for v in self.values]


Answer = Numbers | Objects


def _is_quotient(value: Decimal) -> bool:
    """Whether it has more digits than a value can: those that dividing exactly has left."""
    return len(value.as_tuple().digits) > _MOST_DIGITS


_KINDS = (
    (pa.types.is_decimal, Decimal),
    (pa.types.is_string, str),
    (pa.types.is_large_string, str),
    (pa.types.is_string_view, str),
    (pa.types.is_binary, bytes),
    (pa.types.is_large_binary, bytes),
    (pa.types.is_time, time),
    (pa.types.is_integer, int),  # beyond 63 bits, or kernels would have taken them
)


def _are_of(kind: pa.DataType, values: Sequence[Any]) -> bool:
    """Whether all values are what a column of this type holds."""
    expected = next((python for is_kind, python in _KINDS if is_kind(kind)), None)
    return expected is not None and all(
        v is None or (isinstance(v, expected) and not isinstance(v, bool)) for v in values
    )


def _number_type(values: Sequence[Any]) -> pa.DataType | None:
    kinds = {type(v) for v in values if v is not None}
    return pa.float64() if float in kinds or not kinds else None


def _restored(array: pa.Array, logical: pa.DataType) -> pa.Array:
    """Numbers in the type of the column they come from."""
    if array.type == logical:
        return array
    if pa.types.is_date32(logical):
        array = array.cast(pa.int32())
    if pa.types.is_floating(array.type) and pa.types.is_duration(logical):
        return in_units(array, logical)
    return array.cast(logical, safe=False)


def in_units(numbers: pa.Array, kind: pa.DataType) -> pa.Array:
    """Numbers of a unit as durations of that unit, rounded half up."""
    return pc.round(numbers, 0, "half_towards_infinity").cast(pa.int64()).cast(kind)


def _boxed(values: Sequence[Any]) -> NDArray[Any]:
    """One value by one: numpy takes lists of one length for more dimensions."""
    boxed = np.empty(len(values), object)
    for row, value in enumerate(values):
        boxed[row] = value
    return boxed


def _to_numpy(array: pa.Array) -> NDArray[Any]:
    if pa.types.is_boolean(array.type) and array.null_count:
        return _boxed(array.to_pylist())
    found: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return found
