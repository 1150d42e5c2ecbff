"""Event time as Spark's stateful operator counts it: one watermark for each micro-batch.

Spark tells Python the watermark of the current micro-batch, by which state is closed.  Rows are
late by the one before, which it keeps to itself: so every bucket writes down the watermark of each
of its calls, and has itself called in every micro-batch, by a row for each bucket that
`stateful.greeting` sends and by a timer where there are no rows.
"""

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.slicing.engine import NO_WATERMARK
from windrow.slicing.flow import Watermark

__all__ = ["UNKNOWN", "call_when_watermark_moves", "watermark_after"]

UNKNOWN = -1  # the watermark of a micro-batch that a bucket was not called in


def watermark_after(before_ms: int, now_ms: int) -> Watermark:
    """Between which times the rows lie that a micro-batch has to take."""
    until = _first_after(now_ms)
    return Watermark(until if before_ms == UNKNOWN else _first_after(before_ms), until)


def call_when_watermark_moves(handle: StatefulProcessorHandle, before_ms: int, now_ms: int) -> None:
    """Have Spark call the current bucket in the next micro-batch whose watermark is another."""
    if before_ms == now_ms:
        return  # the timer is set
    if before_ms != UNKNOWN:
        handle.deleteTimer(before_ms + 1)  # it would ring after the rows that are here already
    handle.registerTimer(now_ms + 1)


def _first_after(watermark_ms: int) -> int:
    """The first microsecond that a watermark has not reached; Spark's first one, 0, is none."""
    return watermark_ms * 1000 + 1 if watermark_ms > 0 else NO_WATERMARK
