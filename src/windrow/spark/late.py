"""The rows that are in no window for want of a time, or because they came too late."""

from pyspark.sql import DataFrame

from windrow.spark.request import Request

__all__ = ["late"]


def late(request: Request) -> DataFrame:
    """A batch: rows without a time.  A stream: those, and rows behind the watermark."""
    if request.streaming:
        from windrow.spark.late_stream import late_rows

        return late_rows(request)
    return request.source.where(request.selected["t"].isNull())
