"""Windows that come back after an eviction, so that filling them once is enough.

In memory a snapshot is restored.  A window in a store is left as after a crash and opened again: it
goes on where it was flushed, before the eviction.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from benchmarks.data import Floats
from windrow.aggregators import Aggregator, CompiledAmta, PagedAmta

__all__ = ["InMemory", "InStore", "Returning"]


class Returning(ABC):
    """A full window of numbers."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def slide(self, updates: Floats) -> int:
        """Evict as many updates as come in, for good; how many the window holds."""

    @abstractmethod
    def evict(self, updates: Floats, count: int) -> tuple[int, Any]:
        """Slide, then evict: its nanoseconds and the result after it; then all are back."""


class InMemory(Returning):
    """A window that makes snapshots."""

    def __init__(self, window: Aggregator | CompiledAmta) -> None:
        super().__init__(type(window).__name__)
        self._window = window

    def slide(self, updates: Floats) -> int:
        if isinstance(self._window, CompiledAmta):
            self._window.advance(updates)
        else:
            for update in updates.tolist():
                self._window.insert(update)
                self._window.evict()
        return len(self._window)

    def evict(self, updates: Floats, count: int) -> tuple[int, Any]:
        self.slide(updates)
        before = self._window.snapshot()
        found = _timed_eviction(self._window, count)
        self._window.restore(before)
        return found


class InStore(Returning):
    """A window that is opened for each thing that is done with it."""

    def __init__(self, name: str, opened: Callable[[], PagedAmta]) -> None:
        super().__init__(name)
        self._opened = opened

    def slide(self, updates: Floats) -> int:
        with self._opened() as window:
            window.advance(updates)
            return len(window)

    def evict(self, updates: Floats, count: int) -> tuple[int, Any]:
        with suppress(_CrashError), self._opened() as window:
            window.advance(updates)  # from here on it has in memory what a window at work has
            window.flush()
            found = _timed_eviction(window, count)
            raise _CrashError  # nothing of the eviction is written
        return found


class _CrashError(Exception):
    """Ends a window before it writes what was done."""


def _timed_eviction(window: Aggregator | CompiledAmta | PagedAmta, count: int) -> tuple[int, Any]:
    start = time.perf_counter_ns()
    window.evict(count)
    spent = time.perf_counter_ns() - start
    return spent, window.query()
