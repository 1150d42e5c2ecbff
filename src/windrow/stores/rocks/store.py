"""RocksStore: windows in a folder, for one process at a time, in some 40 MB of memory."""

import os
from collections.abc import Sequence
from pathlib import Path

from rocksdict import WriteBatch

from windrow.stores.base import Batch, Key, Shelf, Store
from windrow.stores.checks import require_batch, require_keys, require_name
from windrow.stores.opened import Opened
from windrow.stores.rocks.database import Database
from windrow.stores.rocks.layout import (
    AFTER_WINDOWS,
    NEXT_KEY,
    WINDOWS,
    following,
    pages_prefix,
    place,
    window_key,
    window_name,
)

__all__ = ["RocksStore"]

# Every read looks through the ranges deleted lately: as a window slid page by page, reads took 4 to
# 16 times as long as with pages deleted by their numbers.  Short spans therefore go by numbers.
_FEW = 256


class RocksStore(Store):
    """Keeps windows in the folder `path`, which it makes; they outlive the process.

    Once a write returns, it survives the process, however that ends.  With `sync=True` it survives
    the machine's end too: each write then waits for the disk, some milliseconds.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self._database = Database(Path(path), sync=sync)
        self._opened: Opened[_RocksShelf] = Opened(f"the RocksStore of path={str(path)!r}")

    def open(self, name: str) -> Shelf:
        require_name(name)
        return self._opened.add(name, lambda: self._shelf(name))

    def names(self) -> list[str]:
        self._opened.require_store()
        return sorted(map(window_name, self._database.keys(WINDOWS, AFTER_WINDOWS)))

    def delete(self, name: str) -> None:
        require_name(name)
        with self._opened.unopened(name):
            window = self._database.get(window_key(name))
            if window is None:
                return
            first, end = pages_prefix(window), pages_prefix(following(window))
            changes = WriteBatch(raw_mode=True)
            changes.delete(window_key(name))
            changes.delete_range(first, end)
            self._database.write(changes)
            self._database.free(first, end)

    def close(self) -> None:
        if self._opened.close():
            self._database.close()

    def _shelf(self, name: str) -> "_RocksShelf":
        window, new = self._database.get_many([window_key(name), NEXT_KEY])
        if window is None:
            assert new is not None  # written with the layout
            window = new
            changes = WriteBatch(raw_mode=True)
            changes.put(NEXT_KEY, following(new))
            changes.put(window_key(name), new)
            self._database.write(changes)
        return _RocksShelf(name, pages_prefix(window), self._database, self._opened)


class _RocksShelf(Shelf):
    def __init__(
        self, name: str, prefix: bytes, database: Database, opened: "Opened[_RocksShelf]"
    ) -> None:
        self._name = name
        self._prefix = prefix
        self._database = database
        self._opened = opened

    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        self._opened.require(self._name, self)
        require_keys(keys)
        return self._database.get_many([place(self._prefix, *key) for key in keys])

    def write(self, batch: Batch) -> None:
        self._opened.require(self._name, self)
        require_batch(batch)
        changes = WriteBatch(raw_mode=True)
        for space, first, end in batch.deleted:
            if end - first <= _FEW:
                for number in range(first, end):
                    changes.delete(place(self._prefix, space, number))
            else:
                changes.delete_range(
                    place(self._prefix, space, first), place(self._prefix, space, end)
                )
        for key, value in batch.puts.items():
            changes.put(place(self._prefix, *key), value)
        self._database.write(changes)

    def close(self) -> None:
        self._opened.remove(self._name, self)
