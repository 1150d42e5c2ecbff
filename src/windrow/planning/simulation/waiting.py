"""Refused tuples that wait to be sent again: a binary heap, O(log n) a try; compiled."""

from typing import Any

from windrow.aggregators.kernels.memory import read_float, read_int, write_float, write_int
from windrow.planning.simulation.rows import add_int, row
from windrow.planning.simulation.world import NEXT_TICKET, SIZE, TICKET, TUPLES

__all__ = ["pop", "push"]


def push(waiting: Any, due: Any) -> Any:
    """The free place of a tuple that is due then; its ticket is set, the rest is the caller's."""
    child = read_int(waiting.used, SIZE)
    place = read_int(waiting.order, child)
    write_int(row(waiting.tuples, place, TUPLES), TICKET, read_int(waiting.used, NEXT_TICKET))
    add_int(waiting.used, SIZE, 1)
    add_int(waiting.used, NEXT_TICKET, 1)
    while child > 0:
        parent = (child - 1) // 2
        if read_float(waiting.due, parent) <= due:
            break  # it is the newest: among equals it stays behind
        _move(waiting, parent, child)
        child = parent
    write_float(waiting.due, child, due)
    write_int(waiting.order, child, place)
    return place


def pop(waiting: Any) -> Any:
    """The place of the tuple that is due first, which is free from now on."""
    first = read_int(waiting.order, 0)
    add_int(waiting.used, SIZE, -1)
    last = read_int(waiting.used, SIZE)
    due, place = read_float(waiting.due, last), read_int(waiting.order, last)
    parent = 0
    while 2 * parent + 1 < last:
        child = 2 * parent + 1
        if child + 1 < last and _is_before(waiting, child + 1, child):
            child += 1
        if _is_before(waiting, last, child):
            break
        _move(waiting, child, parent)
        parent = child
    write_float(waiting.due, parent, due)
    write_int(waiting.order, parent, place)
    write_int(waiting.order, last, first)
    return first


def _move(waiting: Any, here: Any, there: Any) -> None:
    write_float(waiting.due, there, read_float(waiting.due, here))
    write_int(waiting.order, there, read_int(waiting.order, here))


def _is_before(waiting: Any, one: Any, other: Any) -> Any:
    due, other_due = read_float(waiting.due, one), read_float(waiting.due, other)
    if due != other_due:
        return due < other_due
    return _ticket(waiting, one) < _ticket(waiting, other)


def _ticket(waiting: Any, place: Any) -> Any:
    return read_int(row(waiting.tuples, read_int(waiting.order, place), TUPLES), TICKET)
