"""Trailing windows over whole columns: two-stacks in blocks, amortised O(1), n/512 partials.

A window over rows `[evicted, end)` is split as in Two-Stacks: a front, whose suffix aggregates are
needed one after the other, and a back, one running aggregate.  The column itself is the queue, so
only the suffixes of the block that is being evicted are ever stored, in a buffer that stays in the
first-level cache; for the blocks after it one suffix each is enough.  Hence the time per row does
not depend on the size of the window.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windrow.compiler.kernel import Kernel
from windrow.kernels.operator import Operator, fields_of

__all__ = ["BLOCK", "room_for", "spanning_kernel", "trailing_kernel"]

SHIFT = 9
BLOCK = 1 << SHIFT
MASK = BLOCK - 1


class _Front(NamedTuple):
    """What a loop does with the front; `room` is what `room_for` gave."""

    fill: Callable[..., None]  # fill(columns, masks, first, start, end, after, buffer)
    found: Callable[..., None]  # found(evicted, split, block, room)
    enter: Callable[..., Any]  # enter(columns, masks, first, evicted, split, room)


def _front_of(operator: Operator) -> _Front:
    """The front for one operator.

    Rows count from `first`.  When the front is used up, `found` makes one of all rows before
    `split`, given the totals of whole blocks in the room and that of the last one so far.  When
    the front's oldest row moves to another block, `enter` prepares the buffer.
    """
    lift, combine, load, store = operator.lift, operator.combine, operator.load, operator.store
    identity = operator.identity

    def fill(
        columns: Any, masks: Any, first: Any, start: Any, end: Any, after: Any, buffer: Any
    ) -> None:
        """Put the suffix aggregates of rows [start, end) into the buffer."""
        suffix = after
        for row in range(end - 1, start - 1, -1):
            suffix = combine(lift(columns, masks, first + row), suffix)
            store(buffer, row & MASK, suffix)

    def found(evicted: Any, split: Any, block: Any, room: Any) -> None:
        _, totals, suffixes = room
        newest = split >> SHIFT
        suffix = block
        store(suffixes, newest, suffix)
        for later in range(newest - 1, evicted >> SHIFT, -1):
            suffix = combine(load(totals, later), suffix)
            store(suffixes, later, suffix)

    def enter(columns: Any, masks: Any, first: Any, evicted: Any, split: Any, room: Any) -> Any:
        buffer, _, suffixes = room
        oldest = evicted >> SHIFT
        end = (oldest + 1) << SHIFT
        if end > split:
            fill(columns, masks, first, evicted, split, identity, buffer)
        else:
            fill(columns, masks, first, evicted, end, load(suffixes, oldest + 1), buffer)
        return oldest

    return _Front(fill, found, enter)


def room_for(operator: Operator, rows: int) -> tuple[Any, ...]:
    """The buffer, and the totals and suffixes of the blocks of this many rows."""
    blocks = rows // BLOCK + 2
    return tuple(fields_of(operator.state, length) for length in (BLOCK, blocks, blocks))


def trailing_kernel(operator: Operator, *, by_time: bool, in_blocks: bool) -> Any:
    """The loop for one operator, over the last `width` rows or microseconds.

    A window of at most BLOCK rows needs no blocks: all its suffixes fit the buffer.
    """
    identity, lift, combine = operator.identity, operator.lift, operator.combine
    lower, load, store = operator.lower, operator.load, operator.store
    fill, found, enter = _front_of(operator)

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

    return Kernel(trailing)


def spanning_kernel(operator: Operator, *, empties: bool) -> Any:
    """The loop `spanning(columns, masks, since, until, room, out)` for one operator.

    Stretch s has the rows [since[s], until[s]); neither begins nor ends go back.  With `empties`
    one may have none although no row is masked, and states need not know that.
    """
    identity, lift, combine = operator.identity, operator.lift, operator.combine
    lower, load, store = operator.lower, operator.load, operator.store
    lower_nothing = operator.lower_nothing
    _, found, enter = _front_of(operator)

    def spanning(columns: Any, masks: Any, since: Any, until: Any, room: Any, out: Any) -> None:
        buffer, totals, _ = room
        results, statuses = out
        end = split = 0
        filled = -1  # the block whose suffixes are in the buffer
        back = block = identity
        for stretch in range(len(since)):
            evicted = since[stretch]
            if evicted > end:  # rows that no stretch has
                end = split = evicted
                filled = -1
                back = block = identity
            while end < until[stretch]:
                state = lift(columns, masks, end)
                back = combine(back, state)
                block = combine(block, state)
                if end & MASK == MASK:
                    store(totals, end >> SHIFT, block)
                    block = identity
                end += 1
            if evicted > split:
                # The front is used up: all there is becomes the front.
                split = end
                back = identity
                found(evicted, split, block, room)
                filled = -1
            if empties and evicted == end:
                lower_nothing(results, statuses, stretch)
            elif evicted < split:
                if evicted >> SHIFT != filled:
                    filled = enter(columns, masks, 0, evicted, split, room)
                lower(combine(load(buffer, evicted & MASK), back), results, statuses, stretch)
            else:
                lower(back, results, statuses, stretch)

    return Kernel(spanning)
