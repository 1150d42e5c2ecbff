"""Segments of columns folded into one state each, and states lowered: one pass, O(1) a row.

A state that has seen no row is the identity; `seen` marks the others, so that numeric forms need
not remember it themselves.
"""

from typing import Any

from windrow.compiler.kernel import Kernel
from windrow.kernels.operator import Operator

__all__ = ["folding_kernel", "lowering_kernel"]


def folding_kernel(operator: Operator) -> Any:
    """The loop `folding(columns, known, borders, fields, seen)` for one operator.

    Segment s has the rows [borders[s], borders[s + 1]); `known` says which rows count, and is
    empty where all do.
    """
    identity, lift, combine = operator.identity, operator.lift, operator.combine
    store = operator.store

    def folding(columns: Any, known: Any, borders: Any, fields: Any, seen: Any) -> None:
        all_known = len(known) == 0
        for segment in range(len(borders) - 1):
            state = identity
            any_known = False
            for row in range(borders[segment], borders[segment + 1]):
                if all_known or known[row]:
                    state = combine(state, lift(columns, (), row))
                    any_known = True
            store(fields, segment, state)
            seen[segment] = any_known

    return Kernel(folding, element_us=1.0)


def lowering_kernel(operator: Operator) -> Any:
    """The loop `lowering(fields, known, out)` for one operator: a result for each state."""
    load, lower, lower_nothing = operator.load, operator.lower, operator.lower_nothing

    def lowering(fields: Any, known: Any, out: Any) -> None:
        results, statuses = out
        all_known = len(known) == 0
        for row in range(len(statuses[0])):
            if all_known or known[row]:
                lower(load(fields, row), results, statuses, row)
            else:
                lower_nothing(results, statuses, row)

    return Kernel(lowering, element_us=1.0)
