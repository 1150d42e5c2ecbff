"""Rows by group and time: stable sorts that count instead of comparing, and moves of columns.

A row's place is where it stands once the rows of each group are together.  Columns move by places
and not by the rows at each place: reading rows as they come and writing one stream for each group
stays in the cache where the opposite would miss it at every row.  Several threads work at once:
kernels and Arrow let go of the interpreter while they work.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from windrow.compiler.kernel import Kernel
from windrow.errors import InputError

__all__ = [
    "all_at_once",
    "from_places",
    "places_by_code",
    "running_max",
    "sort_by_time",
    "stretches",
    "threads_for",
    "to_places",
]

_DIGIT_BITS = 11  # 2,048 counters fit the first-level cache beside the rows being moved
_DIGITS = 1 << _DIGIT_BITS
_TURNS = -(-64 // _DIGIT_BITS)

_PLAIN_US = 0.05  # about what numpy takes for an element


def places_by_code(codes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each row's place by its code, ties as they came; and where each code's places begin."""
    borders = np.zeros(int(codes.max(initial=-1)) + 3, np.int64)
    places = np.empty(len(codes), np.int64)
    _counting_sort()(codes, borders, places)
    return places, borders[:-1]


def to_places(column: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """The column with each row moved to its place."""
    moved = np.empty_like(column)
    move = _scatter()
    all_at_once([partial(move, column[s], places[s], moved) for s in stretches(len(column))])
    return moved


def from_places(moved: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """The column with each row moved back from its place."""
    column = np.empty_like(moved)
    move = _gather()
    all_at_once([partial(move, moved, places[s], column[s]) for s in stretches(len(column))])
    return column


def sort_by_time(
    ticks: NDArray[np.int64], rows: NDArray[np.int64], borders: NDArray[np.int64]
) -> None:
    """Sort the ticks of each group, ties as they are, and the numbers of their rows with them."""
    longest = int(np.diff(borders).max(initial=0))
    # A row's rank in its group is half as wide as its number: less to move in every turn.
    rank = np.int32 if longest < 1 << 31 else np.int64
    widths = (np.uint64, np.uint64, rank, rank, np.int64)
    spare = (np.empty((_TURNS, _DIGITS), np.int64), *(np.empty(longest, w) for w in widths))
    _radix_sort()(ticks, rows, borders, spare)


def running_max(numbers: NDArray[np.int64], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The largest number so far in each group."""
    found = np.empty(len(numbers), np.int64)
    _accumulate()(numbers, borders, found)
    return found


@cache
def _accumulate() -> Any:
    def accumulate(numbers: Any, borders: Any, found: Any) -> None:
        for group in range(len(borders) - 1):
            for k in range(borders[group], borders[group + 1]):
                first = k == borders[group]
                found[k] = numbers[k] if first else max(numbers[k], found[k - 1])

    def plain(numbers: Any, borders: Any, found: Any) -> None:
        for start, end in pairwise(borders.tolist()):
            np.maximum.accumulate(numbers[start:end], out=found[start:end])

    return Kernel(accumulate, plain=plain, element_us=_PLAIN_US)


@cache
def _counting_sort() -> Any:
    def sort(codes: Any, borders: Any, places: Any) -> None:
        # invariant: borders[c + 1] is the next place for code c, at last where its places end
        for row in range(len(codes)):
            borders[codes[row] + 2] += 1
        for code in range(2, len(borders)):
            borders[code] += borders[code - 1]
        for row in range(len(codes)):
            place = borders[codes[row] + 1]
            places[row] = place
            borders[codes[row] + 1] = place + 1

    def plain(codes: Any, borders: Any, places: Any) -> None:
        borders[1:] = np.cumsum(np.bincount(codes, minlength=len(borders) - 1))
        places[np.argsort(codes, kind="stable")] = np.arange(len(codes))

    return Kernel(sort, plain=plain, element_us=_PLAIN_US)


@cache
def _scatter() -> Any:
    def scatter(column: Any, places: Any, moved: Any) -> None:
        for row in range(len(column)):
            moved[places[row]] = column[row]

    def plain(column: Any, places: Any, moved: Any) -> None:
        moved[places] = column

    return Kernel(scatter, plain=plain, element_us=_PLAIN_US)


@cache
def _gather() -> Any:
    def gather(moved: Any, places: Any, column: Any) -> None:
        for row in range(len(column)):
            column[row] = moved[places[row]]

    def plain(moved: Any, places: Any, column: Any) -> None:
        column[:] = moved[places]

    return Kernel(gather, plain=plain, element_us=_PLAIN_US)


@cache
def _radix_sort() -> Any:
    def digit_of(key: Any, turn: Any) -> Any:
        return np.int64((key >> np.uint64(turn * _DIGIT_BITS)) & np.uint64(_DIGITS - 1))

    def sort_group(ticks: Any, rows: Any, spare: Any) -> None:
        starts, keys, other_keys, ranks, other_ranks, old_rows = spare
        count = len(ticks)
        # As unsigned distances from the first, so that times before 1970 sort too.
        lowest = np.uint64(ticks.min())
        span = np.uint64(ticks.max()) - lowest
        turns = 0
        while turns < _TURNS and span >> np.uint64(turns * _DIGIT_BITS) > 0:
            turns += 1
        starts[:] = 0
        for k in range(count):
            keys[k] = np.uint64(ticks[k]) - lowest
            ranks[k] = k
            old_rows[k] = rows[k]
            for turn in range(turns):
                starts[turn, digit_of(keys[k], turn)] += 1
        for turn in range(turns):
            start = 0
            for digit in range(_DIGITS):
                start, starts[turn, digit] = start + starts[turn, digit], start
            for k in range(count):
                own = digit_of(keys[k], turn)
                place = starts[turn, own]
                starts[turn, own] = place + 1
                other_keys[place] = keys[k]
                other_ranks[place] = ranks[k]
            keys, other_keys = other_keys, keys
            ranks, other_ranks = other_ranks, ranks
        for k in range(count):
            ticks[k] = np.int64(keys[k] + lowest)
            rows[k] = old_rows[ranks[k]]

    def sort(ticks: Any, rows: Any, borders: Any, spare: Any) -> None:
        for group in range(len(borders) - 1):
            own = ticks[borders[group] : borders[group + 1]]
            rising = True
            for k in range(1, len(own)):
                rising &= own[k - 1] <= own[k]
            if not rising:
                sort_group(own, rows[borders[group] : borders[group + 1]], spare)

    def plain(ticks: Any, rows: Any, borders: Any, spare: Any) -> None:
        groups = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
        own = slice(borders[0], borders[-1])
        order = np.lexsort((ticks[own], groups))
        ticks[own], rows[own] = ticks[own][order], rows[own][order]

    return Kernel(sort, plain=plain, element_us=_PLAIN_US)


# Below this a thread costs more than it saves.
_ROWS_PER_THREAD = 100_000

T = TypeVar("T")


def threads_for(rows: int) -> int:
    """How many threads to use for this many rows; `WINDROW_THREADS` limits them."""
    return max(1, min(_allowed(), rows // _ROWS_PER_THREAD))


def stretches(rows: int) -> list[slice]:
    """The rows, cut into a stretch for each thread."""
    count = threads_for(rows)
    return [slice(rows * k // count, rows * (k + 1) // count) for k in range(count)]


def all_at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The answers to all calls, each made in a thread of its own."""
    if len(calls) == 1:
        return [calls[0]()]
    with ThreadPoolExecutor(max(len(calls), 1)) as pool:
        return [running.result() for running in [pool.submit(call) for call in calls]]


def _allowed() -> int:
    named = os.environ.get("WINDROW_THREADS")
    if named is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if not named.isdecimal() or int(named) < 1:
        raise InputError(f"WINDROW_THREADS={named!r}; set it to a whole number from 1 on")
    return int(named)
