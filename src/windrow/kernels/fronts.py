"""The front of a window that slides over columns: suffixes of its oldest block, one for the others.

A window over rows `[evicted, end)` is split as in Two-Stacks: a front, whose suffix aggregates are
needed one after the other, and a back, one running aggregate.  The column itself is the queue, so
only the suffixes of the block that is being evicted are ever stored, in a buffer that stays in the
first-level cache; for the blocks after it one suffix each is enough.  Hence the time per row does
not depend on the size of the window.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from windrow.kernels.operator import Operator, fields_of

__all__ = ["BLOCK", "MASK", "SHIFT", "Front", "front_of", "room_for"]

SHIFT = 9
BLOCK = 1 << SHIFT
MASK = BLOCK - 1


class Front(NamedTuple):
    """What a loop does with the front; `room` is what `room_for` gave."""

    fill: Callable[..., None]  # fill(columns, masks, first, start, end, after, buffer)
    found: Callable[..., None]  # found(evicted, split, block, room)
    enter: Callable[..., Any]  # enter(columns, masks, first, evicted, split, room)


def front_of(operator: Operator) -> Front:
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

    return Front(fill, found, enter)


def room_for(operator: Operator, rows: int) -> tuple[Any, ...]:
    """The buffer, and the totals and suffixes of the blocks of this many rows."""
    blocks = rows // BLOCK + 2
    return tuple(fields_of(operator.state, length) for length in (BLOCK, blocks, blocks))
