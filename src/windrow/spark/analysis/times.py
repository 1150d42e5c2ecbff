"""Event times: one of Spark's three types outside, microseconds since 1970 inside.

A `timestamp` counts from 1970-01-01 00:00 UTC.  A `timestamp_ntz` has no zone and is counted as if
it were UTC, whatever the session's zone is.  A `date` becomes the timestamp of its midnight in the
session's zone, as in Spark's own windows.

Microseconds are 64 bits wide: the years -290,308 to 294,247.  A time that does not fit is an error
that shows it, whether Spark is in ANSI mode or not.
"""

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DateType, TimestampNTZType, TimestampType

from windrow.windows import Window

__all__ = [
    "bound_from_micros",
    "bound_type",
    "is_time",
    "shifted",
    "to_micros",
    "value_from_micros",
    "within_limits",
]

# Dates count days in 32 bits.  Of these the midnight is a timestamp, in whatever zone.
_MOST_DAYS = 106_751_989


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
        days = F.unix_date(time.cast(DateType())).cast("long")
        minutes = days * 1440 + F.hour(time) * 60 + F.minute(time)
        seconds = F.extract(F.lit("SECOND"), time)
        # In halves: the lowest minute begins before the lowest microsecond.
        half = minutes * 30_000_000
        return half + (seconds * 1_000_000).cast("long") + half
    if isinstance(kind, DateType):
        fits = F.abs(F.unix_date(time).cast("long")) <= _MOST_DAYS
        midnight = F.unix_micros(time.cast(TimestampType()))
        return _when(fits, midnight, time, "is not a timestamp; give dates up to the year 294246")
    return F.unix_micros(time)


def within_limits(us: Column, time: Column, windows: Iterable[Window]) -> Column:
    """Microseconds of event times; an error where a bound of a window would not fit 64 bits."""
    lowest, highest = zip(*(window.time_limits for window in windows), strict=True)
    fits = us.between(max(lowest), min(highest))
    return _when(
        fits, us, time, "is so far from 1970 that its windows have no bounds; drop such rows first"
    )


def _when(fits: Column, us: Column, time: Column, problem: str) -> Column:
    message = F.concat(F.lit("the time "), time.cast("string"), F.lit(f" {problem}"))
    refusal = F.raise_error(message).cast("long")
    return F.when(time.isNotNull(), F.when(fits, us).otherwise(refusal))


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
