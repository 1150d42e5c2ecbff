"""From what users ask for to a definition: columns get internal names, and types are checked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import pyarrow as pa

from windrow.algebra.aggregate import TIME, Aggregate
from windrow.algebra.codec import require_codec
from windrow.algebra.registry import Takes
from windrow.columnar.accepted import require_accepted
from windrow.columnar.inputs import read_inputs
from windrow.columnar.result_types import result_type
from windrow.engines.definition import Definition
from windrow.engines.names import Shown
from windrow.windows import Order, Window

__all__ = ["Asked", "Renaming", "definition_of", "is_there"]


class Asked(Protocol):
    """The columns that a query reads, each under an internal name."""

    def add(self, letter: str, what: Any, argument: str) -> str:
        """Request a column; requesting the same one again returns the same name."""

    def add_as(self, name: str, what: Any, argument: str) -> None:
        """Request a column under exactly this name."""


@dataclass(frozen=True)
class Renaming:
    """Aggregates and windows rewritten to read columns under our names."""

    asked: Asked
    time: Any
    zoned: bool  # whether the event time is a moment of UTC, as TIME is

    def aggregate(self, name: str, aggregate: Aggregate[Any]) -> Aggregate[Any]:
        """The aggregate that a result or a predicate is called by."""
        return replace(
            aggregate, columns=tuple(self._column(column, name) for column in aggregate.columns)
        )

    def window(self, window: Window) -> Window:
        """The window, whose marks and watched aggregates are columns too."""
        return window.reading(self._marker, self.aggregate)

    def _marker(self, role: str, marker: Any) -> Shown:
        self.asked.add_as(f"m_{role}", marker, role)
        return Shown(f"m_{role}", repr(marker))

    def _column(self, column: Any, name: str) -> Any:
        if column is TIME and not self.zoned:
            column = self.time  # a column like any other, so that results have its type
        return column if column is TIME else Shown(self.asked.add("v", column, name), repr(column))


def is_there(column: Any, shown: Iterable[Any], columns: Iterable[str]) -> bool:
    """Whether a column to keep is in the result anyway: as its time or key, in any case."""
    there = [name for name in shown if isinstance(name, str)]
    if not isinstance(column, str) or column in there:
        return isinstance(column, str)
    folded = (name.casefold() for name in there)
    return column not in columns and column.casefold() in folded


def definition_of(
    windows: tuple[tuple[str, Window], ...],
    aggregates: tuple[tuple[str, Aggregate[Any]], ...],
    schema: pa.Schema,
    order: Order,
    ways_out: Mapping[Takes, str],
) -> Definition:
    """The definition of a query; refuses columns that an aggregate does not take.

    `ways_out` say how a user gives it columns of the kind that it takes.
    """
    watched = [part for _, window in windows for part in window.watched]
    for name, part in (*aggregates, *watched):
        require_accepted(name, part, _types(part, schema), repr(part), ways_out)
        if read_inputs(part, schema).numeric() is None:
            require_codec(part.monoid)
    results = tuple(result_type(part, _types(part, schema)) for _, part in aggregates)
    return Definition(windows, aggregates, schema, results, order)


def _types(aggregate: Aggregate[Any], schema: pa.Schema) -> list[pa.DataType]:
    return [schema.field("t" if c is TIME else c).type for c in aggregate.columns]
