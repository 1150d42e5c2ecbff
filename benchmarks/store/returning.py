"""Windows that come back after an eviction, so that filling them once is enough.

In memory a snapshot is restored.  A window in a store is left as after a crash and opened again: it
goes on where it was flushed, before the eviction.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from benchmarks.data import Floats
from windrow.paged import PagedAmta
from windrow.structures import Aggregator, CompiledAmta

__all__ = ["InMemory", "InStore", "Returning"]


Look: TypeAlias = Callable[[Any], None]  # what is done with a window right after an eviction


def _nothing(window: Any) -> None:
    pass


class Returning(ABC):
    """A full window of numbers."""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def slide(self, updates: Floats) -> int:
        """Evict as many updates as come in, for good; how many the window holds."""

    @abstractmethod
    def evict(self, updates: Floats, count: int, look: Look = _nothing) -> int:
        """Slide, then evict: its nanoseconds; when somebody has looked at it, all are back."""


class InMemory(Returning):
    """A window that makes snapshots."""

    def __init__(self, window: Aggregator | CompiledAmta, name: str | None = None) -> None:
        super().__init__(name or type(window).__name__)
        self._window = window

    def slide(self, updates: Floats) -> int:
        if isinstance(self._window, CompiledAmta):
            self._window.advance(updates)
        else:
            for update in updates.tolist():
                self._window.insert(update)
                self._window.evict()
        return len(self._window)

    def evict(self, updates: Floats, count: int, look: Look = _nothing) -> int:
        self.slide(updates)
        before = self._window.snapshot()
        spent = _timed_eviction(self._window, count)
        look(self._window)
        self._window.restore(before)
        return spent


class InStore(Returning):
    """A window that is opened for each thing that is done with it."""

    def __init__(self, name: str, opened: Callable[[], PagedAmta]) -> None:
        super().__init__(name)
        self._opened = opened

    def slide(self, updates: Floats) -> int:
        with self._opened() as window:
            window.advance(updates)
            return len(window)

    def evict(self, updates: Floats, count: int, look: Look = _nothing) -> int:
        with suppress(_CrashError), self._opened() as window:
            window.advance(updates)  # from here on it has in memory what a window at work has
            window.flush()
            spent = _timed_eviction(window, count)
            look(window)
            raise _CrashError  # nothing of the eviction is written
        return spent


class _CrashError(BaseException):
    """Ends a window before it writes what was done, as no ordinary error does."""


def _timed_eviction(window: Aggregator | CompiledAmta | PagedAmta, count: int) -> int:
    start = time.perf_counter_ns()
    window.evict(count)
    return time.perf_counter_ns() - start
