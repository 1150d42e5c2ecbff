"""What happens in a window of buckets, written once: on objects as on cells of compiled code.

         gone | in the window
        [  oldest  ][ bucket ][   bucket   ]...[ newest )
              ^ the window starts in the oldest bucket, of which only the whole is known

An update joins the newest bucket or starts the next one, as the methods say.  Whole buckets lie in
a forest; the one that the window starts in is held aside, and its trace tells what the part that
is gone can have been.  Of a bucket only its size is looked at here, its first field.
"""

from typing import Any, NamedTuple

from windrow.compiler.marks import hot

__all__ = ["BucketForestCode", "MemoryCode", "MethodCode", "WindowCode", "window_code"]


class MemoryCode(NamedTuple):
    """Where a window has its counters, and the buckets that it holds beside its forest.

    Counters are how many updates lie behind the oldest bucket, and the fewest and the most of it
    that are left.
    """

    counters: tuple[Any, Any, Any]
    read: Any  # read(window, counter) → a number
    write: Any  # write(window, counter, number)
    places: tuple[Any, Any]  # of the oldest bucket and the newest
    load: Any  # load(window, place) → a bucket
    store: Any  # store(window, place, bucket)
    size: Any  # size(window, place) → that of the bucket there
    begun: Any  # begun(window): called for each bucket that is begun
    changed: Any  # changed(window, forest): called after each change of the forest
    middle_size: Any  # middle_size(window, forest) → updates in the forest
    ends: Any  # ends(window, forest) → the oldest bucket, and all behind it as one


class BucketForestCode(NamedTuple):
    """What a window asks of its forest of whole buckets, which are numbered as they come."""

    reset: Any  # reset(forest)
    insert: Any  # insert(forest, bucket)
    start: Any  # start(forest) → the number of the oldest
    end: Any  # end(forest) → the number of the next one
    node: Any  # node(forest, level, index) → the buckets [index << level, (index + 1) << level)
    evict_to: Any  # evict_to(forest, number): all before this number
    halve: Any  # halve(forest) → a bucket that was left over; of each two others one is made


class MethodCode(NamedTuple):
    """What a window asks of its methods."""

    joins: Any  # joins(window, fresh, joined, held) → whether an update may join
    inserted: Any  # inserted(window, forest, fresh, held, began)
    evicted: Any  # evicted(window, count, held)
    limited: bool  # whether there is a limit on buckets
    limit: Any  # limit(window) → how many there may be
    reached: Any  # reached(window): called when the limit is reached


class WindowCode(NamedTuple):
    """What may be done to a window and its forest."""

    reset: Any  # reset(window, forest)
    insert: Any  # insert(window, forest, fresh)
    held: Any  # held(window) → how many updates it holds, or about
    evict: Any  # evict(window, forest, count)
    trim: Any  # trim(window, forest, at_most): keep at most the newest `at_most` updates
    start_with: Any  # start_with(window, forest, fewest, most): let go of all before
    bring_oldest: Any  # bring_oldest(window, forest): have the first whole bucket be the oldest
    shrink: Any  # shrink(window, forest, buckets): merge until there are at most `buckets`
    # started(window, forest) → what the window starts in, as one bucket, if that may be any of
    # several; all behind it; the fewest and the most of the former that are left
    started: Any
    buckets: Any  # buckets(window, forest) → how many there are
    between: Any  # between(forest, start, end) → whole buckets with these numbers, as one
    # after_updates(forest, most) → the number behind the oldest that together have no more
    # updates than that
    after_updates: Any


