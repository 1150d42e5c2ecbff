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
from windrow.approximate.compiled.whole import WholeCode, whole_code
from windrow.approximate.forest_window import MemoryCode, MethodCode, WindowCode, window_code
from windrow.compiler.marks import hot
from windrow.kernels.cells import read_int, write_int

__all__ = ["CellsCode", "bucket_at", "cells_code", "first_method_of"]

# Numbers of numpy's, since plain ones have types of their own: all would be compiled for each.
BEHIND, LEAST, MOST, BEGUN, LIMIT, REACHED, DURATION = map(np.int64, range(7))
OLDEST, NEWEST, MIDDLE = map(np.int64, range(3))
_BUCKETS = 8


def first_method_of(operator: BucketOperator) -> int:
    """The cell where methods begin."""
    return _BUCKETS + 3 * len(operator.state)


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
    whole = whole_code(operator)
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
