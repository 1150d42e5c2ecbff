"""What an engine is built from: windows, aggregates, and the columns of the rows it will see."""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from windrow.algebra.aggregate import Aggregate
from windrow.approximate.method import Method
from windrow.engines.intervals import interval_type
from windrow.windows import Order, Reach, Trailing, TrailingRows, TrailingTime, Window

__all__ = ["Definition"]


@dataclass(frozen=True)
class Definition:
    """A query without its data; the same in every process that works on it.

    Columns have internal names, so that users' columns may have any name: `k0`, `k1`, … make up the
    key, `t` is the event time in microseconds, `n` the arrival number, `v0`, … are what aggregates
    read, `m_start` and `m_end` mark the rows of punctuated windows, and `c0`, … are kept columns.
    """

    windows: tuple[tuple[str, Window], ...]  # by name, all of one shape; one may have none: ""
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

    @property
    def trailing(self) -> list[Trailing]:
        """The windows, if they are trailing; else none."""
        return [w for _, w in self.windows if isinstance(w, TrailingTime | TrailingRows)]

    @property
    def reach(self) -> Reach:
        """How far back windows reach, if that is known in advance."""
        return Reach.of(window for _, window in self.windows)

    @property
    def context(self) -> Reach | None:
        """How far before a cut in time the rows of windows behind it may lie; None: anywhere."""
        windows = [window for _, window in self.windows]
        grids = [grid for window in windows if (grid := window.grid) is not None]
        if grids:
            return Reach(time_us=max(grid.size_us for grid in grids))
        if windows[0].silence_us is not None:
            return Reach()  # sessions are cut anywhere, and put together again
        spans = [window.span_rows for window in windows]
        if not windows[0].per_row and None not in spans:
            return Reach(rows=max(rows for rows in spans if rows) - 1)
        return self.reach if windows[0].bounded and not self.methods else None

    @property
    def named(self) -> bool:
        """Whether windows have names in the result."""
        return bool(self.windows[0][0])

    @property
    def side_by_side(self) -> bool:
        """Whether a result row has a struct for each window; else it belongs to one window."""
        return self.named and self.windows[0][1].per_row

    def name_fields(self) -> list[pa.Field]:
        """The column with the name of a result's window; none if a row has all windows."""
        return [pa.field("name", pa.string())] if self.named and not self.side_by_side else []

    def result_fields(self) -> list[pa.Field]:
        """The columns of results: aggregates by name, marked so that no key can be called alike."""
        names = (name for name, _ in self.aggregates)
        kinds = map(interval_type, self.results) if self.methods else self.results
        fields = [pa.field(name, kind) for name, kind in zip(names, kinds, strict=True)]
        if self.side_by_side:
            fields = [pa.field(name, pa.struct(fields)) for name, _ in self.windows]
        return [field.with_name(f"r:{field.name}") for field in fields]

    def row_fields(self) -> list[pa.Field]:
        """The columns of results that come from the row itself, where each row has a result."""
        return [self.schema.field(name) for name in (*self.keys, "t", "n", *self._numbered("c"))]

    def _numbered(self, letter: str) -> tuple[str, ...]:
        return tuple(n for n in self.schema.names if n[0] == letter and n[1:].isdigit())
