"""Refused tuples that wait to be sent again: a binary heap, O(log n) a try; compiled."""

from typing import Any

import numpy as np

from windrow.errors import InputError
from windrow.kernels.cells import read_float, read_int, write_float, write_int
from windrow.topology.simulation import columns as at
from windrow.topology.simulation.world import Waiting, add_int, row

__all__ = ["grown", "pop", "push", "waiting_room"]


def push(waiting: Any, due: Any) -> Any:
    """The free place of a tuple that is due then; its ticket is set, the rest is the caller's."""
    child = read_int(waiting.used, at.SIZE)
    place = read_int(waiting.order, child)
    write_int(
        row(waiting.tuples, place, at.TUPLES), at.TICKET, read_int(waiting.used, at.NEXT_TICKET)
    )
    add_int(waiting.used, at.SIZE, 1)
    add_int(waiting.used, at.NEXT_TICKET, 1)
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
    add_int(waiting.used, at.SIZE, -1)
    last = read_int(waiting.used, at.SIZE)
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
    return read_int(row(waiting.tuples, read_int(waiting.order, place), at.TUPLES), at.TICKET)


_PLACES = 1024
_MOST_PLACES = 2**24  # 1.3 GB


def waiting_room(places: int = _PLACES) -> Waiting:
    """An empty queue with room for this many."""
    return Waiting(
        room=places,
        used=np.zeros(2, np.int64),
        due=np.empty(places),
        order=np.arange(places),
        tuples=np.zeros((places, at.TUPLES), np.int64),
        numbers=np.zeros((places, at.NUMBERS)),
    )


def grown(waiting: Waiting) -> Waiting:
    """The same tuples with twice the room."""
    places = waiting.room
    if places >= _MOST_PLACES:
        raise InputError(
            f"{places:,} refused tuples wait to be sent again: on_refusal=Refusal.RETRY cannot "
            "help a plan that takes less than it is sent; give it more nodes, or drop"
        )
    larger = waiting_room(2 * places)
    for old, new in zip(waiting[1:], larger[1:], strict=True):
        new[: len(old)] = old
    return larger
