"""How late rows of a stream may be: the watermark it has, or the one the query asks for."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, TimestampType

from windrow.engines.names import free_name
from windrow.errors import InputError
from windrow.spark.analysis.clock import LateBy
from windrow.spark.analysis.columns import quoted
from windrow.spark.analysis.event_time import carrying, delay_of, no_watermark
from windrow.spark.analysis.operators import Operators, operators_of
from windrow.spark.analysis.times import to_micros
from windrow.windows import Emit, Order, describe

if TYPE_CHECKING:
    from windrow.spark.query import Query

__all__ = ["Watermarked", "watermarked"]


@dataclass(frozen=True)
class Watermarked:
    """A DataFrame and its event time as a timestamp, which on a stream carries the watermark."""

    df: DataFrame
    stamp: Column
    lateness_ms: int | None
    late_by: LateBy = LateBy.ITS_OWN


def watermarked(
    query: "Query", time: Column, field: StructField, *, from_tree: bool = False
) -> Watermarked:
    """The query's DataFrame with a watermark if it streams; refuses a stream that never closes.

    Leaves of a tree have waited for late rows: its ticks are the watermark.
    """
    df = query.df
    if from_tree:
        query = replace(query, lateness_us=0)
    if not df.isStreaming:
        # A batch is complete and keeps no state, so lateness and forget_after do not apply.
        return Watermarked(df, _timestamp(time, field), None)
    operators = operators_of(df)
    _require_results_once(operators)
    delay_ms = delay_of(field)
    if delay_ms is not None:
        _require_same(query, field, delay_ms)
        _require_one(operators, field)
        stamp = carrying(_timestamp(time, field), delay_ms)
        return Watermarked(df, stamp, delay_ms, _late_by(query, operators))
    if query.lateness_us is not None or _needs_watermark(query):
        _require_no_other(query, operators, field)
    if query.lateness_us is None:
        _require_no_need(query, field)
        _refuse_forgetting(query)
        return Watermarked(df, _timestamp(time, field), None)

    lateness_ms = -(-query.lateness_us // 1000)  # Spark's watermarks count milliseconds
    name = field.name
    plain = isinstance(query.time, str) and query.time == name and name in df.columns
    if not plain or not isinstance(field.dataType, TimestampType):
        # Spark wants a watermark on a column of type timestamp: a helper of ours carries it
        name = free_name("windrow_time", df.columns)
        df = df.withColumn(name, _timestamp(time, field))
    escaped = name.replace("`", "``")
    df = df.withWatermark(f"`{escaped}`", f"{lateness_ms} milliseconds")
    by_tree = {"late_by": LateBy.OF_A_TREE} if from_tree else {}
    return Watermarked(df, quoted(name), lateness_ms, **by_tree)


def _late_by(query: "Query", operators: Operators) -> LateBy:
    """Which watermark decides whether rows are late: it depends on what they come from."""
    on_change = query.options.emit is Emit.ON_CHANGE
    if on_change and operators.have_state_in_python:
        raise InputError(
            "emit='on_change': the rows are results of another query, and Spark chains queries "
            "only in append mode; use emit='on_close'"
        )
    if on_change or not operators.hold_back:
        return LateBy.ITS_OWN
    window = query.chosen[0][1]
    ends = window.ends_by_time and not window.per_row
    return LateBy.THE_ONE_BEFORE_THE_END if ends else LateBy.THE_ONE_BEFORE


def _timestamp(time: Column, field: StructField) -> Column:
    if isinstance(field.dataType, TimestampType):
        return time
    return F.timestamp_micros(to_micros(time, field.dataType))


def _refuse_forgetting(query: "Query") -> None:
    if query.forget_us is not None:
        raise InputError(
            f"forget_after={describe(query.forget_us)!r} needs a watermark, to know how much time "
            "has passed; give lateness too"
        )


def _require_same(query: "Query", field: StructField, delay_ms: int) -> None:
    delay_us = delay_ms * 1000
    if query.lateness_us is not None and abs(query.lateness_us - delay_us) >= 1000:
        raise InputError(
            f"lateness={describe(query.lateness_us)!r}, but {field.name!r} has a watermark of "
            f"{describe(delay_us)} already; leave lateness out, or withWatermark"
        )


def _require_results_once(operators: Operators) -> None:
    """Refuse a stream that emits results repeatedly: every version would count."""
    if operators.repeat_results:
        raise InputError(
            "the rows are results of a query that emits each again whenever it changes, and every "
            "version would count; use emit='on_close' there"
        )


def _require_one(operators: Operators, field: StructField) -> None:
    """Refuse a second watermark that would wait for the first."""
    if operators.wait_for_two_watermarks:
        raise InputError(
            f"time={field.name!r}: withWatermark was called on results of this stream, which "
            "already has a watermark, and a second would never move; leave it out, as results "
            "carry that of their stream"
        )


def _require_no_other(query: "Query", operators: Operators, field: StructField) -> None:
    """Refuse a stream whose watermark is on another column: Spark keeps only one watermark."""
    reason = no_watermark(field)
    if reason is not None:
        raise InputError(
            f"time={field.name!r} comes from a query whose results carry no watermark: {reason}"
        )
    if not operators.have_watermark:
        return
    known = [repr(other.name) for other in query.df.schema if delay_of(other) is not None]
    way_out = (
        f"give time={known[0]}, and leave lateness out"
        if known
        else "keep the column that has it, or set the watermark where the stream begins"
    )
    raise InputError(
        f"time={field.name!r} has no watermark, but the stream already has one, and a second one "
        f"would never move; {way_out}"
    )


def _needs_watermark(query: "Query") -> bool:
    """Without a watermark rows can be applied as they arrive, but no window closes by time."""
    return query.options.order is not Order.ARRIVAL or _closes(query)


def _closes(query: "Query") -> bool:
    window = query.chosen[0][1]
    closes = window.ends_by_time and not window.per_row
    return query.options.emit is Emit.ON_CLOSE and closes


def _require_no_need(query: "Query", field: StructField) -> None:
    if not _needs_watermark(query):
        return
    other = "" if _closes(query) else "; or use order=Order.ARRIVAL to apply rows as they arrive"
    raise InputError(
        f"the stream has no watermark on {field.name!r}, so no window can close; say how late "
        f'rows may be, e.g. over(..., lateness="10 minutes"){other}'
    )
