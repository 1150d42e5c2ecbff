"""The event time of a DataFrame whose user has not named it."""

from pyspark.sql import DataFrame
from pyspark.sql.types import TimestampNTZType, TimestampType

from windrow.errors import InputError

__all__ = ["time_of"]


def time_of(df: DataFrame) -> str:
    """The one timestamp there is."""
    stamps = [
        field.name
        for field in df.schema
        if isinstance(field.dataType, TimestampType | TimestampNTZType)
    ]
    if len(stamps) == 1:
        return stamps[0]
    there = ", ".join(map(repr, stamps or df.columns)) or "none at all"
    kind = "several timestamps" if stamps else "no timestamp among its columns"
    raise InputError(
        f"time=None, but the DataFrame has {kind}: {there}; name the event time, e.g. "
        f'time="{stamps[0] if stamps else "ts"}"'
    )
