"""The input of a roll: its columns by what an aggregate reads."""

from typing import Any

from windrow.aggregators.rolling.columns import Column, named_columns, read_column
from windrow.aggregators.rolling.task import Task
from windrow.aggregators.rolling.times import Times, read_times
from windrow.algebra.aggregate import TIME, Aggregate, Reads
from windrow.errors import InputError

__all__ = ["Source"]


class Source:
    """The input: its columns by what an aggregate reads."""

    def __init__(self, values: Any, times: Any) -> None:
        self._columns: dict[Any, Column] = {}
        self._named = named_columns(values)
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
                argument = f"values[{name!r}]"
                sized = column if hasattr(column, "__len__") else read_column(column, argument)
                lengths[argument] = len(sized)
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
                f"{aggregate!r} reads {aggregate.monoid.inputs}, but names no columns for them; "
                "give values={...} and name each column"
            )
        return Task(aggregate, tuple(self._column(column, aggregate) for column in reads))

    def _column(self, reads: Reads, aggregate: Aggregate[Any]) -> Column:
        if reads in self._columns:
            return self._columns[reads]
        if reads is TIME:
            raise InputError(f"times is missing; {aggregate!r} needs the time of each row")
        if self._named is None:
            raise InputError(
                f"{aggregate!r} reads column {reads!r}, but values is one column without a name; "
                f"give values={{{reads!r}: ...}}, or leave the name out"
            )
        if reads is None:
            raise InputError(
                f"{aggregate!r} names no column, but values has {sorted(map(str, self._named))}; "
                "name the column, as in agg.max('temp')"
            )
        if reads not in self._named:
            raise InputError(
                f"values has no column {reads!r}, which {aggregate!r} reads; "
                f"it has {sorted(map(str, self._named))}"
            )
        self._columns[reads] = read_column(self._named[reads], f"values[{reads!r}]")
        return self._columns[reads]
