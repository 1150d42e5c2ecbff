"""One aggregate's states as Arrow columns: folded from rows, merged, lowered, windowed.

    rows ─ fold ─▶ states ─ merge ─▶ states ─ lower ─▶ results
                          └ over ────────────────────▶ results

Aggregates that are numbers have a column for each number of a state, and compiled loops
(number_states.py).  All others have one column of encoded states: of quantiles, sorted runs that
windows select from (quantile_states.py); of distinct counts, sets that windows count
(set_states.py); of all else, objects that are combined (object_states.py).  Which it is depends
only on types, never on the data at hand, so whatever is kept of an aggregate always has the same
schema.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.lookup import registered
from windrow.algebra.monoid import CountDifferent, PickQuantile
from windrow.algebra.numeric import FLOAT, INT
from windrow.columnar.inputs import Inputs, read_inputs
from windrow.columnar.number_states import NumberStates
from windrow.columnar.object_states import ObjectStates
from windrow.columnar.quantile_states import NumberQuantiles, ValueQuantiles
from windrow.columnar.set_states import SetStates
from windrow.columnar.spans import Spans

__all__ = ["Summary"]

Borders = NDArray[np.int64]


def _is_small(aggregate: Aggregate[Any]) -> bool:
    """Whether object states are known to be small: those of users' monoids are not."""
    entry = registered().get(aggregate.monoid.name)
    return entry is not None and not entry.bulky and not aggregate.monoid.changing


def _interpreted(inputs: Inputs) -> ObjectStates:
    """States without a numeric form, those of multisets as what they are."""
    form = inputs.aggregate.monoid.multiset
    if isinstance(form, PickQuantile):
        dtypes = inputs.dtypes()
        if dtypes in ((FLOAT,), (INT,)):
            return NumberQuantiles(inputs, dtypes[0])
        return ValueQuantiles(inputs)
    return SetStates(inputs) if isinstance(form, CountDifferent) else ObjectStates(inputs)


class _States(Protocol):
    """How the states of one aggregate are kept and computed."""

    types: tuple[pa.DataType, ...]

    def fold(self, rows: pa.Table, borders: Borders) -> list[pa.Array]: ...

    def merge(self, states: Sequence[pa.Array], borders: Borders) -> list[pa.Array]: ...

    def lower(self, states: Sequence[pa.Array], result: pa.DataType) -> pa.Array: ...

    def over(self, states: Sequence[pa.Array], spans: Spans, result: pa.DataType) -> pa.Array: ...


class Summary:
    """The states of one aggregate over rows of one schema.

    Borders cut rows or states into segments: segment s is [borders[s], borders[s + 1]).

    >>> from windrow import agg
    >>> rows = pa.table({"v0": [3.0, None, 5.0, 1.0]})
    >>> peak = Summary(agg.max("v0"), "peak", rows.schema, pa.float64())
    >>> states = peak.fold(rows, np.array([0, 1, 2, 4]))
    >>> peak.lower(peak.merge(states, np.array([0, 2, 3]))).to_pylist()
    [3.0, 5.0]
    """

    def __init__(
        self, aggregate: Aggregate[Any], name: str, schema: pa.Schema, result: pa.DataType
    ) -> None:
        inputs = read_inputs(aggregate, schema)
        numeric = inputs.numeric()
        self._states: _States = (
            _interpreted(inputs) if numeric is None else NumberStates(inputs, numeric)
        )
        self._result = result
        #: The columns of a state; a null in the first means the identity: nothing was seen.
        self.fields: tuple[pa.Field, ...] = tuple(
            pa.field(f"{name}.{k}", kind) for k, kind in enumerate(self._states.types)
        )
        #: The columns of rows that `fold` reads.
        self.reads = inputs.names
        self.commutative: bool = aggregate.monoid.commutative
        #: Whether a state is a few values at most, so that many may be kept beside their rows.
        self.small = numeric is not None or _is_small(aggregate)
        #: The states themselves, if they are numbers.
        self.numbers = self._states if isinstance(self._states, NumberStates) else None

    def fold(self, rows: pa.Table, borders: Borders) -> list[pa.Array]:
        """Lift the rows and fold each segment in order: one state for each segment."""
        return self._states.fold(rows, borders)

    def merge(self, states: Sequence[pa.Array], borders: Borders) -> list[pa.Array]:
        """Combine the states of each segment, older first: one state for each segment."""
        return self._states.merge(states, borders)

    def lower(self, states: Sequence[pa.Array]) -> pa.Array:
        """The result of each state."""
        return self._states.lower(states, self._result)

    def over(self, states: Sequence[pa.Array], spans: Spans) -> pa.Array:
        """The result of each window over these states."""
        return self._states.over(states, spans, self._result)
