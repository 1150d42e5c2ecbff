"""A stream through an engine: rows wait until the watermark has passed them.

Rows behind the watermark are late.  The others wait; once the watermark passes them no earlier one
can come, and they are applied in the order of their times, so that a stream gives what a batch of
all its rows would.  Where order does not matter (slices of commutative aggregates) and where the
user wants none (`Order.ARRIVAL`), nothing waits.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.slicing.definition import Definition
from windrow.slicing.engine import FRESH, NO_WATERMARK, Kept
from windrow.slicing.engines import engine_for
from windrow.slicing.grid import last_starts
from windrow.slicing.keyed import numbers
from windrow.windows import Aligned, Emit, Order, Policy, TrailingRows, TrailingTime

__all__ = ["Flow", "Judged", "Passed"]


class Judged(Enum):
    """Where it is decided which rows are late."""

    HERE = "here"
    """By the watermark, as they come in."""

    BEFORE = "before"
    """By whoever folded them: slices come when the watermark has passed them, none too late."""


@dataclass(frozen=True)
class Passed:
    """What a micro-batch gave: results, what to keep, and how many rows were late."""

    results: pa.Table
    kept: Kept
    late: int


class Flow:
    """The engine of a definition under a watermark; holds no data itself."""

    def __init__(self, definition: Definition, emit: Emit, judged: Judged = Judged.HERE) -> None:
        self.engine = engine_for(definition)
        self._windows = [window for _, window in definition.windows]
        self._emit = emit
        self._judged = judged
        self._waits = definition.order is Order.TIME and not self.engine.folds_early
        # A row's own window is final once the row is applied: there is nothing to preview.
        self._final_at_once = definition.order is Order.ARRIVAL and isinstance(
            self._windows[0], TrailingTime | TrailingRows | Policy
        )
        self.rows = self.engine.partials if self.engine.folds_early else definition.schema
        self.kept = dict(self.engine.kept)
        if self._waits:
            self.kept["pending"] = definition.schema

    def pass_through(self, kept: Kept, rows: pa.Table, watermark: int) -> Passed:
        """Apply what the watermark allows to be applied, and answer."""
        if self._waits:
            return self._wait_and_pass(kept, rows, watermark)
        if self._judged is Judged.BEFORE:
            step = self.engine.advance(kept, rows, watermark)
            return Passed(step.results, step.kept, step.late)
        # Windows that are over close before new rows come in: those are late for them.
        closing = self.engine.advance(kept, rows.slice(0, 0), watermark)
        ordered = _by_arrival(rows)
        changes = self._changes(closing.kept, ordered)
        step = self.engine.advance(closing.kept, ordered, watermark)
        if changes is None:
            results = pa.concat_tables([closing.results, step.results])
        else:
            results = changes
        return Passed(results, step.kept, step.late)

    def due(self, kept: Kept) -> int | None:
        """The smallest watermark with which there is work to do without any row."""
        dues = [self.engine.due({name: kept[name] for name in self.engine.kept})]
        if self._waits and kept["pending"].num_rows:
            dues.append(int(numbers(kept["pending"]["t"]).min()) + 1)
        return min((due for due in dues if due is not None), default=None)

    def is_late(self, times: NDArray[np.int64], watermark: int) -> NDArray[np.bool_]:
        """Which rows no window takes any more."""
        if self._waits:
            return times < watermark
        aligned = [window for window in self._windows if isinstance(window, Aligned)]
        if not aligned:
            return np.zeros(len(times), np.bool_)
        ends = (last_starts(times, window) + window.size_us for window in aligned)
        late: NDArray[np.bool_] = np.max(list(ends), axis=0, initial=NO_WATERMARK) <= watermark
        return late

    def _wait_and_pass(self, kept: Kept, rows: pa.Table, watermark: int) -> Passed:
        pending = kept.pop("pending")
        times = numbers(rows["t"])
        in_time = times >= watermark
        late = int(len(times) - in_time.sum())
        fresh = _by_arrival(rows.filter(pa.array(in_time)) if late else rows)
        passed = numbers(pending["t"]) < watermark
        step = self.engine.advance(kept, _by_time(pending.filter(pa.array(passed))), watermark)
        waiting = pending.filter(pa.array(~passed)) if passed.any() else pending
        results = step.results
        if self._emit is Emit.ON_CHANGE:
            results = self._preview(step.kept, waiting, fresh)
        joined = pa.concat_tables([waiting, fresh]).combine_chunks()
        return Passed(results, {**step.kept, "pending": joined}, late)

    def _changes(self, kept: Kept, rows: pa.Table) -> pa.Table | None:
        """What new rows change, if that is asked for; else None."""
        if self._emit is Emit.ON_CLOSE or self._final_at_once:
            return None
        return self._preview(kept, rows.slice(0, 0), rows)

    def _preview(self, kept: Kept, waiting: pa.Table, fresh: pa.Table) -> pa.Table:
        if not fresh.num_rows:
            return self.engine.schema.empty_table()
        marks = np.arange(waiting.num_rows + fresh.num_rows) >= waiting.num_rows
        joined = pa.concat_tables([waiting, fresh]).append_column(FRESH, pa.array(marks))
        return self.engine.preview(kept, _by_time(joined) if self._waits else joined)


def _by_arrival(rows: pa.Table) -> pa.Table:
    """Rows of one micro-batch as they came; partials have no order."""
    if "n" not in rows.schema.names or rows.num_rows < 2:
        return rows
    return _stable(rows, "n")


def _by_time(rows: pa.Table) -> pa.Table:
    return _stable(rows, "t") if rows.num_rows > 1 else rows


def _stable(rows: pa.Table, column: str) -> pa.Table:
    ranks = numbers(rows[column])
    if (ranks[1:] >= ranks[:-1]).all():
        return rows
    return rows.take(pa.array(np.argsort(ranks, kind="stable")))