def window_code(
    identity: Any, combine: Any, memory: MemoryCode, trees: BucketForestCode, methods: MethodCode
) -> WindowCode:
    """The functions for buckets that `combine` makes one of two of; `identity` is an empty one."""
    behind_cell, least_cell, most_cell = memory.counters
    oldest_cell, newest_cell = memory.places
    read, write, load, store, size_of = memory[1:3] + memory[4:7]
    begun, changed, middle_size, ends = memory[7:]
    reset_forest, forest_insert, start_of, end_of, node, evict_to, halve = trees
    joins, inserted, evicted, limited, limit, reached = methods

    def forest_size(forest: Any) -> Any:
        return end_of(forest) - start_of(forest)

    def between(forest: Any, start: Any, end: Any) -> Any:
        found = identity
        while end > start:
            level = 0
            while (end >> level) & 1 == 0 and 2 << level <= end - start:
                level += 1
            end -= 1 << level
            found = combine(node(forest, level, end >> level), found)
        return found

    def after_updates(forest: Any, most: Any) -> Any:
        position, end = start_of(forest), end_of(forest)
        level, climbs = 0, True
        while level >= 0:
            size = 1 << level
            fits = position & (size - 1) == 0 and position + size <= end
            if fits:
                updates = node(forest, level, position >> level)[0]
                fits = updates <= most
                if fits:
                    most -= updates
                    position += size
            if not fits:
                climbs = False
                level -= 1
            elif climbs and position & (2 * size - 1) == 0:
                level += 1
        return position

    def pop(forest: Any) -> Any:
        number = start_of(forest)
        oldest = node(forest, 0, number)
        evict_to(forest, number + 1)
        return oldest

    def end_with(window: Any, forest: Any, updates: Any) -> Any:
        """The number behind the oldest that together have at least that many updates."""
        if updates < middle_size(window, forest):
            return after_updates(forest, updates - 1) + 1
        return end_of(forest)

    @hot
    def move(window: Any, counter: Any, by: Any) -> None:
        write(window, counter, read(window, counter) + by)

    def reset(window: Any, forest: Any) -> None:
        reset_forest(forest)
        for counter in (behind_cell, least_cell, most_cell):
            write(window, counter, 0)
        for place in (oldest_cell, newest_cell):
            store(window, place, identity)
        changed(window, forest)

    @hot
    def held(window: Any) -> Any:
        left = (read(window, least_cell) + read(window, most_cell)) // 2
        return left + read(window, behind_cell)

    def buckets(window: Any, forest: Any) -> Any:
        both = (size_of(window, oldest_cell) > 0) + (size_of(window, newest_cell) > 0)
        return both + forest_size(forest)

    def started(window: Any, forest: Any) -> Any:
        oldest, rest = ends(window, forest)
        least, most = read(window, least_cell), read(window, most_cell)
        if least >= 0:
            return oldest, rest, least, most
        # A policy's cut may lie in any of several buckets.
        cut = end_with(window, forest, -least)
        more = between(forest, start_of(forest), cut)
        rest = between(forest, cut, end_of(forest))
        newest = load(window, newest_cell)
        if more[0] + least < 0:
            more, newest = combine(more, newest), identity
        return combine(oldest, more), combine(rest, newest), least + more[0], most + more[0]

    @hot
    def insert(window: Any, forest: Any, fresh: Any) -> None:
        before = held(window)
        into = newest_cell if size_of(window, newest_cell) > 0 else oldest_cell
        joined = combine(load(window, into), fresh)
        may_join = joins(window, fresh, joined, before)
        began = joined[0] == 1 or not may_join
        if began:
            begin(window, forest, fresh)
        else:
            store(window, into, joined)
            if into == newest_cell:
                move(window, behind_cell, 1)
            else:
                move(window, least_cell, 1)
                move(window, most_cell, 1)
        inserted(window, forest, fresh, before + 1, began)

    def begin(window: Any, forest: Any, fresh: Any) -> None:
        if limited:
            shrink(window, forest, limit(window) - 1)
        if size_of(window, newest_cell) > 0:
            forest_insert(forest, load(window, newest_cell))
            changed(window, forest)
        store(window, newest_cell, fresh)
        move(window, behind_cell, 1)
        begun(window)

    def shrink(window: Any, forest: Any, most: Any) -> None:
        """Merge buckets until there are at most `most`, or one."""
        while buckets(window, forest) > max(most, 1):
            reached(window)
            if forest_size(forest) > 1:
                if start_of(forest) & 1 == 1:
                    put_aside(window, pop(forest))
                store(window, newest_cell, combine(halve(forest), load(window, newest_cell)))
                changed(window, forest)
            elif forest_size(forest) == 1:
                store(window, newest_cell, combine(pop(forest), load(window, newest_cell)))
                changed(window, forest)
            else:
                put_aside(window, take(window, forest, size_of(window, newest_cell)))

    def put_aside(window: Any, bucket: Any) -> None:
        """Make the oldest bucket longer by one that follows it."""
        store(window, oldest_cell, combine(load(window, oldest_cell), bucket))
        move(window, least_cell, bucket[0])
        move(window, most_cell, bucket[0])
        move(window, behind_cell, -bucket[0])

    def bring_oldest(window: Any, forest: Any) -> None:
        if size_of(window, oldest_cell) == 0 and forest_size(forest) > 0:
            put_aside(window, pop(forest))
            changed(window, forest)

    def take(window: Any, forest: Any, updates: Any) -> Any:
        """Take the oldest buckets out, as one, until `updates` of them or more are gone."""
        taken = identity
        if forest_size(forest) > 0:
            end = end_with(window, forest, updates)
            taken = between(forest, start_of(forest), end)
            evict_to(forest, end)
            changed(window, forest)
        if taken[0] < updates:
            taken = combine(taken, load(window, newest_cell))
            store(window, newest_cell, identity)
        return taken

    def evict(window: Any, forest: Any, count: Any) -> None:
        behind = read(window, behind_cell)
        fewest = behind + read(window, least_cell) - count
        most = behind + read(window, most_cell) - count
        start_with(window, forest, max(fewest, 0), most)
        evicted(window, count, held(window))

    @hot
    def trim(window: Any, forest: Any, at_most: Any) -> None:
        behind, least, most = (
            read(window, behind_cell),
            read(window, least_cell),
            read(window, most_cell),
        )
        count = behind + most - at_most
        if count <= 0:
            return
        if count < least and least == most:  # part of the oldest bucket
            write(window, least_cell, least - count)
            write(window, most_cell, most - count)
        else:
            start_with(window, forest, min(behind + least, at_most), at_most)
        evicted(window, count, at_most)

    def start_with(window: Any, forest: Any, fewest: Any, most: Any) -> None:
        """Let go of what is not among the newest `most` updates; at least `fewest` of them stay."""
        if most == 0:
            reset(window, forest)
            return
        oldest = size_of(window, oldest_cell)
        gone = oldest + read(window, behind_cell) - most
        if gone >= oldest:
            if oldest > 0:
                store(window, oldest_cell, identity)
                write(window, least_cell, 0)
                write(window, most_cell, 0)
            let_go(window, forest, gone - oldest)
        behind = read(window, behind_cell)
        if behind > most:
            put_aside(window, take(window, forest, behind - most))
            behind = read(window, behind_cell)
        write(window, least_cell, fewest - behind)
        write(window, most_cell, most - behind)

    def let_go(window: Any, forest: Any, updates: Any) -> None:
        """Evict the whole buckets that have no more updates than that, all together."""
        if updates == 0 or forest_size(forest) == 0:
            return
        within = middle_size(window, forest)
        end = after_updates(forest, updates) if updates < within else end_of(forest)
        if end == start_of(forest):
            return
        evict_to(forest, end)
        changed(window, forest)
        move(window, behind_cell, middle_size(window, forest) - within)

    return WindowCode(
        reset,
        insert,
        held,
        evict,
        trim,
        start_with,
        bring_oldest,
        shrink,
        started,
        buckets,
        between,
        after_updates,
    )
