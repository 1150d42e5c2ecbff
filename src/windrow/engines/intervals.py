"""Results that are intervals: structs of a value, both ends, and whether it is exact."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algebra.numeric import NULL, OVERFLOW
from windrow.columnar.answers import Numbers
from windrow.columnar.inputs import Inputs
from windrow.columnar.results import typed
from windrow.errors import ResultOverflowError

__all__ = ["IntervalColumn", "interval_type"]


def interval_type(kind: pa.DataType) -> pa.DataType:
    """The type of intervals whose values and ends have this type.

    >>> print(interval_type(pa.int64()))
    struct<value: int64, low: int64, high: int64, exact: bool not null>
    """
    ends = [pa.field(name, kind) for name in ("value", "low", "high")]
    return pa.struct([*ends, pa.field("exact", pa.bool_(), nullable=False)])


@dataclass
class IntervalColumn:
    """The intervals of some rows, part by part."""

    values: list[Any] = field(default_factory=list)
    lows: list[Any] = field(default_factory=list)
    highs: list[Any] = field(default_factory=list)
    exacts: list[bool] = field(default_factory=list)

    def add(self, value: Any, low: Any, high: Any, exact: bool) -> None:  # noqa: FBT001
        """The interval of one row more."""
        self.values.append(value)
        self.lows.append(low)
        self.highs.append(high)
        self.exacts.append(exact)

    def extend(self, others: "IntervalColumn") -> None:
        """Those of other rows after these."""
        self.values += others.values
        self.lows += others.lows
        self.highs += others.highs
        self.exacts += others.exacts

    def column(self, inputs: Inputs, kind: pa.DataType) -> pa.Array:
        """All of them as a column, for an aggregate with these inputs and results of this type."""
        whole = interval_type(kind)
        ends = [_ends(end, inputs, kind) for end in (self.lows, self.highs)]
        exacts = pa.array(self.exacts, pa.bool_())
        columns = [_results(self.values, inputs, kind), *ends, exacts]
        return pa.StructArray.from_arrays(columns, fields=list(whole))


def _results(values: Sequence[Any], inputs: Inputs, kind: pa.DataType) -> pa.Array:
    numeric = inputs.numeric()
    if numeric is None:
        return typed(values, kind, inputs.aggregate)
    found = Numbers.of(values, numeric.result, inputs.logicals())
    found.require_fit(repr(inputs.aggregate))
    return typed(found.arrow(), kind, inputs.aggregate)


def _ends(values: Sequence[Any], inputs: Inputs, kind: pa.DataType) -> pa.Array:
    """The same, but null if an end does not fit the type: such an end says nothing."""
    numeric = inputs.numeric()
    if numeric is not None:
        found = Numbers.of(values, numeric.result, inputs.logicals())
        assert found.statuses is not None
        statuses = np.where(found.statuses == OVERFLOW, NULL, found.statuses)
        return typed(replace(found, statuses=statuses).arrow(), kind, inputs.aggregate)
    try:
        return typed(values, kind, inputs.aggregate)
    except ResultOverflowError:
        return pa.concat_arrays([_end(value, inputs, kind) for value in values])


def _end(value: Any, inputs: Inputs, kind: pa.DataType) -> pa.Array:
    try:
        return typed([value], kind, inputs.aggregate)
    except ResultOverflowError:
        return pa.nulls(1, kind)
