"""Trailing windows as multisets of numbered values: O(log values) per row, O(values) counters.

Values are numbered in their order, null as -1.  A row's number is counted in when it comes and out
when it leaves; an aggregate is answered from the counts alone.  By time, rows come with their own
time, or with the next one where windows are `preceding`: without the rows of their row's time.
"""

from functools import cache
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.numeric import NULL
from windrow.compiler.kernel import Kernel

__all__ = ["count_different", "distinct_kernel", "quantile_kernel"]


@cache
def quantile_kernel(*, by_time: bool, preceding: bool = False, in_units: bool = False) -> Any:
    """The loop for an exact quantile: `extra` is the values and q, `tally` how many are in.

    Between whole numbers of a unit there are none to interpolate: results are then the numbers of
    both neighbours and how far the quantile is from the lower one.

    `counts` is a Fenwick tree: counts[i] is the number of values numbered in (i - (i & -i), i],
    from 1 on, so that the k-th smallest is found by halving.
    """

    def add(counts: Any, tally: Any, code: Any, change: Any) -> None:
        tally[0] += change
        index = code + 1
        while index < len(counts):
            counts[index] += change
            index += index & -index

    def smallest(counts: Any, rank: Any) -> Any:
        """The number of the value with `rank` values before it."""
        index, left, step = 0, rank, 1
        while 2 * step < len(counts):
            step *= 2
        while step > 0:
            if index + step < len(counts) and counts[index + step] <= left:
                index += step
                left -= counts[index]
            step >>= 1
        return index

    def answer(counts: Any, tally: Any, extra: Any, out: Any, row: Any) -> None:
        values, q = extra
        results, statuses = out
        if tally[0] == 0:
            statuses[row] = NULL
            return
        position = (tally[0] - 1) * q
        below, beyond = floor(position), ceil(position)
        first = smallest(counts, below)
        second = first if below == beyond else smallest(counts, beyond)
        low, high = values[first], values[second]
        if first == second:
            results[row] = low
        else:
            results[row] = (beyond - position) * low + (position - below) * high

    def answer_in_units(counts: Any, tally: Any, extra: Any, out: Any, row: Any) -> None:
        lows, highs, fars, statuses = out
        if tally[0] == 0:
            lows[row] = highs[row] = 0
            fars[row] = 0.0
            statuses[row] = NULL
            return
        position = (tally[0] - 1) * extra[1]
        below, beyond = floor(position), ceil(position)
        lows[row] = smallest(counts, below)
        highs[row] = lows[row] if below == beyond else smallest(counts, beyond)
        fars[row] = position - below

    way = answer_in_units if in_units else answer
    return _trailing(add, way, by_time=by_time, preceding=preceding)


@cache
def distinct_kernel(*, by_time: bool, preceding: bool = False) -> Any:
    """The loop for the number of different values; `tally` is that number."""

    def add(counts: Any, tally: Any, code: Any, change: Any) -> None:
        counts[code] += change
        if change > 0 and counts[code] == 1:
            tally[0] += 1
        elif change < 0 and counts[code] == 0:
            tally[0] -= 1

    def answer(counts: Any, tally: Any, extra: Any, out: Any, row: Any) -> None:
        out[0][row] = tally[0]

    return _trailing(add, answer, by_time=by_time, preceding=preceding)


def count_different(
    codes: NDArray[np.int64],
    offsets: NDArray[np.int64],
    since: NDArray[np.int64],
    until: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many different codes the sets [since, until) of each window have.

    Set s is codes[offsets[s]:offsets[s + 1]]; neither bound goes back from one window to the next.
    """
    found = np.empty(len(since), np.int64)
    counts = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    _spanning()(codes, offsets, since, until, counts, found)
    return found


@cache
def _spanning() -> Any:
    def spanning(codes: Any, offsets: Any, since: Any, until: Any, counts: Any, found: Any) -> None:
        evicted = entered = different = 0
        for window in range(len(since)):
            if since[window] > evicted:
                for place in range(offsets[evicted], offsets[min(since[window], entered)]):
                    counts[codes[place]] -= 1
                    if counts[codes[place]] == 0:
                        different -= 1
                evicted = since[window]
                entered = max(entered, evicted)
            if until[window] > entered:
                for place in range(offsets[entered], offsets[until[window]]):
                    counts[codes[place]] += 1
                    if counts[codes[place]] == 1:
                        different += 1
                entered = until[window]
            found[window] = different

    return Kernel(spanning)


def _trailing(add: Any, answer: Any, *, by_time: bool, preceding: bool) -> Any:
    def trailing(
        codes: Any,
        times: Any,
        groups: Any,
        width: Any,
        counts: Any,
        tally: Any,
        extra: Any,
        out: Any,
    ) -> None:
        for group in range(len(groups) - 1):
            evicted = entered = groups[group]
            for row in range(groups[group], groups[group + 1]):
                if preceding:
                    while times[entered] < times[row]:
                        if codes[entered] >= 0:
                            add(counts, tally, codes[entered], 1)
                        entered += 1
                elif codes[row] >= 0:
                    add(counts, tally, codes[row], 1)
                # Ages are unsigned: between the ends of time they exceed 63 bits.
                while (
                    np.uint64(times[row] - times[evicted]) >= np.uint64(width)
                    if by_time
                    else evicted + width <= row
                ):
                    if codes[evicted] >= 0:
                        add(counts, tally, codes[evicted], -1)
                    evicted += 1
                answer(counts, tally, extra, out, row)
            # Leave the counters as they were found, for the next group.
            for row in range(evicted, entered if preceding else groups[group + 1]):
                if codes[row] >= 0:
                    add(counts, tally, codes[row], -1)

    return Kernel(trailing)
