"""What an engine is built from: windows, aggregates, and the columns of the rows it will see."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from windrow.algebra.aggregate import Aggregate
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

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that make up the key; none means that all rows belong together."""
        return self._numbered("k")

    def result_fields(self) -> list[pa.Field]:
        """The columns of results: aggregates by name, marked so that no key can be called alike."""
        names = (name for name, _ in self.aggregates)
        return [pa.field(f"r:{n}", kind) for n, kind in zip(names, self.results, strict=True)]

    def _numbered(self, letter: str) -> tuple[str, ...]:
        return tuple(n for n in self.schema.names if n[0] == letter and n[1:].isdigit())
