"""Event time as Spark's stateful operator counts it: one watermark for each micro-batch.

Rows of a source are late once the watermark of their own micro-batch has reached them.  What
another stateful operator emits is given in the micro-batch whose watermark reaches it, so there the
watermark of the micro-batch before decides, as in Spark's own operators.  Spark does not tell it:
every bucket then has itself called in every micro-batch, by a row that `stateful.greeting` sends to
each and by a timer where there are no rows, and finds in its timer how far the watermark was.
"""

from enum import Enum

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.slicing.engine import NO_WATERMARK
from windrow.slicing.flow import Watermark

__all__ = ["UNKNOWN", "LateBy", "set_timer"]

UNKNOWN = -1  # a watermark


class LateBy(Enum):
    """Which watermark decides which rows of a micro-batch are late."""

    ITS_OWN = "its own"
    THE_ONE_BEFORE = "the one before"

    def watermark(self, timer_ms: int, now_ms: int) -> Watermark:
        """What a micro-batch knows of time, by its watermark and the timer of a bucket."""
        until = _first_after(now_ms)
        if self is LateBy.ITS_OWN or timer_ms == UNKNOWN:
            return Watermark(until, until)
        return Watermark(_first_after(timer_ms - 1), until)

    def timer(self, due_ms: int, now_ms: int) -> int:
        """When to call a bucket next that has nothing to do before a watermark.

        What is due already, as it is done little by little, comes with the next watermark: a timer
        that has rung is gone, and would not be set again were it the same.
        """
        if self is LateBy.THE_ONE_BEFORE:
            return now_ms + 1
        return UNKNOWN if due_ms == UNKNOWN else max(due_ms, now_ms + 1)


def set_timer(handle: StatefulProcessorHandle, before_ms: int, wanted_ms: int) -> None:
    """Have Spark call the current bucket at a watermark, in place of another one."""
    if before_ms == wanted_ms:
        return
    if before_ms != UNKNOWN:
        handle.deleteTimer(before_ms)
    if wanted_ms != UNKNOWN:
        handle.registerTimer(wanted_ms)


def _first_after(watermark_ms: int) -> int:
    """The first microsecond that a watermark has not reached; Spark's first one, 0, is none."""
    return watermark_ms * 1000 + 1 if watermark_ms > 0 else NO_WATERMARK
