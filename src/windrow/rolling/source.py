"""The input of a roll: its columns by what an aggregate reads."""

from contextlib import suppress
from typing import Any

import pyarrow as pa

from windrow.algebra.aggregate import TIME, Aggregate, Reads
from windrow.arguments import shown
from windrow.columnar.accepted import Wanted, wanted_by
from windrow.columnar.columns import Column, named_columns, read_column
from windrow.columnar.task import Task
from windrow.columnar.times import Times, read_times
from windrow.errors import InputError

__all__ = ["Source", "named_input"]


class Source:
    """The input: its columns by what an aggregate reads."""

    def __init__(self, values: Any, times: Any) -> None:
        self._columns: dict[Any, Column] = {}
        self._named = named_columns(values, "values")
        if self._named is None:
            self._columns[None] = read_column(values, "values")
        self.times: Times | None = None if times is None else read_times(times)
        if self.times is not None:
            self._columns[TIME] = self.times.column()
        self.length = self._common_length()

    def _common_length(self) -> int:
        lengths = {"values" if key is None else "times": len(c) for key, c in self._columns.items()}
        if self._named is not None:
            for name, column in self._named.items():
                lengths[f"values[{shown(name)}]"] = _length(column, f"values[{shown(name)}]")
        if not lengths:
            raise InputError("values names no column; give at least one")
        (first, length), *others = lengths.items()
        for argument, other in others:
            if other != length:
                raise InputError(
                    f"{argument} has {other} rows, but {first} has {length}; all must be as long"
                )
        return length

    def task(self, aggregate: Any) -> Task:
        """An aggregate with the columns it reads; an input called time needs no column."""
        inputs = zip(aggregate.monoid.inputs, aggregate.columns, strict=True)
        reads = [TIME if name == "time" and column is None else column for name, column in inputs]
        if reads.count(None) > 1:
            raise InputError(
                f"{shown(aggregate)} reads {aggregate.monoid.inputs}, but names no columns for "
                "them; give values={...} and name each column"
            )
        columns = tuple(self._column(column, aggregate) for column in reads)
        for read, column, wanted in zip(reads, columns, wanted_by(aggregate), strict=True):
            if wanted is not None:
                _require_wanted(wanted, column, named_input(read), aggregate)
        return Task(aggregate, columns)

    def _column(self, reads: Reads, aggregate: Aggregate[Any]) -> Column:
        with suppress(TypeError):  # what has no hash names no column
            if reads in self._columns:
                return self._columns[reads]
        if reads is TIME:
            raise InputError(
                f"times is missing; {shown(aggregate)} needs the time of each row, times=..."
            )
        if self._named is None:
            raise InputError(
                f"{shown(aggregate)} reads column {shown(reads)}, but values is one column without "
                f"a name; give values={{{shown(reads)}: ...}}, or leave the name out"
            )
        if reads is None:
            raise InputError(
                f"{shown(aggregate)} names no column, but values has "
                f"{sorted(map(_called, self._named))}; name the column, as in agg.max('temp')"
            )
        if not self._has(reads):
            raise InputError(
                f"values has no column {shown(reads)}, which {shown(aggregate)} reads; "
                f"name one of {sorted(map(_called, self._named))}"
            )
        self._columns[reads] = read_column(self._named[reads], named_input(reads))
        return self._columns[reads]

    def _has(self, name: object) -> bool:
        try:
            return self._named is not None and name in self._named
        except TypeError:  # it has no hash
            return False


def named_input(reads: Reads) -> str:
    """What messages call the column that an aggregate reads."""
    if reads is TIME:
        return "times"
    return "values" if reads is None else f"values[{shown(reads)}]"


def _length(column: Any, argument: str) -> int:
    try:
        return len(column)
    except TypeError:
        return len(read_column(column, argument))


def _require_wanted(
    wanted: Wanted, column: Column, argument: str, aggregate: Aggregate[Any]
) -> None:
    """Refuse a column that the aggregate makes no sense of."""
    kind = column.logical
    if kind is not None:
        if wanted.fits(kind) or pa.types.is_null(kind):
            return
        found = f"is of type {kind}"
    else:
        values = (value for value in column.objects() if value is not None)
        odd = next((value for value in values if not wanted.holds(value)), None)
        if odd is None:
            return
        found = f"has {shown(odd)}, a {type(odd).__name__}"
    raise InputError(
        f"{argument} {found}, and {shown(aggregate)} takes {wanted.words}; "
        "convert the column first, or choose another aggregate"
    )


def _called(name: object) -> str:
    return name if isinstance(name, str) else shown(name)
