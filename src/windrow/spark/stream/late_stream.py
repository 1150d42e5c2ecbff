"""Rows of a stream that came too late for their windows, as a separate stream.

Only Spark's stateful operator knows the watermark, so the rows pass through one that keeps nothing
else.  It goes by the watermarks of its own query: they are the same as those of the query whose
late rows it shows, if both get the same rows in the same micro-batches.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from windrow.columnar.keyed import numbers
from windrow.columnar.narrowed import widened
from windrow.engines.flow import Flow
from windrow.spark.analysis.clock import UNKNOWN, LateBy, set_timer
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import arrow_schema, spark_schema
from windrow.spark.state.key_groups import key_groups_of
from windrow.spark.stream.stateful import sentinel, with_state
from windrow.spark.transport.packing import PACKS, Work, in_key_groups, numbered
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.workers import in_workers

__all__ = ["late_rows"]


def late_rows(request: Request, late_by: LateBy) -> DataFrame:
    """All columns of the rows behind the watermark, and of rows without a time."""
    rows = _numbered_columns(request)
    spark = rows.sparkSession
    written = {f"c{place}": name for place, name in enumerate(request.names.columns)}
    schema = arrow_schema(rows.schema, written)
    flow = Shipped(Flow, request.definition, request.emit)
    timed = request.lateness_ms is not None
    packs = in_workers(rows, _pack(schema, key_groups_of(spark), late_by), PACKS)
    processor = _LateRows(flow, schema, late_by, timers=timed)
    found = with_state(packs, processor, spark_schema(schema), "append", timed=timed)
    return found.drop("t").toDF(*request.names.columns)


def _numbered_columns(request: Request) -> DataFrame:
    """The time, and the user's columns by number: two of them may have one name."""
    everything = request.source.select(request.selected["t"], "*")
    places = [f"c{k}" for k in range(len(everything.columns) - 1)]
    rows = everything.toDF("t", *places)
    return rows.select("t", *places[: len(request.names.columns)])


def _pack(schema: pa.Schema, labels: tuple[int, ...], late_by: LateBy) -> Work:
    """Rows as packs, in as many key groups as can be worked on at once."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield sentinel(schema, labels, late_by)
        for table in numbered(batches):
            arrivals = numbers(table["n"])
            key_groups = np.asarray(labels, np.int32)[arrivals % len(labels)]
            yield from in_key_groups(table.select(schema.names).cast(schema), key_groups, arrivals)

    return work


class _LateRows(StatefulProcessor):
    """Passes on the rows that are late for their windows."""

    def __init__(
        self, flow: Shipped[Flow], schema: pa.Schema, late_by: LateBy, *, timers: bool
    ) -> None:
        self._shipped = flow
        self._schema = schema
        self._late_by = late_by
        self._timers = timers

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called by Spark before all else."""
        self._flow = self._shipped.get()
        self._handle = handle
        self._timer = handle.getValueState("timer", "ms long")

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: Any,
    ) -> Iterator[Any]:
        """Called by Spark with the packs of a key group."""
        from windrow.spark.transport.frames import frames  # pandas, which only workers need

        since = self._since(timerValues.getCurrentWatermarkInMs())
        for pack in chain.from_iterable(frame["pack"] for frame in rows):
            table = widened(pack, self._schema)
            untimed = numbers(table["t"].is_null())
            late = self._flow.is_late(numbers(table["t"].fill_null(0)), since)
            yield from frames(table.filter(pa.array(untimed | late)))

    def handleExpiredTimer(
        self,
        key: Any,
        timerValues: Any,
        expiredTimerInfo: Any,
    ) -> Iterator[Any]:
        """Called by Spark when the watermark has moved."""
        self._since(timerValues.getCurrentWatermarkInMs())
        return iter(())

    def _since(self, now_ms: int) -> int:
        """The time before which rows of this micro-batch are late."""
        stored = self._timer.get()
        before_ms = UNKNOWN if stored is None else int(stored[0])
        timer_ms = self._late_by.timer(UNKNOWN, now_ms) if self._timers else UNKNOWN
        if timer_ms != before_ms:
            set_timer(self._handle, before_ms, timer_ms)
            self._timer.update((timer_ms,))
        return self._late_by.watermark(before_ms, now_ms).since

    def close(self) -> None:
        """Called by Spark after all else."""
