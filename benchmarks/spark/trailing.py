"""The trailing maximum as windrow and as Spark compute it, over rows or over time."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow import agg, window
from windrow.windows import Window

__all__ = ["by_rows", "by_time", "native_by_rows", "native_by_time", "segment_tree"]

_SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"


def by_rows(df: DataFrame, frame: int, key: str | None = "sensor") -> DataFrame:
    """Windrow's, over the last rows."""
    return _ours(df, window.trailing(rows=frame), key)


def by_time(df: DataFrame, width_us: int, key: str | None = "sensor") -> DataFrame:
    """Windrow's, over the last microseconds."""
    return _ours(df, window.trailing(f"{width_us} us"), key)


def _ours(df: DataFrame, trailing: Window, key: str | None) -> DataFrame:
    return wr.over(df, time="ts", by=key).window(trailing).aggregate(peak=agg.max("value"))


def native_by_rows(df: DataFrame, frame: int, key: str | None = "sensor") -> DataFrame:
    """Spark's, over as many rows."""
    return _native(df, f"ROWS BETWEEN {frame - 1} PRECEDING AND CURRENT ROW", key)


def native_by_time(df: DataFrame, width_us: int, key: str | None = "sensor") -> DataFrame:
    """Spark's, over as much time: its frames include the row that is just as old."""
    seconds = f"{(width_us - 1) / 1e6:.6f}"
    before = f"INTERVAL '{seconds}' SECOND PRECEDING"
    return _native(df, f"RANGE BETWEEN {before} AND CURRENT ROW", key)


def _native(df: DataFrame, frame: str, key: str | None) -> DataFrame:
    partition = "" if key is None else f"PARTITION BY {key} "
    peak = F.expr(f"max(value) OVER ({partition}ORDER BY ts {frame})").alias("peak")
    return df.select("ts", *([] if key is None else [key]), peak)


@contextmanager
def segment_tree() -> Iterator[None]:
    """Switch Spark's segment tree on; it is off by default."""
    conf = SparkSession.active().conf
    conf.set(_SEGMENT_TREE, "true")
    try:
        yield
    finally:
        conf.unset(_SEGMENT_TREE)
