"""One unit: the states it holds, and what it has done so far."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import heappop, heappush
from typing import Any, TypeAlias

from windrow.algebra.monoid import Monoid
from windrow.parallel.counts import Load
from windrow.windows import Aligned

__all__ = ["Answer", "Key", "Row", "Store", "Task", "Unit", "note_memory", "stable_hash"]

Key: TypeAlias = Hashable
Row: TypeAlias = tuple[int, Key, Any]  # time, key, value


def stable_hash(value: object) -> int:
    """The same in every process; null is a value like any other."""
    return int.from_bytes(blake2b(repr(value).encode(), digest_size=8).digest())


@dataclass(frozen=True)
class Task:
    """What is asked of the units."""

    window: Aligned
    monoid: Monoid[Any, Any]
    units: int
    hashed: Callable[[Any], int]

    def windows(self, time: int) -> range:
        """The numbers of the windows that hold a time, oldest first."""
        newest = (time - self.window.offset_us) // self.window.every_us
        oldest = newest + 1
        while self.end(oldest - 1) > time:
            oldest -= 1
        return range(oldest, newest + 1)

    def start(self, number: int) -> int:
        """Where a window begins."""
        return self.window.offset_us + number * self.window.every_us

    def end(self, number: int) -> int:
        """Where a window ends."""
        return self.start(number) + self.window.size_us

    def slice(self, time: int) -> tuple[int, int]:
        """The two edges of windows around a time that some window holds."""
        held = self.windows(time)
        return (
            max(self.start(held[-1]), self.end(held[0] - 1)),
            min(self.start(held[-1] + 1), self.end(held[0])),
        )


@dataclass(frozen=True)
class Answer:
    """A window's state, and the time of the row that closed it; None at the end of all data."""

    key: Key
    number: int
    state: Any
    closed_at: int | None


@dataclass
class Store:
    """States of what ends some time, by name."""

    monoid: Monoid[Any, Any]
    states: dict[Any, Any] = field(default_factory=dict)
    _ends: list[tuple[int, int, Any]] = field(default_factory=list)
    _opened: int = 0

    def add(self, name: Any, end: int, state: Any) -> None:
        """Combine a state with the one of this name, or open it."""
        if name not in self.states:
            self.states[name] = self.monoid.identity
            self._opened += (
                1  # names need no order: at equal ends the one opened first closes first
            )
            heappush(self._ends, (end, self._opened, name))
        self.states[name] = self.monoid.combine(self.states[name], state)

    def closed(self, clock: int | None) -> Iterator[tuple[Any, Any]]:
        """Give up what has ended by the clock, in the order of ends; without a clock, all."""
        while self._ends and (clock is None or self._ends[0][0] <= clock):
            _, _, name = heappop(self._ends)
            yield name, self.states.pop(name)


@dataclass
class Unit:
    """Open windows and slices, and counters named after the parts of a `Load`."""

    windows: Store
    slices: Store
    done: Counter[str] = field(default_factory=Counter)

    @classmethod
    def several(cls, task: Task) -> "list[Unit]":
        """As many as the task has."""
        return [cls(Store(task.monoid), Store(task.monoid)) for _ in range(task.units)]

    @property
    def held(self) -> int:
        """How many states it holds."""
        return len(self.windows.states) + len(self.slices.states)

    def answers(self, clock: int | None) -> Iterator[Answer]:
        """Answer the windows that have ended."""
        for (key, number), state in self.windows.closed(clock):
            self.done["results"] += 1
            yield Answer(key, number, state, clock)

    @property
    def load(self) -> Load:
        """What it has done."""
        return Load(**{part: self.done[part] for part in Load.__dataclass_fields__})


def note_memory(units: list[Unit]) -> int:
    """Remember the most that each unit held; the sum of what all hold now."""
    for unit in units:
        unit.done["memory"] = max(unit.done["memory"], unit.held)
    return sum(unit.held for unit in units)
