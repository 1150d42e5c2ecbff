"""Event time as Spark's stateful operator counts it: one watermark for each micro-batch.

Rows of a source are late once the watermark of their own micro-batch has reached them.  What
another stateful operator emits is given in the micro-batch whose watermark reaches it, so there the
watermark of the micro-batch before decides, as in Spark's own operators.  Spark does not tell it:
every bucket writes down the watermark of each of its calls, and has itself called in every
micro-batch, by a row for each bucket that `stateful.greeting` sends and by a timer where there are
no rows.
"""

from enum import Enum

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.slicing.engine import NO_WATERMARK
from windrow.slicing.flow import Watermark

__all__ = ["UNKNOWN", "LateBy", "call_when_watermark_moves"]

UNKNOWN = -1  # the watermark of a micro-batch that a bucket was not called in


class LateBy(Enum):
    """Which watermark decides which rows of a micro-batch are late."""

    ITS_OWN = "its own"
    THE_ONE_BEFORE = "the one before"

    def watermark(self, before_ms: int, now_ms: int) -> Watermark:
        """What a micro-batch knows of time, by the watermark before it and its own."""
        known = self is LateBy.THE_ONE_BEFORE and before_ms != UNKNOWN
        return Watermark(_first_after(before_ms if known else now_ms), _first_after(now_ms))


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
