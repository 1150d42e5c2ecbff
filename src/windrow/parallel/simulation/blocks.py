"""Blocks of a key's windows at their owners: time blocks, and all windows of a key on one unit.

Units read equally many panes each, one stretch of time after the other.  What they have read goes
to the owners of blocks, who roll over each block with two stacks.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from windrow.algebra.monoid import Monoid
from windrow.parallel.simulation.unit import Answer, Key, Row, Task, Unit
from windrow.parallel.workload import Travel
from windrow.structures import TwoStacks

__all__ = ["counting", "in_blocks"]


def in_blocks(
    task: Task, rows: Sequence[Row], block: int | None, travel: Travel
) -> tuple[list[Unit], list[Answer], int]:
    """All rows; the units, their answers, and the most slices held at once."""
    units = Unit.several(task)
    arrived: list[dict[tuple[Key, int], Any]] = [{} for _ in units]
    for unit, share in zip(units, _shares(task, rows), strict=True):
        for key, edge, state in _read(task, share, unit, travel):
            for owner in _owners(task, key, edge, block):
                units[owner].done["copies"] += 1
                units[owner].done["lifts"] += travel is Travel.ROWS
                known = arrived[owner].get((key, edge), task.monoid.identity)
                arrived[owner][key, edge] = task.monoid.combine(known, state)
    answers, held = list[Answer](), list[tuple[int, int]]()
    for owner, (unit, slices) in enumerate(zip(units, arrived, strict=True)):
        own = [(edge, _last_end(task, key, edge, block, owner)) for key, edge in slices]
        unit.done["memory"] = _most(own)
        held += own
        answers += _rolled(task, unit, owner, slices, block)
    return units, answers, _most(held)


def _shares(task: Task, rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each reader: whole panes, so that no slice is folded in two places."""
    shares: list[list[Row]] = [[] for _ in range(task.units)]
    panes = [(row[0] - task.window.offset_us) // task.window.every_us for row in rows]
    for pane, row in zip(panes, rows, strict=True):
        shares[(pane - panes[0]) * task.units // (panes[-1] - panes[0] + 1)].append(row)
    return shares


def _read(
    task: Task, rows: Sequence[Row], unit: Unit, travel: Travel
) -> Iterator[tuple[Key, int, Any]]:
    """What a unit sends on: its rows as states of one row, or folded into slices."""
    lifted = [
        (key, task.slice(time)[0], task.monoid.lift_row(value))
        for time, key, value in rows
        if task.windows(time)
    ]
    if travel is Travel.ROWS:
        yield from lifted
        return
    slices: dict[tuple[Key, int], Any] = {}
    for key, edge, state in lifted:
        unit.done["lifts"] += 1
        slices[key, edge] = task.monoid.combine(
            slices.get((key, edge), task.monoid.identity), state
        )
    for (key, edge), state in slices.items():
        yield key, edge, state


def _owner(task: Task, key: Key, number: int, block: int | None) -> int:
    return (task.hashed(key) + (0 if block is None else number // block)) % task.units


def _owners(task: Task, key: Key, edge: int, block: int | None) -> set[int]:
    return {_owner(task, key, number, block) for number in task.windows(edge)}


def _last_end(task: Task, key: Key, edge: int, block: int | None, owner: int) -> int:
    """Until when an owner holds a slice."""
    windows = task.windows(edge)
    return max(task.end(n) for n in windows if _owner(task, key, n, block) == owner)


def _most(spans: Sequence[tuple[int, int]]) -> int:
    """How many of the spans overlap at most."""
    steps = Counter[int]()
    for begin, end in spans:
        steps[begin] += 1
        steps[end] -= 1
    return max(accumulate(steps[time] for time in sorted(steps)), default=0)


def _rolled(
    task: Task, unit: Unit, owner: int, slices: dict[tuple[Key, int], Any], block: int | None
) -> Iterator[Answer]:
    """The answers of all blocks of an owner, key by key."""
    blocks: dict[tuple[Key, int], set[int]] = {}
    by_key: dict[Key, dict[int, Any]] = {}
    for (key, edge), state in slices.items():
        by_key.setdefault(key, {})[edge] = state
        for number in task.windows(edge):
            if _owner(task, key, number, block) == owner:
                own = 0 if block is None else number // block
                blocks.setdefault((key, own), set()).add(number)
    for (key, _), numbers in blocks.items():
        for number, state in _roll(task, unit, by_key[key], sorted(numbers)):
            unit.done["results"] += 1
            yield Answer(key, number, state, None)


def _roll(
    task: Task, unit: Unit, slices: dict[int, Any], numbers: Sequence[int]
) -> Iterator[tuple[int, Any]]:
    """Window after window of one key: whole panes in two stacks, an odd slice added last."""
    full, rest = divmod(task.window.size_us, task.window.every_us)
    monoid = counting(task.monoid, unit)
    stacks, inside = TwoStacks(monoid), list[int]()
    for number in numbers:
        while inside and inside[0] < number:
            stacks.evict()
            inside.pop(0)
        for pane in range(inside[-1] + 1 if inside else number, number + full):
            first, second = (slices.get(task.start(pane) + begin) for begin in (0, rest))
            parts = [first] if not rest else [first, second]
            if present := [part for part in parts if part is not None]:
                stacks.insert(monoid.combine(*present) if len(present) == 2 else present[0])
                inside.append(pane)
        state = stacks.query() if inside else None
        odd = slices.get(task.start(number + full)) if rest else None
        if state is None:
            state = odd
        elif odd is not None:
            state = monoid.combine(state, odd)
        yield number, state


def counting(monoid: Monoid[Any, Any], unit: Unit) -> Monoid[Any, Any]:
    """Of states, each combine of which is one of the unit's."""

    def combine(older: Any, newer: Any) -> Any:
        unit.done["combines"] += 1
        return monoid.combine(older, newer)

    return Monoid(
        name="states",
        lift=lambda state: state,
        combine=combine,
        lower=lambda state: state,
        identity=monoid.identity,
        nullable=frozenset({"value"}),  # a state may be null, and still is one
    )
