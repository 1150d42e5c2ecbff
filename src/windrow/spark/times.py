"""Event times: Spark's three types of them outside, microseconds since 1970 inside.

A `timestamp` counts from 1970-01-01 00:00 UTC.  A `timestamp_ntz` has no zone and is counted as if
it were UTC, whatever the session's zone is.  A `date` becomes the timestamp of its midnight in the
session's zone, as in Spark's own windows.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DateType, TimestampNTZType, TimestampType

__all__ = [
    "bound_from_micros",
    "bound_type",
    "is_time",
    "shifted",
    "to_micros",
    "value_from_micros",
]


def is_time(kind: DataType) -> bool:
    """Whether columns of this type can be event times."""
    return isinstance(kind, TimestampType | TimestampNTZType | DateType)


def bound_type(kind: DataType) -> DataType:
    """The type that bounds of windows have over event times of this type."""
    return TimestampType() if isinstance(kind, DateType) else kind


def to_micros(time: Column, kind: DataType) -> Column:
    """Event times as microseconds."""
    if isinstance(kind, TimestampNTZType):
        # By its parts: Spark's functions of two timestamps pass through the session's zone, which
        # has no half past two where summer time begins.
        minutes = F.unix_date(time.cast(DateType())) * 1440 + F.hour(time) * 60 + F.minute(time)
        seconds = F.extract(F.lit("SECOND"), time)
        return minutes.cast("long") * 60_000_000 + (seconds * 1_000_000).cast("long")
    if isinstance(kind, DateType):
        time = time.cast(TimestampType())
    return F.unix_micros(time)


def bound_from_micros(us: Column, kind: DataType) -> Column:
    """The bound of a window, in the type of `bound_type`."""
    if isinstance(kind, TimestampNTZType):
        return F.timestamp_add("MICROSECOND", us, _epoch())
    return F.timestamp_micros(us)


def value_from_micros(us: Column, kind: DataType) -> Column:
    """The event time itself, in its own type."""
    return bound_from_micros(us, kind).cast(kind)


def shifted(time: Column, kind: DataType, us: int) -> Column:
    """A time some microseconds later, in the type of `bound_type`."""
    return bound_from_micros(to_micros(time, kind) + us, kind)


def _epoch() -> Column:
    return F.expr("timestamp_ntz'1970-01-01'")
