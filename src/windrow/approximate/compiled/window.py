"""Windows of buckets on cells: where compiled code has what `forest_window` works with.

    header    updates behind the oldest bucket, the fewest and the most of it that are left, how
              many buckets have been begun, their limit (0: none) and whether it was reached, how
              long a window of time is
    buckets   the oldest, the newest, and all of the forest as one
    methods   their settings and what they learned

The forest of whole buckets is in memory of its own, which can grow.
"""

from typing import Any, NamedTuple

import numpy as np

from windrow.approximate.compiled.method_cells import Kinds
from windrow.approximate.compiled.methods import method_code
from windrow.approximate.compiled.operator import BucketOperator
from windrow.approximate.forest_window import (
    BucketForestCode,
    MemoryCode,
    MethodCode,
    WindowCode,
    window_code,
)
from windrow.compiler.marks import hot
from windrow.kernels.cells import read_int, write_int
from windrow.kernels.forest import (
    CAPACITY,
    EVICTED,
    INSERTED,
    SPLIT,
    Combined,
    forest_code,
    whole_nodes,
)

__all__ = ["CellsCode", "bucket_at", "cells_code", "first_method_of"]

# Numbers of numpy's, since plain ones have types of their own: all would be compiled for each.
BEHIND, LEAST, MOST, BEGUN, LIMIT, REACHED, DURATION = map(np.int64, range(7))
OLDEST, NEWEST, MIDDLE = map(np.int64, range(3))
_BUCKETS = 8


def first_method_of(operator: BucketOperator) -> int:
    """The cell where methods begin."""
    return _BUCKETS + 3 * len(operator.state)


class WholeCode(NamedTuple):
    """The forest of a window, and what is beyond what every window asks of it."""

    forest: BucketForestCode
    has_room: Any  # has_room(forest) → whether one more bucket may come
    total: Any  # total(forest) → all of them as one
    after_updates: Any  # after_updates(forest, most) → the number behind those that have no more
    # refill(forest, leaves, evicted, split): the forest of these, to the last digit; leaves are an
    # address, where fields follow each other, and how many there are
    refill: Any
    between: Any  # between(forest, start, end) → those with these numbers, as one


def _whole_code(operator: Combined) -> WholeCode:
    """A forest of whole buckets of one kind: `approximate.buckets` on cells."""
    nodes = whole_nodes(operator)
    functions = forest_code(operator, nodes)
    get_node, put_node = nodes.get, nodes.put
    node, evict_to, rebuild_front = functions.node, functions.evict_to, functions.rebuild_front
    reset, insert, total = functions.reset, functions.insert, functions.total
    identity, combine, load_leaf = operator.identity, operator.combine, operator.load_cells

    def size(forest: Any) -> Any:
        return read_int(forest, INSERTED) - read_int(forest, EVICTED)

    def is_odd(forest: Any) -> Any:
        return read_int(forest, EVICTED) & 1 == 1

    def pop(forest: Any) -> Any:
        number = read_int(forest, EVICTED)
        oldest = get_node(forest, 0, number)
        evict_to(forest, number + 1)
        return oldest

    def evict_all(forest: Any) -> None:
        evict_to(forest, read_int(forest, INSERTED))

    def between(forest: Any, start: Any, end: Any) -> Any:
        found = identity
        while end > start:
            size = end & -end
            while size > end - start:
                size >>= 1
            found = combine(node(forest, end - size, end), found)
            end -= size
        return found

    def after_updates(forest: Any, most: Any) -> Any:
        """The number behind the oldest that together have no more updates than that."""
        position, end = read_int(forest, EVICTED), read_int(forest, INSERTED)
        level, climbs = 0, True
        while level >= 0:
            size = 1 << level
            fits = position & (size - 1) == 0 and position + size <= end
            if fits:
                updates = get_node(forest, level, position >> level)[0]
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

    def evict_updates(forest: Any, most: Any) -> None:
        position = after_updates(forest, most)
        if position > read_int(forest, EVICTED):
            evict_to(forest, position)

    def take_updates(forest: Any, least: Any, everything: Any) -> Any:
        end = read_int(forest, INSERTED)
        if least < everything:
            end = after_updates(forest, least - 1) + 1
        taken = between(forest, read_int(forest, EVICTED), end)
        evict_to(forest, end)
        return taken

    def parted(forest: Any, least: Any, everything: Any) -> Any:
        start, end = read_int(forest, EVICTED), read_int(forest, INSERTED)
        if least >= everything:
            return total(forest), identity
        middle = after_updates(forest, least - 1) + 1
        return between(forest, start, middle), between(forest, middle, end)

    def refill(forest: Any, leaves: Any, evicted: Any, split: Any) -> None:
        reset(forest)
        for counter in (EVICTED, SPLIT, INSERTED):
            write_int(forest, counter, evicted)
        for number in range(leaves[1]):
            if evicted + number == split:
                rebuild_front(forest, evicted)
            insert(forest, load_leaf(leaves[0], number, leaves[1]))
        if evicted + leaves[1] == split:
            rebuild_front(forest, evicted)

    def halve(forest: Any) -> Any:
        evicted, inserted = read_int(forest, EVICTED), read_int(forest, INSERTED)
        alone = identity
        if inserted & 1 == 1:
            inserted -= 1
            alone = get_node(forest, 0, inserted)
        level = 1
        while read_int(forest, CAPACITY) >> level > 0:
            # Nodes that start before the window are dead.
            for index in range((evicted + (1 << level) - 1) >> level, inserted >> level):
                put_node(forest, level - 1, index, get_node(forest, level, index))
            level += 1
        write_int(forest, EVICTED, evicted >> 1)
        write_int(forest, INSERTED, inserted >> 1)
        rebuild_front(forest, evicted >> 1)
        return alone

    trees = BucketForestCode(
        reset, insert, size, is_odd, pop, evict_all, evict_updates, take_updates, parted, halve
    )
    return WholeCode(trees, functions.has_room, total, after_updates, refill, between)


