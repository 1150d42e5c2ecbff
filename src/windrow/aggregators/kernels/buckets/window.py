"""A window of buckets in memory, compiled: `windrow.aggregators.approximate_amta` on cells.

    header    updates behind the oldest bucket, the fewest and the most of it that are left, how
              many buckets have been begun, their limit (0: none) and whether it was reached, how
              long a window of time is
    buckets   the oldest, the newest, and all of the forest as one
    methods   their settings and what they learned

The forest of whole buckets is in memory of its own, which can grow.
"""

from typing import Any, NamedTuple

import numpy as np

from windrow.aggregators.kernels.buckets.method_cells import Kinds
from windrow.aggregators.kernels.buckets.methods import MethodCode, method_code
from windrow.aggregators.kernels.buckets.operator import BucketOperator
from windrow.aggregators.kernels.buckets.whole import WholeCode, whole_code
from windrow.aggregators.kernels.memory import read_int, write_int
from windrow.algebra.hot import hot

__all__ = [
    "BEGUN",
    "BEHIND",
    "DURATION",
    "LEAST",
    "LIMIT",
    "MOST",
    "WindowCode",
    "bucket_at",
    "first_method_of",
    "window_code",
]

# Numbers of numpy's, since plain ones have types of their own: all would be compiled for each.
BEHIND, LEAST, MOST, BEGUN, LIMIT, REACHED, DURATION = map(np.int64, range(7))
_BUCKETS = 8


def first_method_of(operator: BucketOperator) -> int:
    """The cell where methods begin."""
    return _BUCKETS + 3 * len(operator.state)


def bucket_at(operator: BucketOperator, which: int) -> slice:
    """The cells of the oldest bucket, 0, or the newest, 1."""
    start = _BUCKETS + which * len(operator.state)
    return slice(start, start + len(operator.state))


class WindowCode(NamedTuple):
    """What kernels call; a window and its forest are addresses."""

    reset: Any  # reset(window, forest)
    has_room: Any  # has_room(forest) → whether one more update may come
    insert: Any  # insert(window, forest, fresh)
    held: Any  # held(window) → how many updates it holds, or about
    evict: Any  # evict(window, forest, count)
    trim: Any  # trim(window, forest, at_most): keep no more than the newest so many updates
    start_with: Any  # start_with(window, forest, fewest, most): let go of all before
    bring_oldest: Any  # bring_oldest(window, forest): have the first whole bucket be the oldest
    shrink: Any  # shrink(window, forest, buckets): until there are no more than so many
    ends: Any  # ends(window) → the oldest bucket, and all behind it as one
    # started(window, forest) → what the window starts in, as one bucket, if that may be any of
    # several; all behind it; the fewest and the most of the former that are left
    started: Any
    buckets: Any  # buckets(window, forest) → how many there are
    refill: Any  # refill(window, forest, leaves, evicted, split): whole buckets that were kept
    load: Any  # load(window, which) → a bucket: OLDEST, NEWEST, MIDDLE
    methods: MethodCode
    whole: WholeCode


OLDEST, NEWEST, MIDDLE = map(np.int64, range(3))


