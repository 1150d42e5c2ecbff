"""Trailing windows over whole columns: two-stacks in blocks, amortised O(1), n/512 partials.

The window `[evicted, row]` is split as in Two-Stacks: a front, whose suffix aggregates are needed
one after the other, and a back, one running aggregate.  The column itself is the queue, so only
the suffixes of the block that is being evicted are ever stored, in a buffer that stays in the
first-level cache; for the blocks after it one suffix each is enough.  Hence the time per row does
not depend on the size of the window.
"""

from typing import Any

import numpy as np

from windrow.aggregators.kernels.compile import kernel
from windrow.aggregators.kernels.operator import Operator

__all__ = ["BLOCK", "trailing_kernel"]

_SHIFT = 9
BLOCK = 1 << _SHIFT
_MASK = BLOCK - 1


def trailing_kernel(operator: Operator, *, by_time: bool, in_blocks: bool) -> Any:
    """The loop for one operator, over the last `width` rows or microseconds.

    A window of at most BLOCK rows needs no blocks: all its suffixes fit the buffer.
    """
    identity, lift, combine = operator.identity, operator.lift, operator.combine
    lower, load, store = operator.lower, operator.load, operator.store

    def fill(
        columns: Any, masks: Any, first: Any, start: Any, end: Any, after: Any, buffer: Any
    ) -> None:
        """Put the suffix aggregates of rows [start, end) into the buffer."""
        suffix = after
        for row in range(end - 1, start - 1, -1):
            suffix = combine(lift(columns, masks, first + row), suffix)
            store(buffer, row & _MASK, suffix)

    def trailing(
        columns: Any, masks: Any, times: Any, groups: Any, width: Any, room: Any, out: Any
    ) -> None:
        buffer, totals, suffixes = room
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
                    if row & _MASK == _MASK:
                        store(totals, row >> _SHIFT, block)
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
                        newest = split >> _SHIFT
                        suffix = block
                        store(suffixes, newest, suffix)
                        for later in range(newest - 1, evicted >> _SHIFT, -1):
                            suffix = combine(load(totals, later), suffix)
                            store(suffixes, later, suffix)
                        filled = -1
                    else:
                        fill(columns, masks, first, evicted, split, identity, buffer)
                if evicted < split:
                    oldest = evicted >> _SHIFT
                    if in_blocks and oldest != filled:
                        end = (oldest + 1) << _SHIFT
                        if end > split:
                            fill(columns, masks, first, evicted, split, identity, buffer)
                        else:
                            after = load(suffixes, oldest + 1)
                            fill(columns, masks, first, evicted, end, after, buffer)
                        filled = oldest
                    state = combine(load(buffer, evicted & _MASK), back)
                    lower(state, results, statuses, first + row)
                else:
                    lower(back, results, statuses, first + row)

    return kernel(trailing)
