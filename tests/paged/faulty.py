"""A store that fails as stores do: it cannot be reached, answers late, or its process dies."""

import time
from collections.abc import Collection, Sequence

from windrow.errors import StoreUnreachableError
from windrow.paged.stores import Batch, Key, Store, StoredWindow
from windrow.paged.stores.memory import MemoryStore


class FaultyStore(Store):
    """A store in memory whose stored windows fail when told to."""

    def __init__(self, *, waits: bool = False) -> None:
        self.waits = waits
        self.down = False
        self.delay_s = 0.0
        self.forgets = False  # whether it takes writes that it never keeps
        self.writes = 0
        self.fails_after: int | None = None  # that many writes more
        self.values: dict[str, dict[Key, bytes]] = {}
        self._inner = MemoryStore()

    def open(self, name: str) -> StoredWindow:
        return _FaultyStoredWindow(self, self.values.setdefault(name, {}))

    def names(self) -> list[str]:
        return sorted(self.values)

    def delete(self, name: str) -> None:
        self.values.pop(name, None)

    def close(self) -> None:
        self.values.clear()

    def answer(self) -> None:
        """Answer late, or not at all."""
        if self.delay_s:
            time.sleep(self.delay_s)
        if self.down:
            raise StoreUnreachableError("the store is down; wait until it is up again")


class _FaultyStoredWindow(StoredWindow):
    def __init__(self, store: FaultyStore, values: dict[Key, bytes]) -> None:
        self._store, self._values = store, values
        self.waits = store.waits  # type: ignore[misc]

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        self._store.answer()
        return [self._values.get(key) for key in keys]

    def write(self, batch: Batch) -> None:
        self._store.answer()
        if self._store.fails_after is not None:
            self._store.fails_after -= 1
            if self._store.fails_after < 0:
                raise StoreUnreachableError("the store is full; make room")
        self._store.writes += 1
        if self._store.forgets:
            return
        for space, first, end in batch.deleted:
            for key in [k for k in self._values if k.space == space and first <= k.number < end]:
                del self._values[key]
        self._values.update(batch.puts)

    def count(self, spaces: Collection[str], most: int) -> int:
        self._store.answer()
        return min(len(self._values), most)

    def close(self) -> None:
        pass
