"""Which windows of a store are open in this process: each once, until it is closed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Generic, TypeVar

from windrow.errors import StoreBusyError, StoreError
from windrow.paged.stores.base import StoredWindow

__all__ = ["Opened"]

StoredWindowT = TypeVar("StoredWindowT", bound=StoredWindow)


class Opened(Generic[StoredWindowT]):
    """The open stored windows of one store; a stored window that is not among them is closed."""

    def __init__(self, store: str) -> None:
        self._store = store  # as errors call it
        self._lock = RLock()
        self._closed = False
        self._windows: dict[str, StoredWindowT] = {}

    def add(self, name: str, make: Callable[[], StoredWindowT]) -> StoredWindowT:
        """Make the stored window of a window that is not open."""
        with self.unopened(name):
            stored_window = self._windows[name] = make()
            return stored_window

    @contextmanager
    def unopened(self, name: str) -> Iterator[None]:
        """Nobody here has this window open, nor can open it meanwhile."""
        with self._lock:
            self.require_store()
            if name in self._windows:
                raise StoreBusyError(
                    f"name={name!r} is open already in this process; "
                    "close that window, or the store with all its windows, or give another name"
                )
            yield

    def require_store(self) -> None:
        """The store itself is not closed."""
        if self._closed:
            raise StoreError(f"{self._store} is closed; make it again to go on")

    def require(self, name: str, stored_window: StoredWindowT) -> None:
        """The stored window is open: it was neither closed itself nor with its store."""
        if self._windows.get(name) is not stored_window:
            raise StoreError(
                f"the stored window of name={name!r} is closed; open it again with open(name)"
            )

    def remove(self, name: str, stored_window: StoredWindowT) -> bool:
        """Whether this stored window was open; it is not any more."""
        with self._lock:
            if self._windows.get(name) is not stored_window:
                return False
            del self._windows[name]
            return True

    def close(self) -> bool:
        """Close all stored windows, and let none be opened; False where that was done before."""
        with self._lock:
            if self._closed:
                return False
            for stored_window in list(self._windows.values()):
                stored_window.close()
            self._closed = True
            return True
