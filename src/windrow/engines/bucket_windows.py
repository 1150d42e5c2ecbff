"""The window of one aggregate over the rows of a key, kept as buckets.

One window serves all keys in turn: what a key has kept is loaded, its rows run through, and what
is to be kept of it dumped.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.algebra import catalogue
from windrow.algebra.aggregate import Aggregate
from windrow.approximate.approximate_amta import ApproximateAmta
from windrow.approximate.families import catalogued
from windrow.approximate.layout import Layout
from windrow.approximate.method import Method
from windrow.approximate.packed import packed, unpacked
from windrow.columnar.digits import exactly
from windrow.columnar.inputs import read_inputs
from windrow.engines.intervals import IntervalColumn
from windrow.errors import SnapshotError
from windrow.structures.base import Snapshot
from windrow.windows import Policy, TrailingRows, TrailingTime

__all__ = ["BucketWindow", "Row"]

# The values that an aggregate reads, those that a policy reads, and last the row's tick.
Row: TypeAlias = tuple[Any, ...]


class BucketWindow:
    """Trailing windows and slide policies in buckets, key by key."""

    def __init__(
        self,
        aggregate: Aggregate[Any],
        methods: Sequence[Method],
        window: TrailingRows | TrailingTime | Policy,
        schema: pa.Schema,
    ) -> None:
        self._window = window
        self.inputs = read_inputs(aggregate, schema)
        self._watched = [read_inputs(part, schema) for _, part in window.watched]
        places = count()
        asked = _placed(aggregate, places)
        watched = tuple((name, _placed(part, places)) for name, part in window.watched)
        policy = _policy(window, watched, tick=next(places))
        self._kept = ApproximateAmta(asked, *methods, policy=policy)
        self._layout = Layout(asked, policy)
        self._empty = self._kept.snapshot()

    def read(self, rows: pa.Table, ticks: NDArray[np.int64]) -> Sequence[Row]:
        """Rows of any keys as `run` takes them; ticks are times that never go back in a key."""
        columns: list[Sequence[Any]] = self.inputs.plain(rows)
        for inputs in self._watched:
            columns += inputs.numbers_alone(rows)
        return list(zip(*columns, ticks.tolist(), strict=True))

    def load(self, content: bytes | None) -> None:
        """Continue with what was dumped; None starts an empty window."""
        found = self._empty
        if content is not None:
            found = unpacked(content, self._layout, self._empty)
        try:
            self._kept.restore(found)
        except (AttributeError, LookupError, TypeError, ValueError) as reason:
            raise SnapshotError(
                f"the stored predictions of a window of {self.inputs.aggregate!r} are damaged "
                f"({reason}); use a copy of the checkpoint, or a new one"
            ) from None

    def dump(self) -> bytes:
        """Everything that must be kept."""
        return packed(self._kept.snapshot(), self._layout)

    def snapshot(self) -> Snapshot:
        """The window as data."""
        return self._kept.snapshot()

    def __len__(self) -> int:
        """How many rows the window holds, or about."""
        return len(self._kept)

    def run(self, rows: Sequence[Row]) -> IntervalColumn:
        """Put rows in one by one: the result after each."""
        found = IntervalColumn()
        with exactly():
            for row in rows:
                self._kept.insert(row)
                self._leave()
                found.add(*self._kept.query())
        return found

    def _leave(self) -> None:
        """Evict the rows that are out of the window."""
        if self._window.reach_rows is not None:
            self._kept.evict(max(len(self._kept) - self._window.reach_rows, 0))
        else:
            self._kept.slide()


def _placed(aggregate: Aggregate[Any], places: "count[int]") -> Aggregate[Any]:
    """The aggregate reading its inputs by their places in a row."""
    own = catalogued(aggregate)
    return Aggregate(own.monoid, tuple(next(places) for _ in own.columns))


def _policy(
    window: TrailingRows | TrailingTime | Policy,
    watched: tuple[tuple[str, Aggregate[Any]], ...],
    tick: int,
) -> Policy | None:
    """The policy that slides the window; None for windows of rows."""
    if window.reach_rows is not None:
        return None
    if isinstance(window, Policy):
        return Policy(keep=window.keep, drop=window.drop, using=watched, check=window.check)
    reach_us = window.reach_us
    span = ("span", catalogue.range(tick))
    return Policy(keep=lambda held: bool(held.span < reach_us), using=(span,))
