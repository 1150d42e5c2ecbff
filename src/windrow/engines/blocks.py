"""A key's rows cut into blocks of time, and what each block must know of the rows before it.

A window that ends in a block begins in it, or in a stretch of time before it.  The rows of these
stretches are sent as rows.  What lies between them and the block is whole in every window that
reaches over it, so a state of it is enough, however wide windows are; and of what lies before them,
its number of rows, where windows go by the positions of rows.  So a row travels two or three times.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from windrow.engines.splits import EVER, UNLIKELY, WORTH, Counts, slot_of, surely
from windrow.windows import Window

__all__ = ["Blocks", "Sent", "Stretch", "best_blocks", "even_blocks"]

# A row without a result costs about as much as this share of a row with one: it is not emitted,
# and carries no kept columns.
_WITHOUT_RESULT = 0.5


class Sent(Enum):
    """What a block is sent of a stretch of time before it."""

    ROWS = "rows"
    STATES = "states"
    COUNTS = "counts"


@dataclass(frozen=True)
class Stretch:
    """The times [begin, end), and what is sent of the rows in it."""

    begin: int
    end: int
    sent: Sent


@dataclass(frozen=True)
class Blocks:
    """Block b has the times [cuts[b - 1], cuts[b]), and of earlier ones `before[b]`, in order."""

    cuts: tuple[int, ...]
    before: tuple[tuple[Stretch, ...], ...]
    end: int | None = None  # a time after all rows, where windows of the last block depend on it

    @property
    def slots(self) -> int:
        """How many blocks there are."""
        return len(self.cuts) + 1

    @property
    def folds(self) -> bool:
        """Whether states of whole stretches are sent."""
        return any(s.sent is Sent.STATES for stretches in self.before for s in stretches)

    def slot_of(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """The block that each row belongs to."""
        return slot_of(self.cuts, times)

    def rows(self, counts: Counts) -> list[tuple[int, int]]:
        """How many rows each block has, and how many before it it is sent, by the histogram."""
        ends = [None, *self.cuts, None]
        return [
            (
                counts.between(begin, end),
                sum(counts.between(s.begin, s.end) for s in before if s.sent is Sent.ROWS),
            )
            for begin, end, before in zip(ends, ends[1:], self.before, strict=False)
        ]

    def slot_rows(self, counts: Counts) -> list[int]:
        """How many rows each block has to work on, those that it is sent among them."""
        return [own + before for own, before in self.rows(counts)]

    def cost(self, counts: Counts, tasks: int, *, before: float = _WITHOUT_RESULT) -> float:
        """How long the busiest task works, in rows; one from `before` costs that share of one."""
        blocks = [own + before * others for own, others in self.rows(counts)]
        return max(*blocks, sum(blocks) / tasks) if len(blocks) > 1 else sum(blocks)


def even_blocks(
    histogram: Mapping[int, int],
    windows: Sequence[Window],
    blocks: int,
    *,
    one_in: int = 1,
    end: int | None = None,
    folds: bool = False,
) -> Blocks:
    """As many blocks as asked for, or as times can be told apart, with about as many rows each.

    `histogram` and `one_in` are as for `best_split`.  `end` is a time after all rows: without it
    the last block is sent all rows that windows of time reach back to.  States can stand for rows
    if the aggregate `folds`.
    """
    if not histogram:
        return Blocks((), ((),))
    counts = Counts.of(histogram)
    cuts = [int(counts.edges[place]) for place in counts.places(blocks)]
    ends: list[int | None] = [*cuts[1:], end][: len(cuts)]
    before = (
        _before(counts, windows, *own, one_in, folds=folds) for own in zip(cuts, ends, strict=True)
    )
    return Blocks(tuple(cuts), ((), *before), end)


def best_blocks(
    histogram: Mapping[int, int],
    windows: Sequence[Window],
    tasks: int,
    *,
    one_in: int = 1,
    end: int | None = None,
    folds: bool = False,
) -> Blocks:
    """The blocks that finish first on this many tasks; a single one if cutting does not help."""
    counts = Counts.of(histogram)
    best = Blocks((), ((),))
    least = counts.total * WORTH
    before = _WITHOUT_RESULT if windows[0].per_row else 1.0  # else no row has a result of its own
    for number in (tasks, 2 * tasks, 4 * tasks):
        found = even_blocks(histogram, windows, number, one_in=one_in, end=end, folds=folds)
        cost = found.cost(counts, tasks, before=before)
        if cost < least:
            best, least = found, cost
    return best


def _before(
    counts: Counts,
    windows: Sequence[Window],
    cut: int,
    end: int | None,
    one_in: int,
    *,
    folds: bool,
) -> tuple[Stretch, ...]:
    """What the block [cut, end) is sent, in the order of time."""
    begun = [_begun(counts, window, cut, end, one_in) for window in windows]
    if not folds:
        begun = [(min(begin for begin, _ in begun), cut)]
    # Where all windows begin at one time no row is sent, but states must not reach over it.
    as_rows = _united(begun)
    found: list[Stretch] = []
    by_position = any(window.span_rows is not None for window in windows)
    earliest = as_rows[0][0]
    if by_position and earliest > EVER:
        found.append(Stretch(EVER, earliest, Sent.COUNTS))
    reached = earliest
    for begin, until in [*as_rows, (cut, cut)]:
        if reached < begin:
            found.append(Stretch(reached, begin, Sent.STATES))
        if begin < until:
            found.append(Stretch(begin, until, Sent.ROWS))
        reached = until
    return tuple(found)


def _begun(
    counts: Counts, window: Window, cut: int, end: int | None, one_in: int
) -> tuple[int, int]:
    """From when to when, before a cut, windows begin that end in the block [cut, end)."""
    if (rows := window.span_rows) is not None:
        # One row at least, whose position is known.
        begin = counts.reaching(cut, surely(max(rows - 1, 1), one_in))
        until = counts.reaching(end, _at_most(rows, one_in), at_most=True)
    else:
        assert window.reach_us is not None
        begin = max(cut - window.reach_us + 1, EVER)
        # A state that begins with the last of these windows is whole in all of them.
        until = cut if end is None else max(end - window.reach_us, EVER)
    return min(begin, cut), max(min(until, cut), begin)


def _at_most(rows: int, one_in: int) -> int:
    """Of how many rows a sample must promise no more, for there not to be more than this many.

    As improbable as in `surely` that it is wrong.
    """
    if one_in == 1:
        return rows
    expected = rows / one_in
    return max(math.floor((expected - math.sqrt(2 * UNLIKELY * expected)) * one_in), 0)


def _united(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of time in order, those that touch as one."""
    united: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if united and begin <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((begin, end))
    return united
