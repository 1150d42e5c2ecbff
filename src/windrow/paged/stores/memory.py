"""MemoryStore: values in dictionaries, for tests and for windows that fit; they die with it."""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from windrow.paged.stores.base import Batch, Key, Span, Store, StoredWindow
from windrow.paged.stores.checks import require_batch, require_keys, require_name
from windrow.paged.stores.opened import Opened

__all__ = ["MemoryStore"]

_Spaces: TypeAlias = dict[str, dict[int, bytes]]


class MemoryStore(Store):
    """Keeps windows in the memory of this process, until the store is closed.

    >>> store = MemoryStore()
    >>> with store.open("turbine 7") as stored_window:
    ...     stored_window.put_many({Key("leaves", 0): b"cold", Key("leaves", 1): b"warm"})
    ...     stored_window.delete_range(Span("leaves", 0, 1))
    >>> store.open("turbine 7").get_many([Key("leaves", 0), Key("leaves", 1)])
    [None, b'warm']
    """

    def __init__(self) -> None:
        self._windows: dict[str, _Spaces] = {}
        self._opened: Opened[_MemoryStoredWindow] = Opened("this MemoryStore")

    def open(self, name: str) -> StoredWindow:
        require_name(name)
        return self._opened.add(name, lambda: self._stored_window(name))

    def names(self) -> list[str]:
        self._opened.require_store()
        return sorted(self._windows)

    def delete(self, name: str) -> None:
        require_name(name)
        with self._opened.unopened(name):
            self._windows.pop(name, None)

    def close(self) -> None:
        if self._opened.close():
            self._windows.clear()

    def _stored_window(self, name: str) -> "_MemoryStoredWindow":
        return _MemoryStoredWindow(name, self._windows.setdefault(name, {}), self._opened)


class _MemoryStoredWindow(StoredWindow):
    waits = False

    def __init__(self, name: str, spaces: _Spaces, opened: "Opened[_MemoryStoredWindow]") -> None:
        self._name = name
        self._spaces = spaces
        self._opened = opened

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        self._opened.require(self._name, self)
        require_keys(keys)
        nothing: dict[int, bytes] = {}
        return [self._spaces.get(space, nothing).get(number) for space, number in keys]

    def write(self, batch: Batch) -> None:
        self._opened.require(self._name, self)
        require_batch(batch)
        for span in batch.deleted:
            self._forget(span)
        for (space, number), value in batch.puts.items():
            self._spaces.setdefault(space, {})[number] = value

    def count(self, spaces: Collection[str], most: int) -> int:
        self._opened.require(self._name, self)
        return min(sum(len(self._spaces.get(space, ())) for space in spaces), most)

    def close(self) -> None:
        self._opened.remove(self._name, self)

    def _forget(self, span: Span) -> None:
        """Costs the lesser of the span's length and the number of values in its space."""
        values = self._spaces.get(span.space, {})
        if span.end - span.first <= len(values):
            for number in range(span.first, span.end):
                values.pop(number, None)
        else:
            for number in [n for n in values if span.first <= n < span.end]:
                del values[number]
