"""Results of engines as the user knows them: the columns that the same query has on Spark."""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from windrow.columnar.arrays import whole
from windrow.engines.definition import Definition
from windrow.engines.names import Names, result_name

__all__ = ["Outcome"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """How results are named and typed."""

    definition: Definition
    names: Names
    time_type: pa.DataType
    exact: frozenset[str] = frozenset()  # results that are shown as intervals of no width

    def of(self, results: pa.Table) -> pa.Table:
        """Results with the user's columns."""
        columns: list[tuple[str, pa.Array]] = self._place(results)
        for at, name in enumerate(self.names.keys):
            columns.append((name, self._key(whole(results.column(f"k{at}")))))
        for at, name in enumerate(self.names.kept):
            columns.append((name, whole(results.column(f"c{at}"))))
        for name in self.names.results:
            found = whole(results.column(result_name(name)))
            columns.append((name, _as_exact(found) if name in self.exact else found))
        return pa.Table.from_arrays(
            [array for _, array in columns], names=[name for name, _ in columns]
        )

    def _place(self, results: pa.Table) -> list[tuple[str, pa.Array]]:
        """Which window a result belongs to, or which row."""
        window = self.definition.windows[0][1]  # all are of one shape
        if window.per_row:
            return [(self.names.time, self._time(results, "t"))]
        ends = [self._time(results, "start"), self._time(results, "end")]
        numbers = [whole(results.column(name)) for name in window.numbers]
        place = pa.StructArray.from_arrays([*ends, *numbers], ["start", "end", *window.numbers])
        found = [(self.names.window, place)]
        if self.definition.named:
            found.insert(0, (self.names.name, whole(results.column("name"))))
        return found

    def _time(self, results: pa.Table, name: str) -> pa.Array:
        return whole(results.column(name)).cast(pa.int64()).cast(self.time_type)

    def _key(self, key: pa.Array) -> pa.Array:
        """A key; -0.0 is the same key as 0.0, and shown as such unless a result is of one row."""
        if self.definition.windows[0][1].per_row or not pa.types.is_floating(key.type):
            return key
        zero = pa.scalar(0.0, key.type)
        return pc.if_else(pc.equal(key, zero), zero, key)


def _as_exact(result: pa.Array) -> pa.Array:
    """An interval of a result that is not approximate."""
    exact = pa.array([True]).take(pa.array([0] * len(result), pa.int64()))
    return pa.StructArray.from_arrays(
        [result, result, result, exact], ["value", "low", "high", "exact"]
    )
