"""Rows along a line or ring of units, each folded into all its windows: HSA, RRA, HOA, RRCA."""

from collections.abc import Callable, Iterator, Sequence

from windrow.parallel.counts import Delivery
from windrow.parallel.methods import Method
from windrow.parallel.simulation.unit import Answer, Key, Row, Task, Unit, note_memory

__all__ = ["along_lines"]


def along_lines(
    task: Task, rows: Sequence[Row], method: Method, delivery: Delivery
) -> tuple[list[Unit], list[Answer], int]:
    """All rows in the order of time; the units, their answers, and the most states held at once."""
    units, answers, most = Unit.several(task), list[Answer](), 0
    owner = _owners(task, method)
    for place, (time, key, value) in enumerate(rows):
        # One clock for all: a unit that gets no rows closes its windows as the others do.
        for unit in units:
            answers += unit.answers(time)
        windows = task.windows(time)
        entry = place % task.units  # where a ring takes the row in
        if method is Method.HASH_ONCE:
            units[entry].done["hashes"] += len(windows)
        owners = {number: owner(key, number) for number in windows}
        for me in _visited(task, method, delivery, entry, list(owners.values())):
            unit = units[me]
            unit.done["copies"] += 1
            unit.done["forwards"] += not (
                method is Method.HASH_ONCE and delivery is Delivery.OWNERS
            )
            for number, its_owner in owners.items():
                unit.done["hashes"] += method is Method.HANDSHAKE
                if its_owner == me:
                    unit.done["lifts"] += 1
                    lifted = task.monoid.lift_row(value)
                    unit.windows.add((key, number), task.end(number), lifted)
        most = max(most, note_memory(units))
    for unit in units:
        answers += unit.answers(None)
    return units, answers, most


def _visited(
    task: Task, method: Method, delivery: Delivery, entry: int, owners: Sequence[int]
) -> Iterator[int]:
    """The units that a row comes to, one after the other."""
    if method in (Method.HANDSHAKE, Method.ROUND_ROBIN):
        yield from range(task.units)
    elif delivery is Delivery.ALL:
        yield from ((entry + step) % task.units for step in range(task.units))
    else:
        yield from dict.fromkeys(owners)  # of windows in a row: neighbours, if dealt out in turn


def _owners(task: Task, method: Method) -> Callable[[Key, int], int]:
    """Who owns a window: the next in turn, or whom a hash names."""
    if method in (Method.ROUND_ROBIN, Method.ROUND_ROBIN_CYCLIC):
        return lambda key, number: number % task.units
    return lambda key, number: task.hashed((key, number)) % task.units
