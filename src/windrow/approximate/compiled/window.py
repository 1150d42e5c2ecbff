"""Windows of buckets on cells: where compiled code has what `forest_window` works with.

    header    updates behind the oldest bucket, the fewest and the most of it that are left, how
              many buckets have been begun, how long a window of time is
    buckets   the oldest, the newest, and all of the forest as one
    methods   their settings and what they learned (`method`)

The forest of whole buckets is in memory of its own, which can grow.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from windrow.approximate.compiled.operator import BucketOperator, BucketPart
from windrow.approximate.forest_window import (
    BucketForestCode,
    MemoryCode,
    WindowCode,
    window_code,
)
from windrow.approximate.method import LIMIT, Kind
from windrow.approximate.method_code import CellAccess, Told, method_code
from windrow.approximate.sliding import slide_code
from windrow.compiler.marks import hot
from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.kernels.forest import (
    CAPACITY,
    EVICTED,
    INSERTED,
    SPLIT,
    Combined,
    ForestCode,
    forest_code,
    whole_nodes,
)

__all__ = ["CellsCode", "bucket_at", "cells_code", "first_method_of"]

# Numbers of numpy's, since plain ones have types of their own: all would be compiled for each.
BEHIND, LEAST, MOST, BEGUN, DURATION = map(np.int64, range(5))
OLDEST, NEWEST, MIDDLE = map(np.int64, range(3))
_BUCKETS = 8


def first_method_of(operator: BucketOperator) -> Any:
    """The cell where methods begin."""
    return np.int64(_BUCKETS + 3 * len(operator.state))


def _trees(operator: Combined, functions: ForestCode) -> BucketForestCode:
    """A forest of whole buckets of one kind: `approximate.buckets` on cells."""
    get_node, _, put_node, *_ = whole_nodes(operator)
    identity, rebuild_front = operator.identity, functions.rebuild_front

    def start(forest: Any) -> Any:
        return read_int(forest, EVICTED)

    def end(forest: Any) -> Any:
        return read_int(forest, INSERTED)

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

    reset, insert, evict_to = functions.reset, functions.insert, functions.evict_to
    return BucketForestCode(reset, insert, start, end, get_node, evict_to, halve)


def bucket_at(operator: BucketOperator, which: int) -> slice:
    """The cells of the oldest bucket, 0, or the newest, 1."""
    start = _BUCKETS + which * len(operator.state)
    return slice(start, start + len(operator.state))


class CellsCode(NamedTuple):
    """What kernels call; a window and its forest are addresses."""

    window: WindowCode
    memory: MemoryCode
    has_room: Any  # has_room(forest) → whether one more bucket may come
    slide: Any  # slide(window, forest): enforce the policy; without one, nothing happens
    # refill(window, forest, leaves, evicted, split): the forest of whole buckets that were kept, to
    # the last digit; leaves are an address, where fields follow each other, and how many there are
    refill: Any


def cells_code(operator: BucketOperator, kinds: Sequence[Kind]) -> CellsCode:
    """The functions for one kind of buckets and methods, to be compiled into kernels."""
    combine, fields = operator.combine, len(operator.state)
    load_cells, store_cells = operator.load_cells, operator.store_cells
    functions = forest_code(operator)
    trees, total = _trees(operator, functions), functions.total
    reset, insert, rebuild_front = functions.reset, functions.insert, functions.rebuild_front

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
        reset(forest)
        for counter in (EVICTED, SPLIT, INSERTED):
            write_int(forest, counter, evicted)
        for number in range(leaves[1]):
            if evicted + number == split:
                rebuild_front(forest, evicted)
            insert(forest, load_cells(leaves[0], number, leaves[1]))
        if evicted + leaves[1] == split:
            rebuild_front(forest, evicted)
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
    first_method = first_method_of(operator)

    def limit(window: Any) -> Any:
        return read_int(window, first_method + LIMIT)

    told = [_told(part, own, load) for part, own in zip(operator.parts, operator.own, strict=True)]
    methods = method_code(kinds, told, _CELLS, first_method, limit)
    identity = operator.identity
    window = window_code(identity, combine, memory, trees, methods)
    slide, policy = _stay, operator.watch.policy
    if policy is not None:
        line = identity, combine, memory, trees, methods, window
        slide = slide_code(*line, policy, operator.watched)
    return CellsCode(window, memory, functions.has_room, slide, refill)


def _stay(window: Any, forest: Any) -> None:
    """Without a policy nothing slides."""


def _ordered(window: Any, cell: Any, count: Any) -> Any:
    ordered = np.empty(count, np.float64)
    for k in range(count):
        ordered[k] = read_float(window, cell + k)
    ordered.sort()
    return ordered


_CELLS = CellAccess(read_float, read_int, write_float, write_int, _ordered)


def _told(part: BucketPart, own: Any, load: Any) -> Told:
    worst_of, total_of, deciding_of = part.code.worst, part.code.total, part.code.deciding

    @hot
    def worst(bucket: Any) -> Any:
        return worst_of(own(bucket), bucket[0])

    @hot
    def total(window: Any, forest: Any, held: Any) -> Any:
        behind = total_of(own(load(window, MIDDLE))) + total_of(own(load(window, NEWEST)))
        return total_of(own(load(window, OLDEST))) + behind

    @hot
    def deciding(bucket: Any) -> Any:
        return deciding_of(own(bucket))

    return Told(worst, total, deciding)
