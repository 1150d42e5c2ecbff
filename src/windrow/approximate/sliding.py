"""Where a slide policy cuts a line of buckets, as exactly as buckets can tell: written once.

Predicates are asked about the ends of buckets, where aggregates are known exactly: the cut lies in
one bucket.  The first update of a bucket is known by itself, so a cut on either side of it is too.
A cut is given by how many updates stay: the fewest and the most.

Buckets have the numbers of their forest; the oldest has the one before, the newest the one behind.
"""

from typing import Any, NamedTuple

from windrow.approximate.forest_window import (
    BucketForestCode,
    MemoryCode,
    MethodCode,
    WindowCode,
)

__all__ = ["PolicyCode", "slide_code"]


class PolicyCode(NamedTuple):
    """What a policy sees of what buckets keep for it, and what it says of that.

    A view is what predicates are asked about; views of neighbours make one.
    """

    nothing: Any  # the view of no update
    whole: Any  # whole(state, size) → the view of all of a bucket, which may be empty
    first: Any  # first(state) → that of its first update
    others: Any  # others(state) → and that of all others
    join: Any  # join(older, newer) → one view of two
    keeps: Any  # keeps(window, view) → bool; `window` is where its settings are
    condemns: Any  # condemns(evicted, after, before) → bool
    drops: bool  # whether `condemns` is worth asking
    # looked_before() → whether it may have looked at what there was before, since asked last
    looked_before: Any


def slide_code(
    identity: Any,
    combine: Any,
    memory: MemoryCode,
    trees: BucketForestCode,
    methods: MethodCode,
    window_of: WindowCode,
    policy: PolicyCode,
    watched: Any,
) -> Any:
    """Enforce a policy: slide(window, forest); `watched(bucket)` is what a bucket keeps for it."""
    nothing, view_whole, view_first, view_others, join, keeps, condemns = policy[:7]
    drops, looked_before = policy.drops, policy.looked_before
    behind_cell, least_cell, most_cell = memory.counters
    oldest_cell, newest_cell = memory.places
    read, load, size_of, ends = memory.read, memory.load, memory.size, memory.ends
    middle_size, start_of, end_of_forest = memory.middle_size, trees.start, trees.end
    held, start_with, bring_oldest = window_of.held, window_of.start_with, window_of.bring_oldest
    between, after_updates = window_of.between, window_of.after_updates
    evicted = methods.evicted

    def view(bucket: Any) -> Any:
        return view_whole(watched(bucket), bucket[0])

    def first_of(window: Any, forest: Any) -> Any:
        return start_of(forest) - (size_of(window, oldest_cell) > 0)

    def end_of(window: Any, forest: Any) -> Any:
        return end_of_forest(forest) + (size_of(window, newest_cell) > 0)

    def bucket_at(window: Any, forest: Any, number: Any) -> Any:
        if number < start_of(forest):
            return load(window, oldest_cell)
        if number == end_of_forest(forest):
            return load(window, newest_cell)
        return between(forest, number, number + 1)

    def from_on(window: Any, forest: Any, number: Any) -> Any:
        """All buckets from one on, the oldest not among them."""
        if number > end_of_forest(forest):
            return identity
        if number == start_of(forest):
            return ends(window, forest)[1]
        return combine(between(forest, number, end_of_forest(forest)), load(window, newest_cell))

    def now_of(window: Any) -> Any:
        """The fewest and the most updates that are in the window."""
        behind = read(window, behind_cell)
        return behind + read(window, least_cell), behind + read(window, most_cell)

    def kept(window: Any, forest: Any) -> Any:
        """What `keep` leaves."""
        fewest, most = now_of(window)
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
        has_first = number > first or most == oldest[0] + read(window, behind_cell)
        if has_first and bucket[0] > 1:
            left = join(view_others(watched(bucket)), view(after))
            if keeps(window, left):
                least = most_stay
        return min(least, fewest), min(most_stay, most)

    def dropped(window: Any, forest: Any) -> Any:
        """What `drop` leaves.

        Of what is partly gone it is not known what predicates should see.  They are asked with all
        that may be left of it and with nothing: the answer lies in between, unless they look at all
        there was before the cut, of which nobody knows how they judge it.
        """
        fewest, most = now_of(window)
        everything = size_of(window, oldest_cell) + read(window, behind_cell)
        first, end = first_of(window, forest), end_of(window, forest)
        if fewest == everything:
            start = view(bucket_at(window, forest, first))
            cut = cut_from(window, forest, first, end, start, False)
            looked_before()  # at what is known
            return cut
        oldest = bucket_at(window, forest, first)
        left = view_others(watched(oldest)) if most < everything else view(oldest)
        least, most_stay = cut_from(window, forest, first, end, left, True)
        latest = number_with(window, forest, first, fewest)
        if latest + 1 < end:
            start = view(bucket_at(window, forest, latest + 1))
            other_least, other_most = cut_from(window, forest, latest + 1, end, start, False)
            least, most_stay = min(least, other_least), max(most_stay, other_most)
        else:  # it lies in the newest bucket, of which nothing is sure but its last update
            least = 1
        if looked_before():
            least, most_stay = 1, most
        return min(least, fewest), min(most_stay, most)

    def number_with(window: Any, forest: Any, first: Any, updates: Any) -> Any:
        """The number of the bucket in which the newest `updates` updates begin."""
        middle = middle_size(window, forest)
        gone = middle + size_of(window, newest_cell) - updates
        if gone < 0:
            return first
        return after_updates(forest, gone) if gone < middle else end_of_forest(forest)

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
        before = held(window)
        if before == 0 and now_of(window)[1] == 0:
            return
        bring_oldest(window, forest)  # so that what is behind it is at hand
        fewest, most = kept(window, forest)
        if drops:
            least, most_stay = dropped(window, forest)
            fewest, most = min(fewest, least), min(most, most_stay)
        if (fewest, most) != now_of(window):
            start_with(window, forest, fewest, most)
        gone = before - held(window)
        if gone > 0:
            evicted(window, gone, held(window))

    return slide
