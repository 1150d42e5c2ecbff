"""A key with many rows split by time, so that several tasks share it.

Each time slot has its own rows, and before them the rows of earlier slots that its windows reach
back to: its context.  Cuts are chosen from a histogram of times, which may come from a sample: then
contexts are long enough to have enough rows with near certainty.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers
from windrow.errors import InputError
from windrow.windows import Reach

__all__ = [
    "CONTEXT",
    "EVER",
    "UNLIKELY",
    "WORTH",
    "Counts",
    "Split",
    "best_split",
    "even_split",
    "slot_of",
    "split_rows",
    "surely",
    "whole_contexts",
]

# Context rows have arrival numbers below zero: they are in windows, but have no result.
CONTEXT = 1 << 62

EVER = -(1 << 63)  # a reach before all rows

# Splitting that saves less than this share of the time is not worth the rows it doubles.
WORTH = 0.85

# The probability that a context chosen from a sample is too short is at most e^-60 for each place
# where it may begin; over 10^9 such rows, that is less than once in 10^16 queries.
UNLIKELY = 60.0


@dataclass(frozen=True, eq=False)
class Counts:
    """A histogram of times: the edges of its bins, and how many rows lie before each."""

    edges: NDArray[np.int64]
    before: NDArray[np.int64]  # of each edge, and of the end

    @classmethod
    def of(cls, histogram: Mapping[int, int]) -> "Counts":
        """Counts of rows by the start of their bin."""
        edges = np.array(sorted(histogram), np.int64)
        counts = np.array([histogram[int(edge)] for edge in edges], np.int64)
        return cls(edges, np.concatenate([[0], np.cumsum(counts)]))

    @property
    def total(self) -> int:
        """All rows."""
        return int(self.before[-1])

    def places(self, slots: int) -> NDArray[np.int64]:
        """The edges, by number, that cut rows into slots of about as many each."""
        wanted = self.total * np.arange(1, slots) / slots
        places = np.unique(np.searchsorted(self.before[:-1], wanted))
        return places[(places > 0) & (places < len(self.edges))]

    def between(self, begin: int | None, end: int | None) -> int:
        """About how many rows have times [begin, end); None means all before, or after."""
        low, high = (None if t is None else np.clip(t, EVER, -EVER - 1) for t in (begin, end))
        first = 0 if low is None else int(np.searchsorted(self.edges, low, side="right")) - 1
        last = len(self.edges) if high is None else int(np.searchsorted(self.edges, high))
        return max(int(self.before[last] - self.before[max(first, 0)]), 0)

    def reaching(self, end: int | None, rows: int, *, at_most: bool = False) -> int:
        """The latest edge with at least `rows` rows between it and the end; `EVER` without one.

        Or, if `at_most`, the earliest edge with no more.
        """
        last = len(self.edges) if end is None else int(np.searchsorted(self.edges, end))
        wanted = self.before[last] - rows
        if at_most:
            place = int(np.searchsorted(self.before, wanted))
            return int(self.edges[place]) if place < len(self.edges) else -EVER - 1
        place = int(np.searchsorted(self.before[:-1], wanted, side="right")) - 1
        return EVER if place < 0 else int(self.edges[place])


def slot_of(cuts: Sequence[int], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Between which cuts each time lies: slot s has the times [cuts[s - 1], cuts[s])."""
    borders = np.asarray(cuts, np.int64)
    if (times[1:] < times[:-1]).any():
        return np.searchsorted(borders, times, side="right")
    # Rows mostly come in order, and then searching for the cuts among them is fast.
    places = np.searchsorted(times, borders)
    return np.repeat(np.arange(len(borders) + 1), np.diff(places, prepend=0, append=len(times)))


