"""Results that are exact where others are intervals."""

from pyspark.sql import Column
from pyspark.sql import functions as F

__all__ = ["as_exact"]


def as_exact(result: Column) -> Column:
    """An interval of a result that is not approximate."""
    ends = [result.alias(name) for name in ("value", "low", "high")]
    return F.struct(*ends, F.lit(True).alias("exact"))