def bucket_at(operator: BucketOperator, which: int) -> slice:
    """The cells of the oldest bucket, 0, or the newest, 1."""
    start = _BUCKETS + which * len(operator.state)
    return slice(start, start + len(operator.state))


class CellsCode(NamedTuple):
    """What kernels call; a window and its forest are addresses."""

    window: WindowCode
    memory: MemoryCode
    methods: MethodCode
    whole: WholeCode
    refill: Any  # refill(window, forest, leaves, evicted, split): whole buckets that were kept


def cells_code(operator: BucketOperator, kinds: Kinds) -> CellsCode:
    """The functions for one kind of buckets and methods, to be compiled into kernels."""
    combine, fields = operator.combine, len(operator.state)
    load_cells, store_cells = operator.load_cells, operator.store_cells
    whole = _whole_code(operator)
    total, refill_forest = whole.total, whole.refill

    @hot
    def load(window: Any, which: Any) -> Any:
        return load_cells(window, _BUCKETS + which * fields, 1)

    @hot
    def store(window: Any, which: Any, bucket: Any) -> None:
        store_cells(window, _BUCKETS + which * fields, 1, bucket)

    @hot
    def size(window: Any, which: Any) -> Any:
        return read_int(window, _BUCKETS + which * fields)

    @hot
    def begun(window: Any) -> None:
        write_int(window, BEGUN, read_int(window, BEGUN) + 1)

    def changed(window: Any, forest: Any) -> None:
        store(window, MIDDLE, total(forest))

    @hot
    def middle_size(window: Any, forest: Any) -> Any:
        return size(window, MIDDLE)

    @hot
    def ends(window: Any, forest: Any) -> Any:
        return load(window, OLDEST), combine(load(window, MIDDLE), load(window, NEWEST))

    def refill(window: Any, forest: Any, leaves: Any, evicted: Any, split: Any) -> None:
        refill_forest(forest, leaves, evicted, split)
        changed(window, forest)

    memory = MemoryCode(
        counters=(BEHIND, LEAST, MOST),
        read=read_int,
        write=write_int,
        places=(OLDEST, NEWEST),
        load=load,
        store=store,
        size=size,
        begun=begun,
        changed=changed,
        middle_size=middle_size,
        ends=ends,
    )
    methods = method_code(operator, kinds, first_method_of(operator), LIMIT, load)
    window = window_code(operator.identity, combine, memory, whole.forest, methods)
    return CellsCode(window, memory, methods, whole, refill)
