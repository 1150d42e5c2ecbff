"""The rows that are in no window for want of a time, or because they came too late."""

from pyspark.sql import DataFrame

from windrow.planning import Strategy
from windrow.spark.clock import LateBy
from windrow.spark.request import Request

__all__ = ["late"]


def late(request: Request, strategy: Strategy) -> DataFrame:
    """A batch: rows without a time.  A stream: those, and rows that the watermark has reached."""
    if request.streaming:
        from windrow.spark.late_stream import late_rows

        by_spark = strategy is Strategy.NATIVE
        return late_rows(request, LateBy.THE_ONE_BEFORE if by_spark else request.late_by)
    return request.source.where(request.selected["t"].isNull())
