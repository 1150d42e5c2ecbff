"""What an engine is built from: windows, aggregates, and the columns of the rows it will see."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from windrow.aggregators.approximate.method import Method
from windrow.algebra.aggregate import Aggregate
from windrow.slicing.intervals import interval_type
from windrow.windows import Order, Window

__all__ = ["Definition"]


@dataclass(frozen=True)
class Definition:
    """A query without its data; the same in every process that works on it.

    Columns of rows have names of ours, so that a user's may have any: `k0`, `k1`, … make up the
    key, `t` is the event time in microseconds, `n` the arrival number, `v0`, … are what aggregates
    read, `m_start` and `m_end` mark the rows of punctuated windows, and `c0`, … are kept.
    """

    windows: tuple[tuple[str, Window], ...]  # one of any kind, or several aligned ones
    aggregates: tuple[tuple[str, Aggregate[Any]], ...]  # each reads "v0", …, or TIME
    schema: pa.Schema
    results: tuple[pa.DataType, ...]  # the type that each aggregate's result has
    order: Order = Order.TIME
    # For each aggregate how its rows share buckets; if there are none, windows keep what is exact.
    methods: tuple[tuple[Method, ...], ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that make up the key; none means that all rows belong together."""
        return self._numbered("k")

    def result_fields(self) -> list[pa.Field]:
        """The columns of results: aggregates by name, marked so that no key can be called alike."""
        names = (name for name, _ in self.aggregates)
        kinds = map(interval_type, self.results) if self.methods else self.results
        return [pa.field(f"r:{n}", kind) for n, kind in zip(names, kinds, strict=True)]

    def row_fields(self) -> list[pa.Field]:
        """The columns of results that come from the row itself, where each row has a result."""
        return [self.schema.field(name) for name in (*self.keys, "t", "n", *self._numbered("c"))]

    def _numbered(self, letter: str) -> tuple[str, ...]:
        return tuple(n for n in self.schema.names if n[0] == letter and n[1:].isdigit())
