"""The event time of results: which of their columns carries the watermark to the next operator.

Spark recognises an event-time column by its metadata.  The watermark passes through every operator,
as long as none emits a row that the watermark had already reached.  So results carry it if they are
emitted once, in the micro-batch whose watermark reaches their time.
"""

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column
from pyspark.sql.types import DataType, StructField, StructType, TimestampType

from windrow.spark.analysis.times import bound_type, is_time, shifted
from windrow.windows import Emit, Order, Window

__all__ = ["Carried", "carried_by", "carrying", "delay_of", "no_watermark", "window_time"]

# Spark's own names: of the delay behind the latest time, and of windows by kind.
_DELAY = "spark.watermarkDelayMs"
_TIME_WINDOW = "spark.timeWindow"
_SESSION_WINDOW = "spark.sessionWindow"
# Ours: the delay where Spark's own operators take no watermark, as of a timestamp_ntz; and why
# there is none.
_OUR_DELAY = "windrow/watermarkDelayMs"
_REASON = "windrow/noWatermark"


@dataclass(frozen=True)
class Carried:
    """The metadata of a result's window or time: of the column, and of the field with its end."""

    column: dict[str, Any]
    end: dict[str, Any]


def carried_by(
    windows: tuple[tuple[str, Window], ...],
    kind: DataType,
    lateness_ms: int | None,
    emit: Emit,
    order: Order,
) -> Carried:
    """The event-time metadata of results; `lateness_ms` is None if there is no watermark."""
    window = windows[0][1]
    known = {_TIME_WINDOW: window.grid, _SESSION_WINDOW: window.silence_us}
    own = {name: True for name, found in known.items() if found is not None}
    if lateness_ms is None and emit is not Emit.ON_CHANGE:
        return Carried(own, {})  # the next query may set a watermark
    reason = _obstacle(window, emit, order)
    if reason is not None:
        return Carried({**own, _REASON: reason}, {_REASON: reason})
    delay: dict[str, Any] = {_OUR_DELAY: lateness_ms}
    if isinstance(bound_type(kind), TimestampType):
        delay[_DELAY] = lateness_ms
    return Carried({**own, **delay}, delay)


def _obstacle(window: Window, emit: Emit, order: Order) -> str | None:
    """Why results may be emitted long after the watermark reaches them; None if they are not."""
    if emit is Emit.ON_CHANGE:
        return "its results are emitted on every change; use emit='on_close'"
    if order is Order.ARRIVAL and window.grid is None:
        return "it applies rows as they arrive, in any order of time; use order='time'"
    if window.ended_by_next_row:
        return (
            "a window ended by the next start is emitted long after its last row; mark its end "
            "with window.punctuated(end=...)"
        )
    return None


def delay_of(field: StructField) -> int | None:
    """How far the watermark of a column is behind its latest time, in milliseconds, if it has one.

    A window has that of its results.
    """
    found = field.metadata.get(_DELAY, field.metadata.get(_OUR_DELAY))
    return None if found is None else int(found)


def carrying(stamp: Column, delay_ms: int) -> Column:
    """A timestamp as Spark's own operators take it for the event time."""
    return stamp.alias("stamp", metadata={_DELAY: delay_ms})


def no_watermark(field: StructField) -> str | None:
    """Why the results of another query carry no watermark in this column, if that is so."""
    reason: str | None = field.metadata.get(_REASON)
    return reason


def window_time(column: Column, field: StructField) -> Column | None:
    """The event time of a column of windows, as Spark's `window_time` has it; None if it is none.

    It is the last microsecond of a window, so that it lies in the larger windows of a grid that
    holds it; where `end` is the time of the last row (count and punctuated windows), that.
    """
    kind = field.dataType
    if not isinstance(kind, StructType) or kind.names[:2] != ["start", "end"]:
        return None
    if not is_time(kind["end"].dataType):
        return None
    end = column.getField("end")
    last = (
        end
        if not {"last", "nth"}.isdisjoint(kind.names)
        else shifted(end, kind["end"].dataType, -1)
    )
    shown = {key: value for key, value in field.metadata.items() if key in _KNOWN}
    return last.alias(f"{field.name}_time", metadata=shown)


_KNOWN = frozenset({_DELAY, _OUR_DELAY, _REASON})
