"""Keys that fell silent: what is kept of them can be let go, if the user wants that.

Windows that time ends need none of this.  Windows of rows, of a policy or between marks wait for
their key's next row, which may never come.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import Keyed, numbers, together

__all__ = ["first_silence", "heard_since"]


def heard_since(table: pa.Table, column: str, before: int) -> pa.Table:
    """The rows of keys that were heard of at or after a time."""
    if numbers(table[column]).min(initial=before) >= before:
        return table  # everybody was heard of
    keyed, newest = _newest(table, column)
    heard = np.repeat(newest >= before, np.diff(keyed.borders))
    return table if heard.all() else keyed.table.filter(pa.array(heard))


def first_silence(table: pa.Table, column: str) -> int | None:
    """When the key was last heard of that has been silent for the longest."""
    return int(_newest(table, column)[1].min()) if table.num_rows else None


def _newest(table: pa.Table, column: str) -> tuple[Keyed, NDArray[np.int64]]:
    keyed = together(table)
    newest: NDArray[np.int64] = np.maximum.reduceat(
        numbers(keyed.table[column]), keyed.borders[:-1]
    )
    return keyed, newest
