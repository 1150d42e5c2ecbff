"""The answers of windows that end with a row, in the types that a query promises."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from windrow.columnar.results import typed
from windrow.engines.definition import Definition
from windrow.rolling.ordered import Typed

__all__ = ["promised", "side_by_side", "with_answers"]


def promised(definition: Definition) -> Typed:
    """Python values as columns of the promised types, which Arrow could not infer by itself."""
    parts = zip(definition.aggregates, definition.results, strict=True)
    known = {name: (result, aggregate) for (name, aggregate), result in parts}
    return lambda name, values: typed(values, *known[name])


def with_answers(
    own: Sequence[Any], definition: Definition, answers: Sequence[pa.Table], schema: pa.Schema
) -> pa.Table:
    """Columns that identify the window, followed by the answers in their final types.

    For several trailing windows there is a table of answers for each.
    """
    parts = list(zip(definition.aggregates, definition.results, strict=True))
    columns = [
        [typed(table[name], result, aggregate) for (name, aggregate), result in parts]
        for table in answers
    ]
    return pa.table([*own, *side_by_side(columns, definition)], schema=schema)


def side_by_side(
    windows: Sequence[Sequence[pa.Array | pa.ChunkedArray]], definition: Definition
) -> Sequence[pa.Array | pa.ChunkedArray]:
    """The columns of each window in the form that results have."""
    if not definition.side_by_side:
        (columns,) = windows
        return columns
    names = [name for name, _ in definition.aggregates]
    return [pa.StructArray.from_arrays([_whole(c) for c in own], names) for own in windows]


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
