"""Strategy native: Spark's own aggregation, one group for each window and key."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from windrow.engines.names import result_name
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import spark_type
from windrow.spark.configure import choose_tasks
from windrow.spark.state.signature import marks, without_marks
from windrow.windows import Aligned, Window

__all__ = ["run"]


def run(request: Request) -> DataFrame:
    """Aligned windows and sessions with built-in aggregates."""
    rows = request.rows_with(stamp=request.stamp)  # of all windows, so that they count once
    if request.streaming:
        choose_tasks(rows.sparkSession)
    parts = [_run(request, rows, name, window) for name, window in request.windows]
    return reduce(DataFrame.unionByName, parts)


def _run(request: Request, rows: DataFrame, name: str, window: Window) -> DataFrame:
    grid = window.grid
    if grid is not None and grid.size_us <= grid.every_us and not request.streaming:
        return _on_the_grid(request, name, grid)
    grouped = rows.groupBy(_spans(window).alias("window"), *request.definition.keys)
    if request.streaming:
        signed = grouped.agg(*_results(request), *marks(request))
        return _placed(without_marks(signed), request, name)
    return _placed(grouped.agg(*_results(request)), request, name)


def _on_the_grid(request: Request, name: str, window: Aligned) -> DataFrame:
    """A batch with at most one window for each row: grouping by integers is cheapest."""
    since = F.pmod(F.col("t") - window.offset_us % window.every_us, F.lit(window.every_us))
    rows = request.rows
    if window.size_us < window.every_us:
        rows = rows.where(since < window.size_us)
    grouped = rows.groupBy((F.col("t") - since).alias("start"), *request.definition.keys)
    results = grouped.agg(*_results(request))
    return results.select(
        "*", (F.col("start") + window.size_us).alias("end"), *_named(request, name)
    )


def _spans(window: Window) -> Column:
    """Spark's own windows; durations in microseconds, which no calendar can stretch."""
    if window.silence_us is not None:
        return F.session_window("stamp", f"{window.silence_us} microseconds")
    grid = window.grid
    assert grid is not None
    size, every = f"{grid.size_us} microseconds", f"{grid.every_us} microseconds"
    offset = f"{grid.offset_us % grid.every_us} microseconds"
    return F.window("stamp", size, every, offset)


def _placed(results: DataFrame, request: Request, name: str) -> DataFrame:
    if request.streaming and isinstance(request.time_type, TimestampType):
        return results.select("*", *_named(request, name))  # Spark's column keeps its watermark
    bounds = [F.unix_micros(F.col(f"window.{side}")).alias(side) for side in ("start", "end")]
    return results.select("*", *bounds, *_named(request, name)).drop("window")


def _named(request: Request, name: str) -> list[Column]:
    return [F.lit(name).alias("name")] if request.definition.named else []


def _results(request: Request) -> list[Column]:
    definition = request.definition
    return [
        builtin.whole.cast(spark_type(kind)).alias(result_name(name))
        for (name, _), kind, builtin in zip(
            definition.aggregates, definition.results, request.all_builtins, strict=True
        )
    ]
