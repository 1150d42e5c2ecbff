"""A window kept in a compiled forest, step by step: what compiled windows call."""

from typing import Any, NamedTuple

from windrow.compiler.kernel import Kernel
from windrow.kernels.cells import read_int
from windrow.kernels.forest import EVICTED, INSERTED, NodeCode, forest_code
from windrow.kernels.operator import Operator
from windrow.kernels.policy import JudgeCode
from windrow.kernels.sliding import slide_code

__all__ = ["Steps", "make_steps"]


class Steps(NamedTuple):
    """The kernels of one window; a forest is its address."""

    reset: Any  # reset(forest)
    extend: Any  # extend(columns, masks, row, end, forest) → the row to go on with, or end
    advance: Any  # advance(columns, masks, row, end, forest, out) → the same: insert, evict, query
    evict_to: Any  # evict_to(forest, position) → whether that could be done
    answer: Any  # answer(forest, out)
    slide: Any  # slide(forest, again) → whether that could be done; None without a policy


def make_steps(operator: Operator, judge: JudgeCode | None, nodes: NodeCode | None = None) -> Steps:
    """The kernels for one operator and policy, over nodes in memory unless said otherwise."""
    functions = forest_code(operator, nodes)
    insert, evict, total = functions.insert, functions.evict_to, functions.total
    has_room, reaches = functions.has_room, functions.reaches
    lift, lower, lower_nothing = operator.lift, operator.lower, operator.lower_nothing

    def extend(columns: Any, masks: Any, row: Any, end: Any, forest: Any) -> Any:
        while row < end and has_room(forest):
            insert(forest, lift(columns, masks, row))
            row += 1
        return row

    def advance(columns: Any, masks: Any, row: Any, end: Any, forest: Any, out: Any) -> Any:
        results, statuses = out
        while row < end:
            oldest = read_int(forest, EVICTED)
            if not has_room(forest) or not reaches(forest, oldest + 1):
                return row
            insert(forest, lift(columns, masks, row))
            evict(forest, oldest + 1)
            lower(total(forest), results, statuses, row)
            row += 1
        return row

    def evict_to(forest: Any, position: Any) -> Any:
        if not reaches(forest, position):
            return False
        evict(forest, position)
        return True

    def answer(forest: Any, out: Any) -> None:
        results, statuses = out
        if read_int(forest, INSERTED) == read_int(forest, EVICTED):
            lower_nothing(results, statuses, 0)
        else:
            lower(total(forest), results, statuses, 0)

    return Steps(
        reset=Kernel(functions.reset),
        extend=Kernel(extend, element_us=20.0),
        advance=Kernel(advance, element_us=20.0),
        evict_to=Kernel(evict_to),
        answer=Kernel(answer),
        slide=None if judge is None else Kernel(slide_code(operator, judge, functions)),
    )
