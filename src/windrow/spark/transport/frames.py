"""Arrow tables as frames, which Spark's stateful operator takes for rows, without touching a value.

Spark makes Arrow of a frame again, column by column, and takes a column that is Arrow already as it
is.  Lists, maps and structs it would convert value by value before: columns of ours decline.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

__all__ = ["frames"]

_ROWS = 1 << 15  # that Spark reads while Python makes more


class _Column(pd.Series):
    """A column of Arrow that nothing needs to be applied to."""

    @property
    def _constructor(self) -> Any:
        return _Column

    def apply(self, *arguments: Any, **options: Any) -> Any:
        """The column itself."""
        return self


class _Frame(pd.DataFrame):
    """A frame of such columns."""

    @property
    def _constructor(self) -> Any:
        return _Frame

    @property
    def _constructor_sliced(self) -> Any:
        return _Column


def frames(table: pa.Table) -> Iterator[pd.DataFrame]:
    """The rows of a table, columns called by number: Spark takes them by place."""
    for batch in table.combine_chunks().to_batches(max_chunksize=_ROWS):
        columns = (pa.chunked_array([column]) for column in batch.columns)
        named = {place: pd.arrays.ArrowExtensionArray(own) for place, own in enumerate(columns)}
        yield _Frame(named, copy=False)
