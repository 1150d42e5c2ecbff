"""The window of one aggregate over the rows of a key, kept as buckets, in compiled code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import Aggregate
from windrow.algebra.numeric import INT
from windrow.approximate.compiled_approximate_amta import CompiledApproximateAmta
from windrow.approximate.families import catalogued
from windrow.approximate.method import Method
from windrow.columnar.inputs import read_inputs
from windrow.engines.intervals import IntervalColumn
from windrow.errors import AggregateError
from windrow.structures.base import Snapshot
from windrow.windows import TrailingRows, TrailingTime

__all__ = ["CompiledBucketWindow", "CompiledRows"]


@dataclass(frozen=True)
class CompiledRows:
    """Rows as columns of numbers."""

    columns: tuple[Any, ...]

    def __getitem__(self, rows: slice) -> "CompiledRows":
        return CompiledRows(tuple(column[rows] for column in self.columns))


class CompiledBucketWindow:
    """Trailing windows in buckets, key by key, as `BucketWindow`s are.

    Raises `AggregateError` for aggregates that only run in Python.
    """

    def __init__(
        self,
        aggregate: Aggregate[Any],
        methods: Sequence[Method],
        window: TrailingRows | TrailingTime,
        schema: pa.Schema,
    ) -> None:
        self.inputs = read_inputs(aggregate, schema)
        dtypes = self.inputs.dtypes()
        if dtypes is None:
            raise AggregateError(f"{aggregate!r} reads columns that are not numbers")
        self._timed = window.reach_us is not None
        self._at_most = window.reach_rows
        monoid = catalogued(aggregate).monoid
        self._kept = CompiledApproximateAmta(
            Aggregate(monoid, tuple(range(len(self.inputs.names)))),
            *methods,
            # Ties are resolved by the caller, not by the window.
            policy=None if window.reach_us is None else TrailingTime(window.reach_us),
            dtypes=dtypes or (INT,),
        )

    def read(self, rows: pa.Table, ticks: NDArray[np.int64]) -> CompiledRows:
        """Rows of any keys as `run` takes them; ticks are times that never go back in a key."""
        numbers, known = self.inputs.numbers(rows)
        columns = [np.ma.masked_array(n, ~known) if len(known) else n for n in numbers]
        # An aggregate that counts rows does not read their values.
        own = columns or [np.zeros(rows.num_rows, np.int64)]
        return CompiledRows((*own, ticks) if self._timed else tuple(own))

    def load(self, content: bytes | None) -> None:
        """Continue with what was dumped; None starts an empty window."""
        self._kept.load(content)

    def adopt(self, snapshot: Snapshot) -> None:
        """Continue with a window that `BucketWindow` kept."""
        self._kept.adopt(snapshot)

    def dump(self) -> bytes:
        """Everything that must be kept."""
        return self._kept.dump()

    def __len__(self) -> int:
        """How many rows the window holds, or about."""
        return len(self._kept)

    def run(self, rows: CompiledRows) -> IntervalColumn:
        """Put rows in one by one: the result after each."""
        found = self._kept.roll(*rows.columns, at_most=self._at_most)
        return IntervalColumn(*(end.tolist() for end in found))
