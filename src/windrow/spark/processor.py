"""Spark's stateful operator over a bucket of keys: load state, call the engine, save state."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from windrow.slicing.desk import Desk
from windrow.slicing.engine import NO_WATERMARK, Kept
from windrow.slicing.flow import Flow, Passed
from windrow.slicing.keyed import numbers
from windrow.spark.about import About
from windrow.spark.hashed import HASH_KEY
from windrow.spark.packing import rows_of_parcel, told
from windrow.spark.pages import StatePages
from windrow.spark.shards import NEVER, Head, Shards, shards_of
from windrow.spark.shipped import Shipped
from windrow.spark.waiting import Waiting, WaitingRoom
from windrow.wire.narrowed import widened
from windrow.wire.parcels import pack

__all__ = ["BucketProcessor", "micros_of"]


class BucketProcessor(StatefulProcessor):
    """All windows of the keys of a bucket."""

    def __init__(
        self, flow: Shipped[Flow], query: str, keys: tuple[str, ...], *, timers: bool
    ) -> None:
        self._shipped = flow
        self._query, self._keys = query, keys
        self._timers = timers

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called by Spark before all else."""
        self._handle = handle
        self._flow = self._shipped.get()
        self._told = told(self._flow.engine.schema, HASH_KEY).names
        kept = self._flow.engine.kept
        about = About(self._query, self._keys, kept, self._flow.rows)
        self._shards = Shards(handle, kept, about)
        if self._flow.waits:
            self._room = WaitingRoom(handle, self._flow.rows)
        if self._flow.pages:
            self._pages = StatePages(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        """Called by Spark with the parcels of a bucket."""
        tables = [widened(row["parcel"], self._flow.rows) for row in rows]
        return self._pass(pa.concat_tables(tables), timerValues)

    def handleExpiredTimer(
        self,
        key: Any,
        timerValues: Any,
        expiredTimerInfo: Any,
    ) -> Iterator[Row]:
        """Called by Spark when the watermark has passed what a bucket waited for."""
        return self._pass(self._flow.rows.empty_table(), timerValues)

    def close(self) -> None:
        """Called by Spark after all else."""

    def _pass(self, rows: pa.Table, times: Any) -> Iterator[Row]:
        watermark_ms = times.getCurrentWatermarkInMs()
        watermark = micros_of(watermark_ms)
        head = self._shards.head()
        work = self._wait_and_pass if self._flow.waits else self._pass_at_once
        if self._flow.pages:
            desk = Desk(self._pages)
            passed, after = work(self._flow.at(desk), head, rows, watermark)
            desk.put_away()
        else:
            passed, after = work(self._flow, head, rows, watermark)
        after = self._wake(after, watermark_ms)
        if after != head or head.fresh:
            self._shards.save(after)
        counts = self._flow.count(rows), passed.late
        for table in passed.results:
            yield from _parcels(table.select(self._told), *counts)
            counts = 0, 0

    def _pass_at_once(
        self, flow: Flow, head: Head, rows: pa.Table, watermark: int
    ) -> tuple[Passed, Head]:
        """Apply rows as they come."""
        return self._with_shards(
            head, [rows], watermark, lambda kept: flow.pass_through(kept, rows, watermark)
        )

    def _wait_and_pass(
        self, flow: Flow, head: Head, rows: pa.Table, watermark: int
    ) -> tuple[Passed, Head]:
        """Let rows wait, and apply those that the watermark has passed."""
        room = self._room
        fresh, late = flow.in_time(rows, watermark)
        ripe, waiting = room.let_out(head.waiting, watermark)
        still = self._of_the_same_keys(waiting, fresh) if flow.previews else fresh.slice(0, 0)
        touching = [ripe, fresh] if flow.previews else [ripe]
        passed, head = self._with_shards(
            head, touching, watermark, lambda kept: flow.apply(kept, ripe, still, fresh, watermark)
        )
        head = replace(head, waiting=room.let_in(waiting, fresh))
        return replace(passed, late=late), head

    def _of_the_same_keys(self, waiting: Waiting, fresh: pa.Table) -> pa.Table:
        """The waiting rows that new answers for these rows depend on."""
        if not fresh.num_rows:
            return fresh
        rows = self._room.all(waiting)
        own = np.isin(numbers(rows[HASH_KEY]), numbers(fresh[HASH_KEY]))
        return rows.filter(pa.array(own))

    def _with_shards(
        self,
        head: Head,
        rows: Sequence[pa.Table],
        watermark: int,
        work: Callable[[Kept], Passed],
    ) -> tuple[Passed, Head]:
        """Work on the shards of these rows, and on those that are due."""
        own = [shards_of(numbers(table[HASH_KEY]), head.bits) for table in rows]
        due = np.flatnonzero(np.asarray(head.dues) <= watermark)
        touched = np.unique(np.concatenate([*own, due]))
        if not len(touched):
            return Passed([self._flow.engine.schema.empty_table()], {}), head
        passed = work(self._shards.load(head, touched.tolist()))
        return passed, self._shards.store(head, touched, passed.kept, self._due)

    def _due(self, kept: dict[str, pa.Table]) -> int:
        due = self._flow.due(kept)
        return NEVER if due is None else min(due, NEVER)  # a window may outlast all time

    def _wake(self, head: Head, watermark_ms: int) -> Head:
        """Have Spark call again when the watermark reaches what is due first.

        What is due already, as it is done little by little, comes with the next watermark: a timer
        that has rung is gone, and would not be set again were it the same.
        """
        low = head.waiting.low
        due = min(*head.dues, NEVER if low is None else low + 1)
        never = due == NEVER or not self._timers
        wanted = -1 if never else max(-(-due // 1000), watermark_ms + 1)
        if wanted == head.timer_ms:
            return head
        if head.timer_ms >= 0:
            self._handle.deleteTimer(head.timer_ms)
        if wanted >= 0:
            self._handle.registerTimer(wanted)
        return replace(head, timer_ms=wanted)


def micros_of(watermark_ms: int) -> int:
    """The watermark in microseconds; Spark's first one, 0, is none at all."""
    return watermark_ms * 1000 if watermark_ms > 0 else NO_WATERMARK


def _parcels(results: pa.Table, rows: int, late: int) -> Iterator[Row]:
    """Results as packed rows; the first tells how many rows came and how many came too late."""
    size = rows_of_parcel(results)
    told = max(results.num_rows, 1 if rows or late else 0)
    for start in range(0, told, size):
        piece = results.slice(start, size)
        counts = (rows, late) if start == 0 else (0, 0)
        yield Row(parcel=pack(piece), rows=counts[0], late=counts[1])
