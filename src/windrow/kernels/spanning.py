"""Stretches of rows that slide over whole columns: amortised O(1) for each row and each stretch."""

from typing import Any

from windrow.compiler.kernel import kernel
from windrow.kernels.fronts import MASK, SHIFT, front_of
from windrow.kernels.operator import Operator

__all__ = ["spanning_kernel"]


def spanning_kernel(operator: Operator, *, empties: bool) -> Any:
    """The loop `spanning(columns, masks, since, until, room, out)` for one operator.

    Stretch s has the rows [since[s], until[s]); neither begins nor ends go back.  With `empties`
    one may have none although no row is masked, and states need not know that.
    """
    identity, lift, combine = operator.identity, operator.lift, operator.combine
    lower, load, store = operator.lower, operator.load, operator.store
    lower_nothing = operator.lower_nothing
    _, found, enter = front_of(operator)

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

    return kernel(spanning)
