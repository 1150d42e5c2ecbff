"""RocksStore: windows in a folder, for one process at a time, in some 40 MB of memory."""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from rocksdict import WriteBatch

from windrow.arguments import shown
from windrow.errors import InputError
from windrow.paged.stores.base import Batch, Key, Store, StoredWindow
from windrow.paged.stores.checks import require_batch, require_keys, require_name
from windrow.paged.stores.opened import Opened
from windrow.paged.stores.rocksdb.database import (
    AFTER_WINDOWS,
    NEXT_KEY,
    WINDOWS,
    Database,
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
    """Keeps windows in RocksDB in the folder `path`, which is created if necessary.

    Once a write returns, it survives the process, however that ends.  With `sync=True` it also
    survives a crash of the machine or a power failure; each write then waits some milliseconds for
    the disk.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, RocksStore(folder + "/pages") as store:
    ...     with store.open("turbine 7"):
    ...         store.names()
    ['turbine 7']
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise InputError(f"path={shown(path)} names no folder; give one, as text or a Path")
        if not isinstance(sync, bool):
            raise InputError(
                f"sync={shown(sync)}: give True to wait for the disk with each write, or False"
            )
        self._database = Database(Path(os.fsdecode(path)), sync=sync)
        self._opened: Opened[_RocksStoredWindow] = Opened(f"the RocksStore of path={str(path)!r}")

    def open(self, name: str) -> StoredWindow:
        require_name(name)
        return self._opened.add(name, lambda: self._stored_window(name))

    def names(self) -> list[str]:
        self._opened.require_store()
        return sorted(map(window_name, self._database.keys(WINDOWS, AFTER_WINDOWS)))

    def delete(self, name: str) -> None:
        require_name(name)
        with self._opened.unopened(name):
            window = self._database.get(window_key(name))
            if window is None:
                return
            window = self._database.require(window, f"where window {name!r} lies")
            first, end = pages_prefix(window), pages_prefix(following(window))
            changes = WriteBatch(raw_mode=True)
            changes.delete(window_key(name))
            changes.delete_range(first, end)
            self._database.write(changes)
            self._database.free(first, end)

    def close(self) -> None:
        if self._opened.close():
            self._database.close()

    def _stored_window(self, name: str) -> "_RocksStoredWindow":
        window, new = self._database.get_many([window_key(name), NEXT_KEY])
        if window is None:
            window = self._database.require(new, "where its next window lies")
            changes = WriteBatch(raw_mode=True)
            changes.put(NEXT_KEY, following(window))
            changes.put(window_key(name), window)
            self._database.write(changes)
        window = self._database.require(window, f"where window {name!r} lies")
        return _RocksStoredWindow(name, window, self._database, self._opened)


class _RocksStoredWindow(StoredWindow):
    def __init__(
        self, name: str, window: bytes, database: Database, opened: "Opened[_RocksStoredWindow]"
    ) -> None:
        self._name = name
        self._prefix = pages_prefix(window)
        self._end = pages_prefix(following(window))
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

    def count(self, spaces: Collection[str], most: int) -> int:
        self._opened.require(self._name, self)
        return len(self._database.keys(self._prefix, self._end, most))

    def close(self) -> None:
        self._opened.remove(self._name, self)
