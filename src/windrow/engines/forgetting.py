"""Silent keys: their state is dropped after a while, if the user asks for it (`forget_after`).

Windows that end by time do not need this.  Windows of rows, policies and punctuated windows wait
for their key's next row, which may never come.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import Keyed, numbers, together
from windrow.engines.engine import Kept

__all__ = ["FORGETTABLE", "first_silence", "without_silent"]

# The tables of such windows, and for each the column with the time of a key's last row: the first
# that exists.  Ticks never go back, as times may if rows are applied as they arrive.
FORGETTABLE = {"rows": ("tick", "t"), "open": ("end",), "begun": ("end",), "buckets": ("tick",)}
_TOLD = {
    **FORGETTABLE,
    "paged_windows": ("newest",),
}  # of large windows, which have pages to let go too


def without_silent(table: pa.Table, columns: Sequence[str], before: int) -> pa.Table:
    """The rows of keys whose last row is at or after a time."""
    if numbers(table[_column(table, columns)]).min(initial=before) >= before:
        return table  # no key is silent
    keyed, newest = _newest(table, columns)
    heard = np.repeat(newest >= before, np.diff(keyed.borders))
    return table if heard.all() else keyed.table.filter(pa.array(heard))


def first_silence(kept: Kept) -> int | None:
    """The time of the last row of the key that has been silent for the longest."""
    found = []
    for name, columns in _TOLD.items():
        if name in kept and kept[name].num_rows:
            found.append(int(_newest(kept[name], columns)[1].min()))
    return min(found, default=None)


def _newest(table: pa.Table, columns: Sequence[str]) -> tuple[Keyed, NDArray[np.int64]]:
    keyed = together(table)
    column = _column(table, columns)
    newest: NDArray[np.int64] = np.maximum.reduceat(
        numbers(keyed.table[column]), keyed.borders[:-1]
    )
    return keyed, newest


def _column(table: pa.Table, columns: Sequence[str]) -> str:
    return next(name for name in columns if name in table.schema.names)
