"""Silent keys: their state is dropped after a while, if the user asks for it (`forget_after`).

Windows that end by time do not need this.  Windows of rows, policies and punctuated windows wait
for their key's next row, which may never come.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import Keyed, numbers, together

__all__ = ["first_silence", "heard_since"]


def heard_since(table: pa.Table, column: str, before: int) -> pa.Table:
    """The rows of keys whose last row is at or after a time."""
    if numbers(table[column]).min(initial=before) >= before:
        return table  # no key is silent
    keyed, newest = _newest(table, column)
    heard = np.repeat(newest >= before, np.diff(keyed.borders))
    return table if heard.all() else keyed.table.filter(pa.array(heard))


def first_silence(table: pa.Table, column: str) -> int | None:
    """The time of the last row of the key that has been silent for the longest."""
    return int(_newest(table, column)[1].min()) if table.num_rows else None


def _newest(table: pa.Table, column: str) -> tuple[Keyed, NDArray[np.int64]]:
    keyed = together(table)
    newest: NDArray[np.int64] = np.maximum.reduceat(
        numbers(keyed.table[column]), keyed.borders[:-1]
    )
    return keyed, newest
