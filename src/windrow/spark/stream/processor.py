"""Spark's stateful operator over a key group: load state, call the engine, save state."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from windrow.columnar.keyed import numbers
from windrow.columnar.narrowed import widened
from windrow.engines.engine import Kept
from windrow.engines.flow import Flow, Passed, Watermark, ripe_of
from windrow.engines.page_cache import PageCache
from windrow.engines.share import Share
from windrow.parallel.owners import Owners
from windrow.spark.analysis.clock import UNKNOWN, LateBy, set_timer
from windrow.spark.state.about import About
from windrow.spark.state.pages import StatePages
from windrow.spark.state.shards import NEVER, Head, Shards, shards_of
from windrow.spark.state.waiting import Waiting, WaitingRoom
from windrow.spark.transport.garbage import spare_what_is_loaded
from windrow.spark.transport.hashed import HASH_KEY
from windrow.spark.transport.packing import result_schema
from windrow.spark.transport.shipped import Shipped

__all__ = ["LATE", "KeyGroupProcessor", "Units", "answer_schema"]

LATE = "late"  # how many rows came too late, in a row of its own; no other has a number there


def answer_schema(results: pa.Schema) -> pa.Schema:
    """The columns of what a processor answers: results, and how many rows were late."""
    return result_schema(results, HASH_KEY).append(pa.field(LATE, pa.int64()))


@dataclass(frozen=True)
class Units:
    """The units that share the windows of each key, where key groups are such units."""

    owners: Owners
    labels: tuple[int, ...]

    def share(self, label: int) -> Share:
        """What the unit with this label has of the windows."""
        return Share(self.owners, self.labels.index(label))


class KeyGroupProcessor(StatefulProcessor):
    """All windows of the keys of a key group."""

    def __init__(
        self,
        flow: Shipped[Flow],
        query: str,
        keys: tuple[str, ...],
        late_by: LateBy,
        units: Units | None = None,
        *,
        timers: bool,
    ) -> None:
        self._shipped = flow
        self._units = units
        self._query, self._keys = query, keys
        self._late_by = late_by
        self._timers = timers

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called by Spark before all else."""
        self._handle = handle
        self._flow = self._shipped.get()
        self._answers = answer_schema(self._flow.engine.schema)
        kept = self._flow.engine.kept
        about = About(self._query, self._keys, kept, self._flow.rows)
        self._shards = Shards(handle, kept, about)
        if self._flow.waits:
            self._room = WaitingRoom(handle, self._flow.rows)
        if self._flow.pages:
            self._pages = StatePages(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:
        """Called by Spark with the packs of a key group."""
        packs = chain.from_iterable(zip(frame["low"], frame["pack"], strict=True) for frame in rows)
        # Packs do not overlap: by their first rows they stand in the order in which these came.
        ordered = sorted(packs, key=itemgetter(0))
        tables = [widened(pack, self._flow.rows) for _, pack in ordered]
        return self._pass(self._own(key), pa.concat_tables(tables), timerValues)

    def handleExpiredTimer(
        self,
        key: Any,
        timerValues: Any,
        expiredTimerInfo: Any,
    ) -> Iterator[Any]:
        """Called by Spark when the watermark has passed what a key group waited for."""
        return self._pass(self._own(key), self._flow.rows.empty_table(), timerValues)

    def close(self) -> None:
        """Called by Spark after all else."""
        spare_what_is_loaded()

    def _own(self, key: Any) -> Flow:
        """The flow with the windows of a key group."""
        return self._flow if self._units is None else self._flow.owning(self._units.share(key[0]))

    def _pass(self, flow: Flow, rows: pa.Table, times: Any) -> Iterator[Any]:
        watermark_ms = times.getCurrentWatermarkInMs()
        head = self._shards.head()
        watermark = self._late_by.watermark(head.timer_ms, watermark_ms)
        work = self._wait_and_pass if self._flow.waits else self._pass_at_once
        if self._flow.pages:
            page_cache = PageCache(self._pages)
            passed, after = work(flow.at(page_cache), head, rows, watermark)
            page_cache.put_away()
        else:
            passed, after = work(flow, head, rows, watermark)
        if self._timers:
            timer_ms = self._late_by.timer(self._due_ms(after), watermark_ms)
            set_timer(self._handle, head.timer_ms, timer_ms)
            after = replace(after, timer_ms=timer_ms)
        if after != head or head.fresh:
            self._shards.save(after)
        yield from self._results(passed)

    def _results(self, passed: Passed) -> Iterator[Any]:
        """Results as Spark takes them, and how many rows came too late."""
        from windrow.spark.transport.frames import frames  # pandas, which only workers need

        if passed.late:
            nulls: dict[str, Any] = dict.fromkeys(self._answers.names)
            yield from frames(pa.Table.from_pylist([nulls | {LATE: passed.late}], self._answers))
        for table in passed.results:
            none = pa.nulls(table.num_rows, pa.int64())
            yield from frames(table.append_column(LATE, none).select(self._answers.names))

    def _pass_at_once(
        self, flow: Flow, head: Head, rows: pa.Table, watermark: Watermark
    ) -> tuple[Passed, Head]:
        """Apply rows as they come."""
        return self._with_shards(
            head, [rows], watermark.until, lambda kept: flow.pass_through(kept, rows, watermark)
        )

    def _wait_and_pass(
        self, flow: Flow, head: Head, rows: pa.Table, watermark: Watermark
    ) -> tuple[Passed, Head]:
        """Let rows wait, and apply those that the watermark has reached."""
        room, until = self._room, watermark.until
        fresh, late = flow.in_time(rows, watermark.since)
        ripe, waiting = room.let_out(head.waiting, until)
        still = fresh.slice(0, 0)
        if flow.previews:
            # A preview is emitted once, when the row arrives; the row is applied in the next call.
            still = self._of_the_same_keys(waiting, fresh)
        else:
            at_once, fresh = ripe_of(fresh, until)
            ripe = pa.concat_tables([ripe, at_once])
        touching = [ripe, fresh] if flow.previews else [ripe]
        passed, head = self._with_shards(
            head, touching, until, lambda kept: flow.apply(kept, ripe, still, fresh, until)
        )
        head = replace(head, waiting=room.let_in(waiting, fresh))
        return replace(passed, late=late), head

    def _of_the_same_keys(self, waiting: Waiting, fresh: pa.Table) -> pa.Table:
        """The waiting rows that the new results for these rows depend on."""
        if not fresh.num_rows:
            return fresh
        rows = self._room.all(waiting)
        own = np.isin(numbers(rows[HASH_KEY]), numbers(fresh[HASH_KEY]))
        return rows.filter(pa.array(own))

    def _with_shards(
        self,
        head: Head,
        rows: Sequence[pa.Table],
        until: int,
        work: Callable[[Kept], Passed],
    ) -> tuple[Passed, Head]:
        """Work on the shards of these rows, and on those that are due."""
        is_touched = np.asarray(head.dues) <= until
        for table in rows:
            is_touched[shards_of(numbers(table[HASH_KEY]), head.bits)] = True
        touched = np.flatnonzero(is_touched)
        if not len(touched):
            return Passed([self._flow.engine.schema.empty_table()], {}), head
        passed = work(self._shards.load(head, touched.tolist()))
        return passed, self._shards.store(head, touched, passed.kept, self._due)

    def _due(self, kept: dict[str, pa.Table]) -> int:
        due = self._flow.due(kept)
        return NEVER if due is None else max(min(due, NEVER), -NEVER)  # what is kept may be any

    def _due_ms(self, head: Head) -> int:
        """The first watermark with which a key group has something to do, if there is one."""
        low = head.waiting.low
        due = min(*head.dues, NEVER if low is None else low + 1)
        return UNKNOWN if due == NEVER else self._late_by.first(due)