def window_code(operator: BucketOperator, kinds: Kinds) -> WindowCode:
    """The functions for one kind of buckets and methods, to be compiled into kernels."""
    identity, combine = operator.identity, operator.combine
    load_cells, store_cells, fields = operator.load_cells, operator.store_cells, len(operator.state)
    whole = whole_code(operator)
    forest_insert, size, total, has_room = whole.insert, whole.size, whole.total, whole.has_room
    pop, halve, evict_updates, take_updates = (
        whole.pop,
        whole.halve,
        whole.evict_updates,
        whole.take_updates,
    )
    evict_all, is_odd, reset_forest = whole.evict_all, whole.is_odd, whole.reset
    parted, refill_forest = whole.parted, whole.refill
    methods = method_code(operator, kinds, first_method_of(operator), LIMIT)
    joins, inserted, evicted = methods.joins, methods.inserted, methods.evicted
    limited = kinds.limited

    @hot
    def load(window: Any, which: Any) -> Any:
        return load_cells(window, _BUCKETS + which * fields, 1)

    @hot
    def store(window: Any, which: Any, bucket: Any) -> None:
        store_cells(window, _BUCKETS + which * fields, 1, bucket)

    @hot
    def size_of(window: Any, which: Any) -> Any:
        return read_int(window, _BUCKETS + which * fields)

    @hot
    def move(window: Any, counter: Any, by: Any) -> None:
        write_int(window, counter, read_int(window, counter) + by)

    def reset(window: Any, forest: Any) -> None:
        reset_forest(forest)
        for counter in (BEHIND, LEAST, MOST):
            write_int(window, counter, 0)
        for which in (OLDEST, NEWEST, MIDDLE):
            store(window, which, identity)

    @hot
    def held(window: Any) -> Any:
        left = (read_int(window, LEAST) + read_int(window, MOST)) // 2
        return left + read_int(window, BEHIND)

    def buckets(window: Any, forest: Any) -> Any:
        ends = (size_of(window, OLDEST) > 0) + (size_of(window, NEWEST) > 0)
        return ends + size(forest)

    def refill(window: Any, forest: Any, leaves: Any, evicted: Any, split: Any) -> None:
        refill_forest(forest, leaves, evicted, split)
        changed(window, forest)

    def started(window: Any, forest: Any) -> Any:
        oldest, rest, least = load(window, OLDEST), identity, read_int(window, LEAST)
        # A policy's cut may lie in any of several buckets.
        more, rest = parted(forest, -least, size_of(window, MIDDLE))
        newest = load(window, NEWEST)
        if more[0] + least < 0:
            more, newest = combine(more, newest), identity
        least, most = least + more[0], read_int(window, MOST) + more[0]
        return combine(oldest, more), combine(rest, newest), least, most

    @hot
    def ends(window: Any) -> Any:
        return load(window, OLDEST), combine(load(window, MIDDLE), load(window, NEWEST))

    def changed(window: Any, forest: Any) -> None:
        store(window, MIDDLE, total(forest))

    @hot
    def insert(window: Any, forest: Any, fresh: Any) -> None:
        before = held(window)
        into = NEWEST if size_of(window, NEWEST) > 0 else OLDEST
        joined = combine(load(window, into), fresh)
        may_join = joins(window, fresh, joined, before)
        if limited and read_int(window, LIMIT) == 1:
            may_join = True
        began = joined[0] == 1 or not may_join
        if began:
            begin(window, forest, fresh)
        else:
            store(window, into, joined)
            if into == NEWEST:
                move(window, BEHIND, 1)
            else:
                move(window, LEAST, 1)
                move(window, MOST, 1)
        inserted(
            window,
            fresh,
            before + 1,
            began,
            load(window, OLDEST),
            load(window, MIDDLE),
            load(window, NEWEST),
        )

    def begin(window: Any, forest: Any, fresh: Any) -> None:
        if limited:
            shrink(window, forest, read_int(window, LIMIT) - 1)
        if size_of(window, NEWEST) > 0:
            forest_insert(forest, load(window, NEWEST))
            changed(window, forest)
        store(window, NEWEST, fresh)
        move(window, BEHIND, 1)
        move(window, BEGUN, 1)

    def shrink(window: Any, forest: Any, most: Any) -> None:
        while buckets(window, forest) > max(most, 1):
            write_int(window, REACHED, 1)
            if size(forest) > 1:
                if is_odd(forest):
                    put_aside(window, pop(forest))
                store(window, NEWEST, combine(halve(forest), load(window, NEWEST)))
                changed(window, forest)
            elif size(forest) == 1:
                store(window, NEWEST, combine(pop(forest), load(window, NEWEST)))
                changed(window, forest)
            else:
                put_aside(window, take(window, forest, size_of(window, NEWEST)))

    def put_aside(window: Any, bucket: Any) -> None:
        store(window, OLDEST, combine(load(window, OLDEST), bucket))
        move(window, LEAST, bucket[0])
        move(window, MOST, bucket[0])
        move(window, BEHIND, -bucket[0])

    def bring_oldest(window: Any, forest: Any) -> None:
        if size_of(window, OLDEST) == 0 and size(forest) > 0:
            put_aside(window, pop(forest))
            changed(window, forest)

    def take(window: Any, forest: Any, updates: Any) -> Any:
        taken = identity
        if size(forest) > 0:
            taken = take_updates(forest, updates, size_of(window, MIDDLE))
            changed(window, forest)
        if taken[0] < updates:
            taken = combine(taken, load(window, NEWEST))
            store(window, NEWEST, identity)
        return taken

    def evict(window: Any, forest: Any, count: Any) -> None:
        behind = read_int(window, BEHIND)
        fewest = behind + read_int(window, LEAST) - count
        most = behind + read_int(window, MOST) - count
        start_with(window, forest, max(fewest, 0), most)
        evicted(window, count)
        if limited and held(window) == 0:
            write_int(window, REACHED, 0)

    @hot
    def trim(window: Any, forest: Any, at_most: Any) -> None:
        behind, least, most = (
            read_int(window, BEHIND),
            read_int(window, LEAST),
            read_int(window, MOST),
        )
        count = behind + most - at_most
        if count <= 0:
            return
        if count < least and least == most:  # part of the oldest bucket
            write_int(window, LEAST, least - count)
            write_int(window, MOST, most - count)
        else:
            start_with(window, forest, min(behind + least, at_most), at_most)
        evicted(window, count)

    def start_with(window: Any, forest: Any, fewest: Any, most: Any) -> None:
        if most == 0:
            reset(window, forest)
            return
        oldest = size_of(window, OLDEST)
        gone = oldest + read_int(window, BEHIND) - most
        if gone >= oldest:
            if oldest > 0:
                store(window, OLDEST, identity)
                write_int(window, LEAST, 0)
                write_int(window, MOST, 0)
            let_go(window, forest, gone - oldest)
        behind = read_int(window, BEHIND)
        if behind > most:
            put_aside(window, take(window, forest, behind - most))
            behind = read_int(window, BEHIND)
        write_int(window, LEAST, fewest - behind)
        write_int(window, MOST, most - behind)

    def let_go(window: Any, forest: Any, updates: Any) -> None:
        within = size_of(window, MIDDLE)
        if updates == 0 or within == 0:
            return
        if updates < within:
            evict_updates(forest, updates)
        else:
            evict_all(forest)
        changed(window, forest)
        move(window, BEHIND, size_of(window, MIDDLE) - within)

    return WindowCode(
        reset=reset,
        has_room=has_room,
        insert=insert,
        held=held,
        evict=evict,
        trim=trim,
        start_with=start_with,
        bring_oldest=bring_oldest,
        shrink=shrink,
        ends=ends,
        started=started,
        buckets=buckets,
        refill=refill,
        load=load,
        methods=methods,
        whole=whole,
    )
