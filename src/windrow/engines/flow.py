"""A stream through an engine: rows wait until the watermark has reached them.

Rows that the watermark had already reached when they arrived are late.  The others wait; once the
watermark reaches them no earlier row can arrive, and they are applied in the order of their times,
so a stream gives the same results as a batch of all its rows.  If order does not matter (slices of
commutative aggregates), or the user asked for `Order.ARRIVAL`, nothing waits.

The results of a micro-batch are never late to an operator after this one: a result is emitted in
the micro-batch whose watermark reaches its time, and the next operator goes by the previous
watermark.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.engines.definition import Definition
from windrow.engines.edges import Edges
from windrow.engines.engine import FRESH, NO_WATERMARK, Kept, Partials
from windrow.engines.engines import stream_engine_for
from windrow.engines.forgetting import first_silence
from windrow.engines.grid import last_starts
from windrow.engines.page_cache import PageCache
from windrow.engines.share import Share
from windrow.windows import Aligned, Emit, Order

__all__ = ["Flow", "Passed", "Watermark", "ripe_of"]


@dataclass(frozen=True)
class Watermark:
    """What a micro-batch knows about time, in microseconds."""

    since: int  # rows with a smaller time are late
    until: int  # no later micro-batch takes a row with a smaller time


@dataclass(frozen=True)
class Passed:
    """What a micro-batch gave: results, what to keep, and how many rows were late."""

    results: Iterable[pa.Table]  # as those of a `Step`
    kept: Kept
    late: int = 0


class Flow:
    """The engine of a definition under a watermark; holds no data itself.

    Keys that the watermark has left behind by `forget_us` are forgotten.  What a stream brings is
    partials if its rows can be folded in any order, or were `folded` before they came.
    """

    def __init__(
        self,
        definition: Definition,
        emit: Emit,
        forget_us: int | None = None,
        *,
        folded: bool = False,
    ) -> None:
        self.engine = stream_engine_for(definition)
        self._folded = folded or self.engine.folds_early
        self._windows = [window for _, window in definition.windows]
        self._share: Share | None = None
        self._emit = emit
        self._forget_us = forget_us
        self.waits = definition.order is Order.TIME and not self._folded
        # Whether results need all waiting rows, not only those that no longer wait.
        self.previews = self.waits and emit is Emit.ON_CHANGE
        # A row's own window is final once the row is applied: there is nothing to preview.
        self._final_at_once = definition.order is Order.ARRIVAL and self._windows[0].per_row
        self.rows = self.engine.partials if self._folded else definition.schema

    @property
    def pages(self) -> bool:
        """Whether large windows lie in pages, if there is a page cache for them."""
        return self.engine.pages

    def at(self, page_cache: PageCache) -> "Flow":
        """The same flow with a page cache for pages."""
        other = copy(self)
        other.engine = self.engine.at(page_cache)
        return other

    def owning(self, share: Share) -> "Flow":
        """The same flow for one unit of several that share the windows of each key."""
        other = copy(self)
        other.engine = self.engine.owning(share)
        other._share = share
        return other

    def pass_through(self, kept: Kept, rows: pa.Table, watermark: Watermark) -> Passed:
        """Apply rows as they arrive, and give results; if rows wait, see `in_time` and `apply`."""
        # Windows that were over before this micro-batch take no rows of it: those are late.
        closing = self.engine.advance(kept, self._given(rows.slice(0, 0)), watermark.since)
        ordered = rows if self._folded else _by_arrival(rows)
        changes = self._changes(closing.kept, ordered)
        step = self.engine.advance(closing.kept, self._given(ordered), watermark.until)
        results = chain(closing.results, step.results) if changes is None else [changes]
        return Passed(results, self._remembered(step.kept, watermark.until), step.late)

    def due(self, kept: Kept) -> int | None:
        """The smallest watermark with which there is work to do without any row."""
        due = self.engine.due(kept)
        if self._forget_us is None:
            return due
        heard = self.engine.heard.items()
        silent = [last for name, c in heard if (last := first_silence(kept[name], c)) is not None]
        dues = [last + self._forget_us for last in silent]
        return min(dues if due is None else [due, *dues], default=None)

    def is_late(self, times: NDArray[np.int64], since: int) -> NDArray[np.bool_]:
        """Which rows are too late for all their windows; rows between windows are never late."""
        aligned = self._aligned
        if self.waits:
            late = times < since
            return late & Edges(aligned).covered(times) if aligned else late
        if not aligned:
            return np.zeros(len(times), np.bool_)
        starts = [last_starts(times, window) + window.size_us for window in aligned]
        ends = np.max(starts, axis=0)
        behind: NDArray[np.bool_] = (ends > times) & (ends <= since)
        return behind

    @property
    def _aligned(self) -> list[Aligned]:
        return [grid for window in self._windows if (grid := window.grid) is not None]

    def in_time(self, rows: pa.Table, since: int) -> tuple[pa.Table, int]:
        """New rows that may wait, in order of arrival; and how many came too late."""
        times = numbers(rows["t"])
        is_late = self.is_late(times, since)
        if self._share is not None:
            is_late &= self._share.counts(rows, times, self._aligned)
        late = int(np.count_nonzero(is_late))
        in_time = times >= since
        return _by_arrival(rows if in_time.all() else rows.filter(pa.array(in_time))), late

    def apply(
        self, kept: Kept, ripe: pa.Table, waiting: pa.Table, fresh: pa.Table, until: int
    ) -> Passed:
        """Apply rows that no longer wait, and give results; on change also for those that do."""
        step = self.engine.advance(kept, _by_time(ripe), until)
        remembered = self._remembered(step.kept, until)
        if not self.previews:
            return Passed(step.results, remembered)
        return Passed([self._preview(remembered, waiting, fresh)], remembered)

    def _remembered(self, kept: Kept, until: int) -> Kept:
        """What is kept, without keys that fell silent too long ago."""
        if self._forget_us is None or until == NO_WATERMARK:
            return kept
        return self.engine.without_silent(kept, until - self._forget_us + 1)

    def _given(self, rows: pa.Table) -> pa.Table | Partials:
        """What a micro-batch brought, as the engine takes it."""
        return Partials(rows) if self._folded else rows

    def _changes(self, kept: Kept, rows: pa.Table) -> pa.Table | None:
        """The results that new rows change, if they are to be emitted; else None."""
        if self._emit is Emit.ON_CLOSE or self._final_at_once:
            return None
        return self._preview(kept, rows.slice(0, 0), rows)

    def _preview(self, kept: Kept, waiting: pa.Table, fresh: pa.Table) -> pa.Table:
        if not fresh.num_rows:
            return self.engine.schema.empty_table()
        joined = pa.concat_tables([waiting, fresh])
        places = np.arange(joined.num_rows)
        marked = joined.append_column(FRESH, pa.array(places >= waiting.num_rows))
        if not self.waits:
            return self.engine.preview(kept, self._given(marked))
        # Rows of several micro-batches: each needs an arrival number of its own.
        number = marked.schema.get_field_index("n")
        marked = marked.set_column(number, marked.schema.field(number), pa.array(places))
        return self.engine.preview(kept, _by_time(marked))


def ripe_of(waiting: pa.Table, until: int) -> tuple[pa.Table, pa.Table]:
    """The rows that wait no longer, and those that still do; each in the order they had."""
    times = numbers(waiting["t"])
    ripe = times < until
    count = int(np.count_nonzero(ripe))
    if ripe[:count].all():  # as rows mostly come in order of time: nothing is copied
        return waiting.slice(0, count), waiting.slice(count)
    return waiting.filter(pa.array(ripe)), waiting.filter(pa.array(~ripe))


def _by_arrival(rows: pa.Table) -> pa.Table:
    """Rows of one micro-batch as they came."""
    return _stable(rows, "n") if rows.num_rows > 1 else rows


def _by_time(rows: pa.Table) -> pa.Table:
    return _stable(rows, "t") if rows.num_rows > 1 else rows


def _stable(rows: pa.Table, column: str) -> pa.Table:
    ranks = numbers(rows[column])
    if (ranks[1:] >= ranks[:-1]).all():
        return rows
    return rows.take(pa.array(np.argsort(ranks, kind="stable")))
