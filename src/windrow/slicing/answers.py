"""The answers of windows that end with a row, in the types that a query promises."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from windrow.aggregators.rolling.ordered import Typed
from windrow.slicing.definition import Definition
from windrow.slicing.state_types import typed

__all__ = ["promised", "with_answers"]


def promised(definition: Definition) -> Typed:
    """Python values as columns: Arrow would have to guess, and knows no filters or maps."""
    parts = zip(definition.aggregates, definition.results, strict=True)
    known = {name: (result, aggregate) for (name, aggregate), result in parts}
    return lambda name, values: typed(values, *known[name])


def with_answers(
    own: Sequence[Any], definition: Definition, answers: pa.Table, schema: pa.Schema
) -> pa.Table:
    """Columns that say which window it is, and beside them the answers in their final types."""
    columns: Sequence[pa.ChunkedArray] = [
        typed(answers[name], result, aggregate)
        for (name, aggregate), result in zip(definition.aggregates, definition.results, strict=True)
    ]
    return pa.table([*own, *columns], schema=schema)
