"""Event time in Spark's stateful operator: one watermark for each micro-batch.

Rows of a source are late once the watermark of their own micro-batch has reached them.  Another
stateful operator emits a row in the micro-batch whose watermark reaches it, so for such rows the
previous micro-batch's watermark decides, as in Spark's own operators.  Spark does not report that
watermark.  So every key group is called in every micro-batch, by a sentinel row (`stateful`) or by
a timer, and its timer records the watermark of the previous call.

A row whose time equals the watermark is late.  This does not hold after other operators: Spark
closes a window when the watermark is at its end, and the time of a window is the microsecond before
its end.  If a window ends one microsecond after the watermark, its time equals the watermark, and
it comes in the next micro-batch.
"""

from enum import Enum

from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from windrow.engines.engine import NO_WATERMARK
from windrow.engines.flow import Watermark

__all__ = ["UNKNOWN", "LateBy", "set_timer"]

UNKNOWN = -1  # a watermark

_MILLISECOND = 1000  # in microseconds


class LateBy(Enum):
    """Which watermark decides which rows of a micro-batch are late."""

    ITS_OWN = "its own"
    # Rows at the watermark are emitted, since Spark's joins and deduplication would otherwise treat
    # the results as late; and rows at the previous watermark are accepted.
    THE_ONE_BEFORE = "the one before"
    # The same for windows that end by time: one that ends a microsecond after the watermark stays
    # open for the rows at the watermark, which come with the next micro-batch.
    THE_ONE_BEFORE_THE_END = "the one before the end"
    # Rows of a tree of nodes: its ticks are a whole millisecond behind what the tree has promised,
    # so no row of the watermark's own millisecond will come, nor any before it.
    OF_A_TREE = "that of a tree"

    @property
    def remembers(self) -> bool:
        """Whether the watermark of the previous micro-batch counts."""
        return self not in (LateBy.ITS_OWN, LateBy.OF_A_TREE)

    def watermark(self, timer_ms: int, now_ms: int) -> Watermark:
        """What a micro-batch knows about time, from its watermark and the timer of a key group."""
        until = _micros(now_ms, past=self._past)
        if not self.remembers or timer_ms == UNKNOWN:
            return Watermark(until, until)
        return Watermark(_micros(timer_ms - 1), until)

    def first(self, due: int) -> int:
        """The first watermark that has reached a time."""
        return -(-(due - (_MILLISECOND if self is LateBy.OF_A_TREE else 1)) // _MILLISECOND)

    @property
    def _past(self) -> int:
        """How many microseconds after the watermark all rows have come."""
        if self is LateBy.THE_ONE_BEFORE_THE_END:
            return 0
        return _MILLISECOND if self is LateBy.OF_A_TREE else 1

    def timer(self, due_ms: int, now_ms: int) -> int:
        """When to call a key group next that has nothing to do before a watermark.

        Work that is already due, because it is done in small portions, continues with the next
        watermark: a timer that has fired is gone, and the same timer would not be set again.
        """
        if self.remembers:
            return now_ms + 1
        return UNKNOWN if due_ms == UNKNOWN else max(due_ms, now_ms + 1)


def set_timer(handle: StatefulProcessorHandle, before_ms: int, wanted_ms: int) -> None:
    """Have Spark call the current key group at this watermark instead of an earlier choice."""
    if before_ms == wanted_ms:
        return
    if before_ms != UNKNOWN:
        handle.deleteTimer(before_ms)
    if wanted_ms != UNKNOWN:
        handle.registerTimer(wanted_ms)


def _micros(watermark_ms: int, past: int = 0) -> int:
    """A time this many microseconds after a watermark; Spark's initial watermark, 0, means none."""
    return watermark_ms * _MILLISECOND + past if watermark_ms > 0 else NO_WATERMARK
