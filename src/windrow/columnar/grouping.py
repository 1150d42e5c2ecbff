"""Which rows belong to one key, and in which order they are applied."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.canonical import key as key_of
from windrow.algebra.numeric import FLOAT, INT
from windrow.arguments import shown
from windrow.columnar.columns import Column, in_one_piece, named_columns, read_column
from windrow.errors import InputError
from windrow.kernels.grouping import (
    all_at_once,
    from_places,
    places_by_code,
    stretches,
    threads_for,
    to_places,
)

__all__ = ["Groups", "group_rows", "in_shares", "key_codes"]

_FEW_CODES = 1 << 16


@dataclass(frozen=True)
class Groups:
    """Rows in the order in which they are applied, group by group."""

    borders: NDArray[np.int64]  # group g has the places [borders[g], borders[g + 1])
    places: NDArray[np.int64] | None = None  # of each row; None if they stand in order already

    def __len__(self) -> int:
        return int(self.borders[-1])

    def rows(self) -> NDArray[np.int64]:
        """The row at each place."""
        return self.ordered(np.arange(len(self)))

    def ordered(self, column: NDArray[Any]) -> NDArray[Any]:
        """A column in this order."""
        if self.places is None:
            found = np.ascontiguousarray(column).view()
        else:
            found = to_places(column, self.places)
        # As Arrow's columns are: else every kernel would be compiled for both.
        found.flags.writeable = False
        return found

    def restored(self, column: NDArray[Any]) -> NDArray[Any]:
        """A column of this order in the order of the input."""
        return column if self.places is None else from_places(column, self.places)


def group_rows(by: Any, length: int) -> Groups:
    """The groups of equal keys, rows as they came."""
    if by is None:
        return Groups(np.array([0, length]))
    places, borders = places_by_code(_codes(by, length))
    return Groups(borders, places)


def _codes(by: Any, length: int) -> NDArray[Any]:
    """A small number for each row, the same for equal keys; null is a key like any other."""
    named = named_columns(by, "by")
    if named is None:
        columns = {"by": by}
    else:
        columns = {f"by[{shown(name)}]": column for name, column in named.items()}
        if not columns:
            raise InputError("by names no column; leave it out, or name at least one")
    codes: NDArray[Any] | None = None
    for argument, column in columns.items():
        own = _encoded(column, argument)
        if len(own) != length:
            raise InputError(
                f"{argument} has {len(own)} rows, but values has {length}; give a key for each row"
            )
        if codes is None:
            codes = own
        else:
            both = codes.astype(np.int64) * (int(own.max(initial=0)) + 1) + own
            codes = _encoded(both, argument)
    assert codes is not None
    return codes


def _encoded(data: Any, argument: str) -> NDArray[Any]:
    if isinstance(data, pa.ChunkedArray):
        data = in_one_piece(data)
    if isinstance(data, pa.DictionaryArray) and len(data.dictionary) > len(data):
        data = data.dictionary_decode()  # most of its values may be of other rows
    if isinstance(data, pa.DictionaryArray) and not data.indices.null_count:
        # A dictionary may hold a key twice.
        own = _encoded(data.dictionary, argument)
        found: NDArray[Any] = own[data.indices.to_numpy(zero_copy_only=False)]
        return found
    if isinstance(data, pa.StructArray):
        return _struct_codes(data, argument)
    return key_codes(read_column(data, argument), argument)


def _struct_codes(data: pa.StructArray, argument: str) -> NDArray[Any]:
    """Structs are equal if all their fields are; none is a key of its own."""
    fields = {f"{argument}.{place}": column for place, column in enumerate(data.flatten())}
    return _codes(fields | {f"{argument} is there": data.is_valid()}, len(data))


def key_codes(column: Column, argument: str) -> NDArray[Any]:
    """A small number for each row, the same for equal values; null and NaN equal themselves."""
    if column.numbers is None:
        if column.arrow is not None and not pa.types.is_nested(column.arrow.type):
            with suppress(pa.ArrowNotImplementedError):  # not all types can be encoded
                return _indices(column.arrow)
        return _object_codes(column.objects(), argument)
    numbers = column.numbers
    if column.mask is None and numbers.dtype == INT and len(numbers):
        lowest, highest = int(numbers.min()), int(numbers.max())
        if highest - lowest <= max(len(numbers), _FEW_CODES):  # dense enough to be codes already
            return numbers - lowest
    if numbers.dtype == FLOAT:
        # -0.0 and 0.0 are one key, and so are all NaN, whatever their bits.
        numbers = np.where(np.isnan(numbers), np.nan, numbers + 0.0)
    return _indices(pa.array(numbers, mask=None if column.mask is None else ~column.mask))


def _indices(keys: pa.Array) -> NDArray[Any]:
    if keys.null_count:
        parts = [keys.dictionary_encode(null_encoding="encode")]
    else:
        calls = [keys[stretch].dictionary_encode for stretch in stretches(len(keys))]
        # What different threads numbered differently gets the same numbers again.
        parts = pa.chunked_array(all_at_once(calls)).unify_dictionaries().chunks
    return np.concatenate([part.indices.to_numpy(zero_copy_only=False) for part in parts])


def _object_codes(keys: Sequence[Any], argument: str) -> NDArray[Any]:
    codes: dict[Any, int] = {}
    try:
        return np.array([codes.setdefault(_hashable(k), len(codes)) for k in keys], np.int64)
    except Exception as problem:  # of foreign objects, whatever their comparison raises
        raise InputError(
            f"{argument} has keys that cannot be compared ({problem}); "
            "give numbers, text, or other hashable values"
        ) from problem


def _hashable(value: Any) -> Any:
    """A key to look up; Arrow gives nested values as lists and dictionaries, which cannot be."""
    if isinstance(value, list | tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return tuple((name, _hashable(own)) for name, own in value.items())
    return key_of(value)


def in_shares(run: Callable[[slice, NDArray[np.int64]], None], borders: NDArray[np.int64]) -> None:
    """Run all groups: `run(places, borders)` for shares of about as many rows.

    A share's borders count from the first of its places.
    """
    rows = int(borders[-1])
    threads = threads_for(rows)
    if threads == 1:  # small tables come by the thousand, and dividing them takes longest
        run(slice(int(borders[0]), rows), borders - borders[0])
        return
    wanted = np.linspace(0, rows, threads + 1)[1:-1]
    cuts = np.unique([0, *np.searchsorted(borders, wanted), len(borders) - 1])
    shares = [borders[a : b + 1] for a, b in pairwise(cuts)] or [borders]
    all_at_once([partial(run, slice(int(own[0]), int(own[-1])), own - own[0]) for own in shares])