@dataclass(frozen=True)
class Split:
    """Slot s has the times [cuts[s - 1], cuts[s]); its context begins at reaches[s - 1]."""

    cuts: tuple[int, ...] = ()
    reaches: tuple[int, ...] = ()

    @property
    def slots(self) -> int:
        """How many slots there are."""
        return len(self.cuts) + 1

    def slot_of(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """The slot that each row belongs to."""
        return slot_of(self.cuts, times)

    def context(self, slot: int, times: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows a slot needs in addition to its own."""
        if slot == 0:
            return np.zeros(len(times), np.bool_)
        return (times >= self.reaches[slot - 1]) & (times < self.cuts[slot - 1])

    @property
    def ends(self) -> list[tuple[int | None, int | None]]:
        """For each slot after which time, and until which one, its windows end."""
        return list(zip((None, *self.cuts), (*self.cuts, None), strict=True))

    def slot_rows(self, counts: Counts) -> list[int]:
        """How many rows each slot has to work on, those of its context among them."""
        begins, ends = (None, *self.reaches), (*self.cuts, None)
        return [counts.between(*own) for own in zip(begins, ends, strict=True)]

    def cost(self, counts: Counts, tasks: int) -> float:
        """How long the busiest task works, in rows."""
        rows = self.slot_rows(counts)
        return max(*rows, sum(rows) / tasks) if len(rows) > 1 else float(sum(rows))

    @property
    def bounded(self) -> dict[int, int]:
        """The slots whose context is not all that comes before, and the times they begin at."""
        ends = enumerate(zip(self.reaches, self.cuts, strict=True), 1)
        return {slot: cut for slot, (reach, cut) in ends if reach != EVER}


def best_split(
    histogram: Mapping[int, int],
    reach: Reach,
    tasks: int,
    *,
    one_in: int = 1,
) -> Split:
    """The split that finishes first on this many tasks; a single slot if splitting does not help.

    `reach` is how far back windows look.
    `histogram` counts rows by the start of their bin: all rows of a bin are at or after its start
    and before the start of the next; some may be before the first.  Where counts are of a random
    sample, each row in it stands for at most `one_in`.
    """
    counts = Counts.of(histogram)
    best, least = Split(), counts.total * WORTH
    for slots in (tasks, 2 * tasks):
        split = _cut(counts, reach, slots, one_in)
        cost = split.cost(counts, tasks)
        if cost < least:
            best, least = split, cost
    return best


def even_split(histogram: Mapping[int, int], reach: Reach, slots: int, *, one_in: int = 1) -> Split:
    """As many slots as asked for, or as times can be told apart, with about as many rows each."""
    return _cut(Counts.of(histogram), reach, slots, one_in) if histogram else Split()


def whole_contexts(
    pieces: Iterable[tuple[int, pa.Table]], rows: int, cut: int
) -> Iterator[tuple[int, pa.Table]]:
    """The same pieces of the slot from `cut` on; raises if its context has too few `rows`.

    It is raised before any piece that has results, which would be wrong.
    """
    found, checked = 0, False
    for low, piece in pieces:
        if low >= cut and not checked:
            _require_context(found, rows)
            checked = True
        found += int(np.count_nonzero(numbers(piece["n"]) < 0))
        yield low, piece
    _require_context(found, rows)


def _require_context(found: int, rows: int) -> None:
    """Refuse to go on with a context that is too short."""
    if found < rows:
        raise InputError(
            f"a window of {rows + 1:,} rows finds only {found:,} rows before a cut in time, "
            "although a sample of the input, taken when the query was built, promised enough: the "
            "input is not the same each time it is read; cache() it or write it first"
        )


def split_rows(
    rows: pa.Table,
    key_groups: NDArray[np.int64],
    hot: NDArray[np.int32] | None,
    splits: Sequence[Split],
    first_key_group: int,
    *,
    folded: bool = False,
) -> tuple[pa.Table, NDArray[np.int64]]:
    """Rows, or slices if they are `folded`, with the contexts of all slots; and their key groups.

    `hot` says by which split a row goes, -1 by none: it stays in its key group.  Without it all
    rows go by the only one.  Rows of a context have arrival numbers below zero.
    """
    times = numbers(rows["start" if folded else "t"])
    key_groups = key_groups.astype(np.int64)
    taken, of_taken = [], []
    for number, split in enumerate(splits):
        mine: Any = slice(None) if hot is None else np.flatnonzero(hot == number)
        own = times[mine]
        key_groups[mine] = first_key_group + split.slot_of(own)
        for slot in range(1, split.slots):
            context = np.flatnonzero(split.context(slot, own))
            taken.append(context if hot is None else mine[context])
            of_taken.append(np.full(len(context), first_key_group + slot))
        first_key_group += split.slots
    places = np.concatenate([np.zeros(0, np.int64), *taken])
    if not len(places):
        return rows, key_groups
    context = rows.take(pa.array(places))
    if folded:
        return pa.concat_tables([rows, context]), np.concatenate([key_groups, *of_taken])
    place = rows.schema.get_field_index("n")
    arrivals = pa.array(numbers(context["n"]) - CONTEXT)
    context = context.set_column(place, rows.schema.field(place), arrivals)
    return pa.concat_tables([rows, context]), np.concatenate([key_groups, *of_taken])


def _cut(counts: Counts, reach: Reach, slots: int, one_in: int) -> Split:
    """About as many rows in each slot."""
    cuts = [int(counts.edges[place]) for place in counts.places(slots)]
    rows = surely(reach.rows, one_in)
    # A window may reach back to before all time.
    by_time = (max(cut - reach.time_us + 1, EVER) for cut in cuts)
    by_rows = (counts.reaching(cut, rows) for cut in cuts)
    return Split(tuple(cuts), tuple(map(min, by_time, by_rows)))


def surely(rows: int, one_in: int) -> int:
    """How many rows a sample must promise for this many to exist (Bernstein's inequality)."""
    if one_in == 1 or not rows:
        return rows
    expected = rows / one_in
    above = UNLIKELY / 3 + math.sqrt((UNLIKELY / 3) ** 2 + 2 * UNLIKELY * expected)
    return math.ceil((expected + above) * one_in)
