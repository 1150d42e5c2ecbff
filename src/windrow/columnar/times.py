"""Event times as they come, made into microseconds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.columns import Column, python_values, read_column
from windrow.errors import InputError
from windrow.windows.durations import MAX_US

__all__ = ["Times", "read_times"]

_UNIT_US = {"day": 86_400_000_000, "s": 1_000_000, "ms": 1_000}


@dataclass(frozen=True)
class Times:
    """The event time of each row, and the type in which results give times back."""

    microseconds: NDArray[np.int64]
    logical: pa.DataType

    def column(self) -> Column:
        """The times as an input of aggregates."""
        return Column(
            len(self.microseconds),
            lambda: python_values(pa.array(self.microseconds).cast(self.logical), "times"),
            self.microseconds,
            None,
            self.logical,
        )


def read_times(data: Any) -> Times:
    """Read timestamps of any unit, or whole numbers that are microseconds already."""
    column = read_column(data, "times")
    kind = column.logical
    if column.mask is not None:
        row = int(np.argmin(column.mask))
        raise InputError(f"times is null at row {row}; drop rows without a time first")
    if kind is not None and column.numbers is not None:
        if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            target = pa.timestamp("us", tz=getattr(kind, "tz", None))
            return Times(_microseconds(column.numbers, kind), target)
        if pa.types.is_integer(kind):
            return Times(column.numbers, pa.int64())
    if len(column) == 0:
        return Times(np.empty(0, np.int64), pa.int64())
    raise InputError(
        f"times has type {kind or 'object'}; give timestamps (datetime64, Arrow timestamps or "
        "datetime) or whole numbers of microseconds, all of one type"
    )


def _microseconds(numbers: NDArray[np.int64], kind: pa.DataType) -> NDArray[np.int64]:
    unit = "day" if pa.types.is_date32(kind) else getattr(kind, "unit", "ms")
    if unit == "ns":
        # Times below a microsecond are cut, so a window's border is never passed by less.
        return numbers // 1_000
    if unit == "us":
        return numbers
    factor = _UNIT_US[unit]
    most = MAX_US // factor
    over = np.flatnonzero((numbers > most) | (numbers < -most))  # the lowest has no absolute value
    if len(over):
        raise InputError(
            f"times at row {over[0]} is {numbers[over[0]]} {unit}, which does not fit 64 bits as "
            "microseconds; give times nearer to 1970"
        )
    return numbers * factor
