"""How hot keys are cut by time: into slots that are sent rows, or into blocks that need fewer.

A slot is sent the rows that its windows reach back to, whatever they are.  Blocks are chosen where
windows are so wide that states in place of rows save much, and for count windows, which also need
the number of earlier rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column
from pyspark.sql import functions as F

from windrow.columnar.keyed import numbers
from windrow.engines.block_input import folds_into_states
from windrow.engines.blocks import Blocks, best_blocks, even_blocks
from windrow.engines.splits import Counts, Split, best_split, even_split
from windrow.plan.facts import Facts
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch.sampling import look_at

__all__ = ["NONE", "Cutting", "HotKey", "HotKeys"]

_BINS = 512
# What blocks with states may take, as a share of what slots take.  They hold all that they are sent
# in memory, where slots pass rows on, and the latest time costs a job.
_WORTH_STATES = 0.8
# Rows whose order matters are put in order before they are folded, by another shuffle: what it
# costs, as a share of a row with a result.
_ANOTHER_HOP = 0.5
# What slots for results in order may take, as a share of what tasks take that have a key each: to
# sort results otherwise, Spark computes them twice.
_WORTH_ORDER = 1.5


@dataclass(frozen=True)
class HotKey:
    """Which rows belong to the key, and how to split them."""

    rows: Column | None  # None: all rows, there being no key
    split: Split | Blocks
    counts: Counts | None = None  # of its rows, by the sample, if there are any


@dataclass(frozen=True)
class HotKeys:
    """The keys to split, how they were found, in words, and what else the sample says."""

    keys: tuple[HotKey, ...] = ()
    notes: tuple[str, ...] = ()
    facts: Facts | None = None
    folds: bool = False  # whether blocks are sent states of rows
    in_order: bool = False  # whether only rows in order may be folded into these
    in_slots: bool = False  # whether all rows go by one split, a slot to each task

    @property
    def splits(self) -> list[Split]:
        """How each key is split, if their slots are sent rows only."""
        return [key.split for key in self.keys if isinstance(key.split, Split)]

    @property
    def blocks(self) -> list[Blocks]:
        """How each key is cut, if their blocks are sent more than rows."""
        return [key.split for key in self.keys if isinstance(key.split, Blocks)]


NONE = HotKeys()


class Cutting:
    """How the rows of keys are cut: into equal parts, or into those that finish first.

    `sample` is of the rows of all keys.
    """

    def __init__(self, request: Request, tasks: int, sample: pa.Table, *, even: bool) -> None:
        reach = request.definition.context
        assert reach is not None  # as `is_cuttable` says
        self._reach, self._request = reach, request
        self._tasks, self._even, self._sample = tasks, even, sample
        # Of a key with few rows those may have been sampled that stand for fewest.
        self._one_in = int(numbers(sample["seen"]).max(initial=1))
        self._windows = [window for _, window in request.definition.windows]
        first = self._windows[0]
        #: Whether windows go by numbers of rows.
        self.by_rows = any(window.span_rows is not None for window in self._windows)
        # What a window with an engine of its own holds, only that engine knows.
        ours = first.engine is None
        self._counted = ours and self.by_rows and not first.per_row
        self._folds = ours and first.per_row and folds_into_states(request.definition)
        parts = request.definition.aggregates
        self._in_order = not all(part.monoid.commutative for _, part in parts)

    def of(self, samples: Iterable[tuple[Column | None, pa.Table]]) -> HotKeys:
        """Those of these keys that are worth cutting, each given with a sample of its rows."""
        known = [(rows, sample) for rows, sample in samples if sample.num_rows or self._even]
        if self._counted or self._are_wide(known):
            folds, ends = self._folds, self._ends(known)
            cut = [
                HotKey(rows, self._blocks(sample, end), _counts(sample))
                for (rows, sample), end in zip(known, ends, strict=True)
            ]
        else:
            folds = False
            cut = [HotKey(rows, self._split(sample), _counts(sample)) for rows, sample in known]
        worth = [key for key in cut if key.split.slots > 1 or (self._even and key.rows is None)]
        return HotKeys(tuple(worth), folds=folds, in_order=folds and self._in_order)

    def in_slots(self) -> HotKeys | None:
        """All rows cut by time, a slot to each task: so the results of a task follow those before.

        None where slots cannot have the rows that their windows begin with, or far too many.
        """
        keys, rows = self._request.definition.keys, self._sample
        if (self.by_rows and keys) or not rows.num_rows:
            return None  # how far back in time a number of rows reaches differs from key to key
        counts = Counts.of(_histogram(rows))
        split = even_split(_histogram(rows), self._reach, self._tasks, one_in=self._one_in)
        most = _WORTH_ORDER * counts.total / self._tasks
        if split.slots < self._tasks or split.cost(counts, self._tasks) > most:
            return None
        return HotKeys((HotKey(None, split, counts),), in_slots=True)

    def _are_wide(self, samples: Sequence[tuple[Column | None, pa.Table]]) -> bool:
        """Whether states in place of rows that slots would be sent save much time, for any key."""
        if not self._folds:
            return False
        for _, sample in samples:
            if sample.num_rows:
                counts = Counts.of(_histogram(sample))
                blocks = self._blocks(sample, int(numbers(sample["t"]).max()) + 1)
                cost = blocks.cost(counts, self._tasks)
                if self._in_order:
                    cost += _ANOTHER_HOP * counts.total / self._tasks
                slots = self._split(sample).cost(counts, self._tasks)
                if blocks.folds and cost < _WORTH_STATES * slots:
                    return True
        return False

    def _split(self, sample: pa.Table) -> Split:
        cut = even_split if self._even else best_split
        return cut(_histogram(sample), self._reach, self._tasks, one_in=self._one_in)

    def _blocks(self, sample: pa.Table, end: int | None) -> Blocks:
        return (even_blocks if self._even else best_blocks)(
            _histogram(sample),
            self._windows,
            self._tasks,
            one_in=self._one_in,
            end=end,
            folds=self._folds,
        )

    def _ends(self, samples: Sequence[tuple[Column | None, pa.Table]]) -> list[int | None]:
        """A time after all rows of each key, where blocks depend on it.

        A sample may not have the latest, and one more look is enough for those of all keys.
        """
        if not self._folds:
            return [None] * len(samples)
        if self._one_in == 1:
            return [_end(numbers(sample["t"])) for _, sample in samples]
        times = [F.col("t") if rows is None else F.when(rows, F.col("t")) for rows, _ in samples]
        latest = [F.max(own).alias(f"t{place}") for place, own in enumerate(times)]
        request, what = self._request, ("latest", *map(str, times))
        columns = ["t", *request.definition.keys]
        look = look_at(request, columns, what, lambda: request.rows.agg(*latest).toArrow())
        if look.found is None:
            return [None] * len(samples)
        return [_end(numbers(column.drop_null())) for column in look.found.columns]


def _end(times: NDArray[np.int64]) -> int | None:
    """A time after all of these, if there are any."""
    return int(times.max()) + 1 if len(times) else None


def _counts(sample: pa.Table) -> Counts | None:
    return Counts.of(_histogram(sample)) if sample.num_rows else None


def _histogram(sample: pa.Table) -> dict[int, int]:
    """About how many rows there are from one time to the next."""
    if not sample.num_rows:
        return {}
    times, seen = numbers(sample["t"]), numbers(sample["seen"])
    order = np.argsort(times)
    times, until = times[order], np.cumsum(seen[order])
    places = np.searchsorted(until, np.linspace(0, until[-1], _BINS, endpoint=False), "right")
    edges = np.unique(times[places])
    starts = np.searchsorted(times, edges)
    before = np.append(np.concatenate([[0], until])[starts], until[-1])
    counts: NDArray[np.int64] = np.diff(before)
    return dict(zip(edges.tolist(), counts.tolist(), strict=True))
