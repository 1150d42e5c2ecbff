"""Event time as Spark's stateful operator counts it: one watermark for each micro-batch.

Rows of a source are late once the watermark of their own micro-batch has reached them.  What
another stateful operator emits is given in the micro-batch whose watermark reaches it, so there the
watermark of the micro-batch before decides, as in Spark's own operators.  Spark does not tell it:
every key group then has itself called in every micro-batch, by a row that `stateful.sentinel` sends
to each and by a timer where there are no rows, and finds in its timer how far the watermark was.

A watermark has reached its own microsecond, so a row at it is late.  Not so behind other operators:
Spark closes a window when the watermark is at its end, and the time of a window is the microsecond
before.  Of a window that ends one microsecond behind the watermark, the time is that watermark, and
it comes in the next micro-batch.
"""

from enum import Enum

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.engines.engine import NO_WATERMARK
from windrow.engines.flow import Watermark

__all__ = ["UNKNOWN", "LateBy", "set_timer"]

UNKNOWN = -1  # a watermark


class LateBy(Enum):
    """Which watermark decides which rows of a micro-batch are late."""

    ITS_OWN = "its own"
    # Rows at the watermark are answered, lest Spark's joins and deduplication take answers for
    # late, and rows at the watermark before are taken.
    THE_ONE_BEFORE = "the one before"
    # The same where time ends windows: one that ends a microsecond behind the watermark stays open
    # for the rows at it that come with the next.
    THE_ONE_BEFORE_THE_END = "the one before the end"

    def watermark(self, timer_ms: int, now_ms: int) -> Watermark:
        """What a micro-batch knows of time, by its watermark and the timer of a key group."""
        until = _micros(now_ms, past=0 if self is LateBy.THE_ONE_BEFORE_THE_END else 1)
        if self is LateBy.ITS_OWN or timer_ms == UNKNOWN:
            return Watermark(until, until)
        return Watermark(_micros(timer_ms - 1), until)

    def timer(self, due_ms: int, now_ms: int) -> int:
        """When to call a key group next that has nothing to do before a watermark.

        What is due already, as it is done little by little, comes with the next watermark: a timer
        that has rung is gone, and would not be set again were it the same.
        """
        if self is not LateBy.ITS_OWN:
            return now_ms + 1
        return UNKNOWN if due_ms == UNKNOWN else max(due_ms, now_ms + 1)


def set_timer(handle: StatefulProcessorHandle, before_ms: int, wanted_ms: int) -> None:
    """Have Spark call the current key group at a watermark, in place of another one."""
    if before_ms == wanted_ms:
        return
    if before_ms != UNKNOWN:
        handle.deleteTimer(before_ms)
    if wanted_ms != UNKNOWN:
        handle.registerTimer(wanted_ms)


def _micros(watermark_ms: int, past: int = 0) -> int:
    """So many microseconds past a watermark; Spark's first one, 0, is none."""
    return watermark_ms * 1000 + past if watermark_ms > 0 else NO_WATERMARK
