"""Where a slide policy cuts a line of compiled buckets: `approximate.line` on cells.

Buckets have the numbers of their forest; the oldest has the one before, the newest the one behind.
A cut is given by how many updates stay: the fewest and the most.
"""

from typing import Any

from windrow.approximate.compiled.operator import BucketOperator
from windrow.approximate.compiled.window import (
    BEHIND,
    LEAST,
    MIDDLE,
    MOST,
    NEWEST,
    OLDEST,
    CellsCode,
)
from windrow.kernels.cells import read_int
from windrow.kernels.forest import EVICTED, INSERTED

__all__ = ["slide_code"]


def slide_code(operator: BucketOperator, functions: CellsCode) -> Any:
    """Enforce a policy: slide(window, forest)."""
    identity, combine = operator.identity, operator.combine
    watched, watch = operator.watched, operator.watch
    view_whole, view_first, view_others = watch.whole, watch.first, watch.others
    nothing, join, keeps, condemns = watch.nothing, watch.join, watch.keeps, watch.condemns
    drops, looks_before = watch.drops, watch.looks_before
    window_of, load, ends = functions.window, functions.memory.load, functions.memory.ends
    held, start_with, bring_oldest = window_of.held, window_of.start_with, window_of.bring_oldest
    between, after_updates = functions.whole.between, functions.whole.after_updates
    evicted = functions.methods.evicted

    def view(bucket: Any) -> Any:
        return view_whole(watched(bucket), bucket[0])

    def first_of(window: Any, forest: Any) -> Any:
        return read_int(forest, EVICTED) - (load(window, OLDEST)[0] > 0)

    def end_of(window: Any, forest: Any) -> Any:
        return read_int(forest, INSERTED) + (load(window, NEWEST)[0] > 0)

    def bucket_at(window: Any, forest: Any, number: Any) -> Any:
        if number < read_int(forest, EVICTED):
            return load(window, OLDEST)
        if number == read_int(forest, INSERTED):
            return load(window, NEWEST)
        return between(forest, number, number + 1)

    def from_on(window: Any, forest: Any, number: Any) -> Any:
        """All buckets from one on, the oldest not among them."""
        if number > read_int(forest, INSERTED):
            return identity
        if number == read_int(forest, EVICTED):
            return ends(window, forest)[1]
        inside = between(forest, number, read_int(forest, INSERTED))
        return combine(inside, load(window, NEWEST))

    def kept(window: Any, forest: Any) -> Any:
        behind = read_int(window, BEHIND)
        fewest, most = behind + read_int(window, LEAST), behind + read_int(window, MOST)
        oldest, rest = ends(window, forest)
        if keeps(window, view(combine(oldest, rest))):
            return fewest, most
        first, end = first_of(window, forest), end_of(window, forest)
        # invariant: what starts before `low` is refused, and what starts at `high` is kept
        low, high = first + 1, end
        if low < end and keeps(window, view(from_on(window, forest, low))):
            high = low
        while low < high:
            middle = (low + high) // 2
            if keeps(window, view(from_on(window, forest, middle))):
                high = middle
            else:
                low = middle + 1
        number = low - 1
        bucket, after = bucket_at(window, forest, number), from_on(window, forest, low)
        least, most_stay = after[0], after[0] + bucket[0] - 1
        has_first = number > first or most == oldest[0] + behind
        if has_first and bucket[0] > 1:
            left = join(view_others(watched(bucket)), view(after))
            if keeps(window, left):
                least = most_stay
        return min(least, fewest), min(most_stay, most)

    def dropped(window: Any, forest: Any) -> Any:
        behind = read_int(window, BEHIND)
        fewest, most = behind + read_int(window, LEAST), behind + read_int(window, MOST)
        oldest = load(window, OLDEST)
        everything = oldest[0] + behind
        first, end = first_of(window, forest), end_of(window, forest)
        if fewest == everything:
            start = view(bucket_at(window, forest, first))
            return cut_from(window, forest, first, end, start, False)
        oldest = bucket_at(window, forest, first)
        left = view_others(watched(oldest)) if most < everything else view(oldest)
        least, most_stay = cut_from(window, forest, first, end, left, True)
        latest = number_with(window, forest, first, fewest)
        if latest + 1 < end:
            start = view(bucket_at(window, forest, latest + 1))
            other_least, other_most = cut_from(window, forest, latest + 1, end, start, False)
            least, most_stay = min(least, other_least), max(most_stay, other_most)
        else:
            least = 1
        if looks_before:
            least, most_stay = 1, most
        return min(least, fewest), min(most_stay, most)

    def number_with(window: Any, forest: Any, first: Any, updates: Any) -> Any:
        """The number of the bucket in which the newest `updates` updates begin."""
        middle = load(window, MIDDLE)[0]
        gone = middle + load(window, NEWEST)[0] - updates
        if gone < 0:
            return first
        return after_updates(forest, gone) if gone < middle else read_int(forest, INSERTED)

    def cut_from(
        window: Any, forest: Any, first: Any, end: Any, start: Any, is_partly_gone: Any
    ) -> Any:
        before = join(start, view(from_on(window, forest, first + 1)))
        # invariant: all before `low` goes, all before `high` + 1 does not
        low, high = first, end - 1
        if low < high:
            if not goes_before(window, forest, first, low + 1, start, before):
                high = low
            elif goes_before(window, forest, first, high, start, before):
                low = high
        while low < high:
            middle = (low + high + 1) // 2
            if goes_before(window, forest, first, middle, start, before):
                low = middle
            else:
                high = middle - 1
        bucket, after = bucket_at(window, forest, low), from_on(window, forest, low + 1)
        if low == first and is_partly_gone:
            return after[0] + 1, after[0] + bucket[0]
        if bucket[0] > 1:
            prefix = nothing
            if low > first:
                prefix = join(start, view(between(forest, first + 1, low)))
            gone = join(prefix, view_first(watched(bucket)))
            stays = join(view_others(watched(bucket)), view(after))
            if condemns(gone, stays, before):
                return after[0] + 1, after[0] + bucket[0]
        return after[0] + bucket[0], after[0] + bucket[0]

    def goes_before(
        window: Any, forest: Any, first: Any, number: Any, start: Any, before: Any
    ) -> Any:
        gone = join(start, view(between(forest, first + 1, number)))
        return condemns(gone, view(from_on(window, forest, number)), before)

    def slide(window: Any, forest: Any) -> None:
        before, behind = held(window), read_int(window, BEHIND)
        if before == 0 and behind + read_int(window, MOST) == 0:
            return
        bring_oldest(window, forest)
        behind = read_int(window, BEHIND)
        fewest, most = kept(window, forest)
        if drops:
            least, most_stay = dropped(window, forest)
            fewest, most = min(fewest, least), min(most, most_stay)
        if fewest != behind + read_int(window, LEAST) or most != behind + read_int(window, MOST):
            start_with(window, forest, fewest, most)
        gone = before - held(window)
        if gone > 0:
            evicted(window, gone, held(window))

    return slide
