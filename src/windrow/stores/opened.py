"""Which windows of a store are open in this process: each once, until it is closed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Generic, TypeVar

from windrow.errors import StoreBusyError, StoreError
from windrow.stores.base import Shelf

__all__ = ["Opened"]

ShelfT = TypeVar("ShelfT", bound=Shelf)


class Opened(Generic[ShelfT]):
    """The open shelves of one store; a shelf that is not among them is closed."""

    def __init__(self, store: str) -> None:
        self._store = store  # as errors call it
        self._lock = RLock()
        self._closed = False
        self._shelves: dict[str, ShelfT] = {}

    def add(self, name: str, make: Callable[[], ShelfT]) -> ShelfT:
        """Make the shelf of a window that is not open."""
        with self.unopened(name):
            shelf = self._shelves[name] = make()
            return shelf

    @contextmanager
    def unopened(self, name: str) -> Iterator[None]:
        """Nobody here has this window open, nor can open it meanwhile."""
        with self._lock:
            self.require_store()
            if name in self._shelves:
                raise StoreBusyError(
                    f"name={name!r} is open already in this process; "
                    "close the shelf that holds it, or all with the store, or give another name"
                )
            yield

    def require_store(self) -> None:
        """The store itself is not closed."""
        if self._closed:
            raise StoreError(f"{self._store} is closed; make it again to go on")

    def require(self, name: str, shelf: ShelfT) -> None:
        """The shelf is open: it was neither closed itself nor with its store."""
        if self._shelves.get(name) is not shelf:
            raise StoreError(f"the shelf of name={name!r} is closed; open it again with open(name)")

    def remove(self, name: str, shelf: ShelfT) -> bool:
        """Whether this shelf was open; it is not any more."""
        with self._lock:
            if self._shelves.get(name) is not shelf:
                return False
            del self._shelves[name]
            return True

    def close(self) -> bool:
        """Close all shelves, and let none be opened; False where that was done before."""
        with self._lock:
            if self._closed:
                return False
            for shelf in list(self._shelves.values()):
                shelf.close()
            self._closed = True
            return True
