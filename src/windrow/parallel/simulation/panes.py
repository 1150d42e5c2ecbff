"""Rows at the owner of their pane, slices along a ring to the owners of their windows: RRCPA.

Panes are cut into slices where the advance does not divide the size.  All units see one clock, so
slices set out in the order of time, and states are combined in it.
"""

from collections.abc import Sequence

from windrow.parallel.simulation.unit import Answer, Row, Task, Unit, note_memory

__all__ = ["by_panes"]


def by_panes(task: Task, rows: Sequence[Row]) -> tuple[list[Unit], list[Answer], int]:
    """All rows in the order of time; the units, their answers, and the most states held at once."""
    units, answers, most = Unit.several(task), list[Answer](), 0

    def tell(clock: int | None) -> None:
        nonlocal most
        ended = [closed for unit in units for closed in unit.slices.closed(clock)]
        for (key, edges), state in sorted(ended, key=lambda closed: closed[0][1]):
            _send(task, units, key, edges, state)
        most = max(most, note_memory(units))
        for unit in units:
            answers.extend(unit.answers(clock))

    for time, key, value in rows:
        tell(time)
        if windows := task.windows(time):
            unit = units[windows[-1] % task.units]  # a pane is numbered as the window it begins
            unit.done["copies"] += 1
            unit.done["lifts"] += 1
            edges = task.slice(time)
            unit.slices.add((key, edges), edges[1], task.monoid.lift_row(value))
            most = max(most, note_memory(units))
    tell(None)
    return units, answers, most


def _send(
    task: Task, units: list[Unit], key: object, edges: tuple[int, int], state: object
) -> None:
    """Counterclockwise from the owner of the newest window to that of the oldest, once around."""
    windows = task.windows(edges[0])
    for step in range(min(task.units, len(windows))):
        unit = units[(windows[-1] - step) % task.units]
        unit.done["forwards"] += 1
        unit.done["copies"] += 1
        for number in reversed(windows[: len(windows) - step]):
            if units[number % task.units] is unit:
                unit.done["combines"] += 1
                unit.windows.add((key, number), task.end(number), state)
