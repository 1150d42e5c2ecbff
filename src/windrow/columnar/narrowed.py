"""Packs in which integers take half their bytes, for tables sent from task to task.

Times and arrival numbers take 64 bits, and those of one table are close together: stored as offsets
from the lowest they take 32, and if they increase one by one, none.  Every byte of a pack is copied
about ten times until it is back in Python.

A pack is a head and an Arrow record batch.  The head says which columns are offsets and which are
consecutive numbers, one bit each, and then what to add to the offsets or to the row's number.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.columnar.packs import packed, unpack
from windrow.errors import SnapshotError

__all__ = ["narrowed", "widened"]

_MASKS = struct.Struct("<QQ")
_MOST_COLUMNS = 64  # as many as a mask has bits; what stands behind them stays as it is
_OFFSET = pa.uint32()


@dataclass(frozen=True)
class Narrowed:
    """A table without the columns that count up, and what to add to these and to offsets."""

    table: pa.Table
    offsets: Mapping[int, int]  # by the number of the column
    counting: Mapping[int, int]

    def pack(self, start: int, end: int) -> tuple[bytes, pa.Buffer]:
        """The head and the content of a pack of these rows."""
        masks = _MASKS.pack(_mask(self.offsets), _mask(self.counting))
        begin = start if start < end else 0  # of no rows: behind the last there may be no number
        bases = [*self.offsets.values(), *(base + begin for base in self.counting.values())]
        content = packed(self.table.slice(start, end - start))
        return masks + struct.pack(f"<{len(bases)}q", *bases), content


def narrowed(table: pa.Table, order: NDArray[np.int64] | None = None) -> Narrowed:
    """A table to make packs of, its rows in this order if one is given."""
    columns: dict[int, Any] = dict(enumerate(table.columns))
    offsets, counting = {}, {}
    for place, array in _whole_numbers(table).items():
        low, high = int(array.min()), int(array.max())
        if order is None and len(columns) > 1 and _counts_up(array):
            counting[place] = low
            del columns[place]
        elif high - low < 1 << 32:
            offsets[place] = low
            columns[place] = pa.array((array - low).astype(np.uint32))
    schema = _narrow(table.schema, _mask(offsets), _mask(counting))
    own = pa.Table.from_arrays(list(columns.values()), schema=schema)
    if order is not None:
        own = own.take(pa.array(order))
    return Narrowed(own.combine_chunks(), offsets, counting)


def widened(pack: Any, schema: pa.Schema) -> pa.Table:
    """The table of a pack; columns that were not narrowed lie in the pack itself."""
    view = memoryview(pack)
    try:
        masks = _MASKS.unpack_from(view)
        offsets, counting = map(_places, masks)
        changed = [*offsets, *counting]
        bases = struct.unpack_from(f"<{len(changed)}q", view, _MASKS.size)
    except struct.error:
        raise SnapshotError(
            f"pack of {len(view)} bytes ends within its head: it is damaged; use a copy of what "
            "it was read from"
        ) from None
    _require_whole_numbers(masks, schema, len(view))
    end = _MASKS.size + 8 * len(changed)
    added = dict(zip(changed, bases, strict=True))
    own = unpack(view[end:], _narrow(schema, *masks))
    columns = iter(own.columns)
    wide: list[Any] = []
    for place in range(len(schema)):
        if place in counting:
            wide.append(pa.array(np.arange(own.num_rows) + added[place]))
        elif place in offsets:
            wide.append(pa.array(numbers(next(columns)).astype(np.int64) + added[place]))
        else:
            wide.append(next(columns))
    return pa.Table.from_arrays(wide, schema=schema)


def _require_whole_numbers(masks: tuple[int, int], schema: pa.Schema, size: int) -> None:
    """Refuse a head that no table has: a column that counts up takes no bytes, however long."""
    offsets, counting = masks
    ours = _mask({p: 0 for p, field in enumerate(schema) if field.type == pa.int64()})
    if offsets & counting or (offsets | counting) & ~ours or len(_places(counting)) == len(schema):
        raise SnapshotError(
            f"pack of {size} bytes has a head that is of no such table: it is damaged; use a copy "
            "of what it was read from"
        )


def _whole_numbers(table: pa.Table) -> dict[int, NDArray[np.int64]]:
    """The columns of 64 bits in which no number is missing."""
    return {
        place: numbers(table.column(place))
        for place, field in enumerate(table.schema)
        if field.type == pa.int64()
        and place < _MOST_COLUMNS
        and table.num_rows
        and not table.column(place).null_count
    }


def _counts_up(array: NDArray[np.int64]) -> bool:
    """Whether each number is the one before and one more."""
    return int(array[-1]) - int(array[0]) == len(array) - 1 and bool((np.diff(array) == 1).all())


def _mask(places: Mapping[int, int]) -> int:
    return sum(1 << place for place in places)


def _places(mask: int) -> list[int]:
    return [place for place in range(mask.bit_length()) if mask >> place & 1]


@lru_cache(maxsize=64)
def _narrow(schema: pa.Schema, offsets: int, counting: int) -> pa.Schema:
    """What is left of a schema, with offsets for these columns and without those that count up."""
    return pa.schema(
        [
            field.with_type(_OFFSET) if offsets >> place & 1 else field
            for place, field in enumerate(schema)
            if not counting >> place & 1
        ]
    )
