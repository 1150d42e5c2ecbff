"""Counting rows as they pass: no pass of their own, and no copy."""

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from windrow.spark.columns import quoted

__all__ = ["count_batch", "count_stream"]


def count_batch(df: DataFrame, time: str | None = None) -> tuple[DataFrame, Observation]:
    """The same rows, and their number once they have been written; see `count_stream`."""
    observation = Observation()
    return df.observe(observation, *_counts(df, time)), observation


def count_stream(df: DataFrame, name: str, time: str | None = None) -> DataFrame:
    """The same rows; each micro-batch tells `rows`, and `untimed` ones, under this name."""
    return df.observe(name, *_counts(df, time))


def _counts(df: DataFrame, time: str | None) -> list[Column]:
    counts = {"rows": F.count(F.lit(1))}
    if time is not None:
        column = quoted(time) if time in df.columns else F.col(time)  # may be inside of a struct
        counts["untimed"] = F.count_if(column.isNull())
    return [count.alias(name) for name, count in counts.items()]
