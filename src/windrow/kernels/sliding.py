"""Windows under a slide policy over whole columns: AMTA, amortised O(1), slides O(log n)."""

from typing import Any

from windrow.compiler.kernel import Kernel
from windrow.kernels.cells import read_int, write_int
from windrow.kernels.forest import (
    DEPTH,
    EVICTED,
    INSERTED,
    SPLIT,
    TURNED,
    ForestCode,
    forest_code,
)
from windrow.kernels.operator import Operator
from windrow.kernels.policy import JudgeCode

__all__ = ["slide_code", "sliding_kernel"]


def sliding_kernel(operator: Operator, judge: JudgeCode) -> Any:
    """The loop for one operator and policy over one group, rows [first, end), from `row` on.

    Rows that are `settled` only come in: the window does not slide, and they have no result; the
    array is empty where no row is.  Returns the row to go on with once the forest has been moved
    to a larger one, or `end`.
    """
    functions = forest_code(operator)
    reset, insert, total = functions.reset, functions.insert, functions.total
    has_room = functions.has_room
    slide = slide_code(operator, judge, functions)
    lift, lower, lower_nothing = operator.lift, operator.lower, operator.lower_nothing

    def sliding(
        columns: Any,
        masks: Any,
        settled: Any,
        first: Any,
        row: Any,
        end: Any,
        forest: Any,
        out: Any,
    ) -> Any:
        results, statuses = out
        all_slide = len(settled) == 0
        if row == first:
            reset(forest)
        while row < end:
            if not has_room(forest):
                return row
            insert(forest, lift(columns, masks, row))
            if all_slide or not settled[row]:
                slide(forest, False)
                if read_int(forest, EVICTED) == read_int(forest, INSERTED):
                    lower_nothing(results, statuses, row)
                else:
                    lower(total(forest), results, statuses, row)
            row += 1
        return row

    return Kernel(sliding, element_us=40.0)


def slide_code(operator: Operator, judge: JudgeCode, functions: ForestCode) -> Any:
    """Enforce a policy on a forest: `windrow.structures.search` in compiled form.

    Says whether that is done; if not, something was missed, and the slide goes on with `again`:
    what had to go in any case may be evicted already, and predicates must not forget it.
    """
    identity, combine = operator.identity, operator.combine
    node, total, evict_to = functions.node, functions.total, functions.evict_to
    stacked, back = functions.stacked, functions.back
    missed, reaches = functions.missed, functions.reaches
    note, noted = functions.note, functions.noted
    keeps, condemns, drops = judge

    def prefix_to(forest: Any, evicted: Any, start: Any, end: Any) -> Any:
        if drops:
            return combine(evicted, node(forest, start, end))
        return evicted

    def must_go(forest: Any, end: Any, prefix: Any, after: Any, before: Any) -> Any:
        if end == read_int(forest, INSERTED):
            return False, False
        refused = not keeps(after)
        return refused or condemns(prefix, after, before), refused

    def begun(forest: Any, again: Any) -> Any:
        if again and read_int(forest, TURNED):
            return noted(forest)
        write_int(forest, TURNED, 0)
        before = total(forest)
        return identity, before, not keeps(before)

    def slide(forest: Any, again: Any) -> Any:
        evicted, before, refused = begun(forest, again)
        if not refused and not drops:
            return True
        start, depth = read_int(forest, EVICTED), read_int(forest, DEPTH)
        while True:
            if start == read_int(forest, SPLIT):
                # All the front goes: make the back the front, whose blocks the stack knows.
                if missed(forest) or not reaches(forest, start):
                    return False
                evict_to(forest, start)
                note(forest, evicted, before, refused)
                depth = read_int(forest, DEPTH)
            if depth > 0:
                depth -= 1
                end, suffix = stacked(forest, depth)
                after = combine(suffix, back(forest))
            else:
                end, after = read_int(forest, SPLIT), back(forest)
            prefix = prefix_to(forest, evicted, start, end)
            goes, still_refused = must_go(forest, end, prefix, after, before)
            if not goes:
                break
            start, evicted, refused = end, prefix, still_refused
        while end - start > 1:
            middle = (start + end) // 2
            later = combine(node(forest, middle, end), after)
            prefix = prefix_to(forest, evicted, start, middle)
            goes, still_refused = must_go(forest, middle, prefix, later, before)
            if goes:
                start, evicted, refused = middle, prefix, still_refused
            else:
                end, after = middle, later
        position = start + refused
        if position > read_int(forest, EVICTED):
            if missed(forest) or not reaches(forest, position):
                return False
            evict_to(forest, position)
        return not missed(forest)

    return slide
