"""Trailing windows over whole columns: two-stacks in blocks, amortised O(1), n/512 partials."""

from typing import Any

import numpy as np

from windrow.compiler.kernel import kernel
from windrow.kernels.fronts import MASK, SHIFT, front_of
from windrow.kernels.operator import Operator

__all__ = ["trailing_kernel"]


def trailing_kernel(operator: Operator, *, by_time: bool, in_blocks: bool) -> Any:
    """The loop for one operator, over the last `width` rows or microseconds.

    A window of at most BLOCK rows needs no blocks: all its suffixes fit the buffer.
    """
    identity, lift, combine = operator.identity, operator.lift, operator.combine
    lower, load, store = operator.lower, operator.load, operator.store
    fill, found, enter = front_of(operator)

    def trailing(
        columns: Any, masks: Any, times: Any, groups: Any, width: Any, room: Any, out: Any
    ) -> None:
        buffer, totals, _ = room
        results, statuses = out
        for group in range(len(groups) - 1):
            first = groups[group]
            evicted = split = 0
            filled = -1  # the block whose suffixes are in the buffer
            back = block = identity
            for row in range(groups[group + 1] - first):
                state = lift(columns, masks, first + row)
                back = combine(back, state)
                if in_blocks:
                    block = combine(block, state)
                    if row & MASK == MASK:
                        store(totals, row >> SHIFT, block)
                        block = identity
                if by_time:
                    # Ages are unsigned: between the ends of time they exceed 63 bits.
                    now = times[first + row]
                    while np.uint64(now - times[first + evicted]) >= np.uint64(width):
                        evicted += 1
                else:
                    evicted = max(row + 1 - width, 0)
                if evicted > split:
                    # The front is used up: all there is becomes the front.
                    split = row + 1
                    back = identity
                    if in_blocks:
                        found(evicted, split, block, room)
                        filled = -1
                    else:
                        fill(columns, masks, first, evicted, split, identity, buffer)
                if evicted < split:
                    if in_blocks and evicted >> SHIFT != filled:
                        filled = enter(columns, masks, first, evicted, split, room)
                    state = combine(load(buffer, evicted & MASK), back)
                    lower(state, results, statuses, first + row)
                else:
                    lower(back, results, statuses, first + row)

    return kernel(trailing)
