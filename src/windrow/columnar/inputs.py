"""What an aggregate reads of rows of one schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra.aggregate import TIME, Aggregate
from windrow.algebra.numeric import Dtypes, Numeric
from windrow.columnar.arrays import NONE_MISSING, dtype_of, known_of, numbers_of, whole
from windrow.columnar.columns import Column, read_column
from windrow.columnar.task import Task, numeric_form, reads_measures
from windrow.columnar.times import Times
from windrow.errors import InputError

__all__ = ["TIME_TYPE", "Inputs", "plain_type", "read_inputs", "reads_time"]

# The event time is a column of microseconds; results that are times are moments.
TIME_COLUMN: Final = "t"
TIME_TYPE: Final = pa.timestamp("us", tz="UTC")


@dataclass(frozen=True)
class Inputs:
    """An aggregate, and for each of its inputs a column by name."""

    aggregate: Aggregate[Any]
    names: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    times: tuple[bool, ...]  # which of them are the event time
    nulls: tuple[bool, ...]  # which of them count for something where they are null

    def numeric(self) -> Numeric | None:
        """The numeric form for columns of these types, if there is one."""
        dtypes = self.dtypes()
        return None if dtypes is None else numeric_form(self.aggregate, dtypes, self.types)

    def dtypes(self) -> Dtypes | None:
        """The columns as kernels would see them, if they would."""
        dtypes = []
        for kind, nulls in zip(self.types, self.nulls, strict=True):
            dtype = dtype_of(kind)
            # A null that does not skip its row would have to be a state, which numbers cannot be.
            if dtype is None or nulls:
                return None
            dtypes.append(dtype)
        return tuple(dtypes)

    def numbers(self, rows: pa.Table) -> tuple[tuple[NDArray[Any], ...], NDArray[np.bool_]]:
        """The columns for kernels, and which rows count: nothing at all where all do."""
        arrays = [whole(rows.column(name)) for name in self.names]
        known = NONE_MISSING
        for array in arrays:
            own = known_of(array)
            if len(own):
                known = known & own if len(known) else own
        known.flags.writeable = False
        return tuple(map(numbers_of, arrays)), known

    def objects(self, rows: pa.Table) -> list[Sequence[Any]]:
        """The columns as Python values, the same that a roll over them would see."""
        measures = reads_measures(self.aggregate)
        columns = [self._column(rows, place) for place in range(len(self.names))]
        return [column.plain_numbers() if measures else column.objects() for column in columns]

    def plain(self, rows: pa.Table) -> list[Sequence[Any]]:
        """The columns as Python values; numbers, as far as kernels would see them as such."""
        columns = [self._column(rows, place) for place in range(len(self.names))]
        if self.numeric() is not None:
            return [column.plain_numbers() for column in columns]
        # What decides among rows is only compared: a number does as well as a time.
        return [
            column.plain_numbers() if name == "by" else own
            for name, column, own in zip(
                self.aggregate.monoid.inputs, columns, self.objects(rows), strict=True
            )
        ]

    def numbers_alone(self, rows: pa.Table) -> list[Sequence[Any]]:
        """The columns as the predicates of a policy see them: as numbers, where they have any."""
        return [self._column(rows, place).plain_numbers() for place in range(len(self.names))]

    def logicals(self) -> dict[str, pa.DataType | None]:
        """The logical types that results can inherit."""
        columns = tuple(
            Column(0, list, logical=TIME_TYPE if times else kind)
            for kind, times in zip(self.types, self.times, strict=True)
        )
        return Task(self.aggregate, columns).logicals()

    def _column(self, rows: pa.Table, place: int) -> Column:
        name = self.names[place]
        if self.times[place]:
            return Times(numbers_of(whole(rows.column(name))), TIME_TYPE).column()
        return read_column(rows.column(name), name)


def reads_time(aggregate: Aggregate[Any]) -> tuple[bool, ...]:
    """Which inputs are the event time; one that is called time needs no column."""
    inputs = zip(aggregate.monoid.inputs, aggregate.columns, strict=True)
    return tuple(column is TIME or (name == "time" and column is None) for name, column in inputs)


def read_inputs(aggregate: Aggregate[Any], schema: pa.Schema) -> Inputs:
    """Find the columns of an aggregate in a schema."""
    times = reads_time(aggregate)
    names = tuple(
        TIME_COLUMN if time else column
        for column, time in zip(aggregate.columns, times, strict=True)
    )
    for name in names:
        if name not in schema.names:
            raise InputError(
                f"{aggregate!r} reads column {name!r}, which the rows do not have; "
                f"they have {schema.names}"
            )
    fields = [schema.field(name) for name in names]
    nullable: frozenset[str] = aggregate.monoid.nullable
    nulls = tuple(
        own in nullable and field.nullable
        for own, field in zip(aggregate.monoid.inputs, fields, strict=True)
    )
    return Inputs(aggregate, names, tuple(plain_type(field.type) for field in fields), times, nulls)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type of a column's values, of which a dictionary has each only once."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind
