"""Columns that a user gives, as compiled code reads them."""

from collections.abc import Iterable, Sequence
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from windrow.algebra.numeric import INT
from windrow.arguments import shown
from windrow.errors import InputError

__all__ = ["columns_of", "dtypes_of"]


def dtypes_of(dtypes: object) -> tuple[np.dtype[Any], ...]:
    """The types that a user gave for columns; none at all for what is no list of types."""
    if isinstance(dtypes, str) or not isinstance(dtypes, Iterable):
        return ()
    try:
        with catch_warnings(action="error"):
            return tuple(np.dtype(one) for one in dtypes)
    except (TypeError, ValueError, Warning):
        return ()


def columns_of(
    columns: Sequence[ArrayLike], dtypes: Sequence[np.dtype[Any]]
) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[np.bool_], ...]]:
    """Columns in their types, all of one length, and where each is not null."""
    if len(columns) != len(dtypes):
        raise InputError(f"got {len(columns)} column(s); give {len(dtypes)}")
    read = [_numbers_of(c, d) for c, d in zip(columns, dtypes, strict=True)]
    shapes = [column.shape for column, _ in read]
    if len(set(shapes)) > 1 or any(column.ndim != 1 for column, _ in read):
        raise InputError(f"columns have shapes {shapes}; give columns of one length each")
    return tuple(column for column, _ in read), tuple(mask for _, mask in read)


def _numbers_of(column: ArrayLike, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """One column in its type, and where it is not null: neither masked nor None."""
    try:
        given = np.ma.getdata(column) if np.ma.isMaskedArray(column) else np.asarray(column)
    except ValueError:
        raise InputError(
            "columns have lists among their numbers; give one flat list each"
        ) from None
    if given.ndim == 0:
        raise InputError(f"columns={shown(column)} has no rows; give a list or an array of numbers")
    known = ~np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    if given.dtype == object:
        present = np.array([x is not None for x in given.flat], np.bool_).reshape(given.shape)
        known = present if known is None else known & present
        given = np.array([x if p else 0 for x, p in zip(given.flat, present.flat, strict=True)])
    fits = np.can_cast(given.dtype, dtype, "same_kind")
    if given.dtype == np.uint64 and dtype == INT:
        fits = not (given > np.iinfo(np.int64).max).any()
    if given.size and not fits:
        raise InputError(
            f"values of {given.dtype} do not fit {dtype}; give numbers that do, or set dtypes=..."
        )
    # Contiguous, or the kernels would be compiled for strides as well.
    array = np.ascontiguousarray(given, dtype)
    return array, np.ones(array.shape, np.bool_) if known is None else known
