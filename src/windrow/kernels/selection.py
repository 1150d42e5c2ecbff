"""Order statistics of windows over sorted runs: selected where they lie, no window is put together.

The runs of a window lie side by side, each ascending.  Every step takes the middle key of a run
that is drawn by its length, bisects all runs at that key, and keeps what is on the rank's side of
it: a constant share of the candidates is expected to go, however keys are spread over runs.

Ranks are those of a stable sort: of equal keys, the one that lies first comes first.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.compiler.kernel import Kernel

__all__ = ["neighbours"]

Places = NDArray[np.int64]


def neighbours(
    keys: NDArray[np.int64], offsets: Places, since: Places, until: Places, ranks: Places
) -> tuple[Places, Places]:
    """For each window the place of the key with a rank, and of the next one, if there is one.

    Run r is keys[offsets[r]:offsets[r + 1]], window w has the runs [since[w], until[w]), and the
    key looked for in it has ranks[w] keys before it.
    """
    firsts, seconds = np.empty(len(ranks), np.int64), np.empty(len(ranks), np.int64)
    room = np.empty((4, int((until - since).max(initial=0))), np.int64)
    _selecting()(keys, offsets, since, until, ranks, room, firsts, seconds)
    return firsts, seconds


@cache
def _selecting() -> Any:
    def first_not_below(keys: Any, low: Any, high: Any, pivot: Any) -> Any:
        while low < high:
            middle = (low + high) >> 1
            if keys[middle] < pivot:
                low = middle + 1
            else:
                high = middle
        return low

    def first_above(keys: Any, low: Any, high: Any, pivot: Any) -> Any:
        while low < high:
            middle = (low + high) >> 1
            if keys[middle] <= pivot:
                low = middle + 1
            else:
                high = middle
        return low

    def drawn_pivot(keys: Any, lows: Any, highs: Any, draw: Any) -> Any:
        """The middle key of the run that has the candidate of this number."""
        run = 0
        while draw >= highs[run] - lows[run]:
            draw -= highs[run] - lows[run]
            run += 1
        return keys[(lows[run] + highs[run]) >> 1]

    def kept_runs(lows: Any, highs: Any, begins: Any, ends: Any, runs: Any) -> Any:
        """Take over what is not empty of the new bounds: how many runs, how many candidates."""
        kept, candidates = 0, 0
        for run in range(runs):
            begin, end = begins[run], ends[run]
            if begin < end:
                lows[kept] = begin
                highs[kept] = end
                kept += 1
                candidates += end - begin
        return kept, candidates

    def nth_level(belows: Any, beyonds: Any, number: Any) -> Any:
        """The place of the equal key of this number, in the order of runs."""
        run = 0
        while number >= beyonds[run] - belows[run]:
            number -= beyonds[run] - belows[run]
            run += 1
        return belows[run] + number

    def selecting(
        keys: Any,
        offsets: Any,
        since: Any,
        until: Any,
        ranks: Any,
        room: Any,
        firsts: Any,
        seconds: Any,
    ) -> None:
        lows, highs, belows, beyonds = room[0], room[1], room[2], room[3]
        random = 1
        for window in range(len(ranks)):
            begin, end = since[window], until[window]
            rank, above = ranks[window], -1  # above: the first place of the next key that was cut
            runs, candidates = kept_runs(
                lows, highs, offsets[begin:end], offsets[begin + 1 : end + 1], end - begin
            )
            while runs > 1:
                random = random * 48271 % 2147483647  # Lehmer's, the same in every process
                pivot = drawn_pivot(keys, lows, highs, random % candidates)
                smaller, level, first_level = 0, 0, -1
                for run in range(runs):
                    below = first_not_below(keys, lows[run], highs[run], pivot)
                    beyond = below
                    if below < highs[run] and keys[below] == pivot:
                        beyond = first_above(keys, below, highs[run], pivot)
                        if first_level < 0:
                            first_level = below
                    belows[run] = below
                    beyonds[run] = beyond
                    smaller += below - lows[run]
                    level += beyond - below
                if rank < smaller:
                    above = first_level
                    runs, candidates = kept_runs(lows, highs, lows, belows, runs)
                elif rank >= smaller + level:
                    rank -= smaller + level
                    runs, candidates = kept_runs(lows, highs, beyonds, highs, runs)
                else:
                    rank -= smaller
                    firsts[window] = nth_level(belows, beyonds, rank)
                    if rank + 1 < level:
                        above = nth_level(belows, beyonds, rank + 1)
                    else:
                        nearest = -1
                        for run in range(runs):
                            place = beyonds[run]
                            if place < highs[run] and (nearest < 0 or keys[place] < keys[nearest]):
                                nearest = place
                        if nearest >= 0:
                            above = nearest
                    seconds[window] = firsts[window] if above < 0 else above
                    break
            else:
                firsts[window] = lows[0] + rank
                if rank + 1 < candidates:
                    seconds[window] = firsts[window] + 1
                else:
                    seconds[window] = firsts[window] if above < 0 else above

    def sorting(
        keys: Any,
        offsets: Any,
        since: Any,
        until: Any,
        ranks: Any,
        room: Any,
        firsts: Any,
        seconds: Any,
    ) -> None:
        for window, rank in enumerate(ranks.tolist()):
            begin, end = offsets[since[window]], offsets[until[window]]
            places = begin + np.argsort(keys[begin:end], kind="stable")
            firsts[window] = places[rank]
            seconds[window] = places[min(rank + 1, len(places) - 1)]

    return Kernel(selecting, plain=sorting)
