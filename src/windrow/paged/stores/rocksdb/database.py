"""One RocksDB database: who has it open, and what its errors mean."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from rocksdict import Rdict, ReadOptions, WriteBatch, WriteOptions

from windrow.errors import DamagedPageError, StoreBusyError, StoreError
from windrow.paged.stores.rocksdb.layout import LAYOUT, LAYOUT_KEY, NEXT_KEY, identity
from windrow.paged.stores.rocksdb.tuning import page_options

__all__ = ["Database"]

# What the system says, and what to do about it.  RocksDB writes nothing more after a disk failed.
_ADVICE = (
    (
        ("No space left", "File too large", "quota"),
        "make room on that disk, or for larger files, then close the store and make it again",
    ),
    (
        ("Permission denied", "not permitted", "Read-only"),
        "see that this user may write there, or give another path",
    ),
    (
        ("File exists", "Not a directory", "No such file", "null byte"),
        "see that it is a folder, or can be made one, or give another path",
    ),
)
_OTHER = "see that its disk works, then close the store and make it again"


class Database:
    """Bytes by bytes, in a folder that is made if need be, for this process alone."""

    def __init__(self, path: Path, *, sync: bool) -> None:
        self._path = path
        self._options = WriteOptions()
        self._options.sync = sync
        with self._explained():
            path.mkdir(parents=True, exist_ok=True)
            self._db: Any = Rdict(str(path), page_options())
        try:
            self._require_ours()
        except BaseException:
            self._db.close()
            raise
        with suppress(OSError):  # all it does is make an error clearer
            self._holder_file.write_text(f"process {os.getpid()} on {socket.gethostname()}")

    def get(self, key: bytes) -> bytes | None:
        """One value, or None."""
        return self.get_many([key])[0]

    def get_many(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of these keys, in their order; None where there is none."""
        with self._explained():
            values: list[bytes | None] = self._db.get(list(keys))
        return values

    def require(self, value: bytes | None, what: str) -> bytes:
        """A value without which nothing goes on: an identity of a window."""
        if value is None or len(value) != len(identity(0)):
            raise DamagedPageError(
                f"path={str(self._path)!r} has lost {what} ({value!r}): something else wrote to "
                "it; restore the folder from a copy"
            )
        return value

    def keys(self, first: bytes, end: bytes, most: int | None = None) -> list[bytes]:
        """The keys in [first, end), or the first of them."""
        bounds = ReadOptions()
        bounds.set_iterate_upper_bound(end)
        with self._explained():
            return list(islice(self._db.keys(from_key=first, read_opt=bounds), most))

    def write(self, changes: WriteBatch) -> None:
        """Apply all changes or none, in their order."""
        if len(changes):
            with self._explained():
                self._db.write(changes, self._options)

    def free(self, first: bytes, end: bytes) -> None:
        """Give back the disk space of what was deleted in [first, end): RocksDB takes its time."""
        with self._explained():
            self._db.compact_range(first, end)

    def close(self) -> None:
        """Let another process open it."""
        with suppress(OSError):
            self._holder_file.unlink()
        with self._explained():
            self._db.close()

    def _require_ours(self) -> None:
        """Keep off a database that something else made."""
        layout = self.get(LAYOUT_KEY)
        with self._explained():
            empty = next(iter(self._db.keys()), None) is None
        if empty:
            changes = WriteBatch(raw_mode=True)
            changes.put(LAYOUT_KEY, LAYOUT)
            changes.put(NEXT_KEY, identity(0))
            self.write(changes)
        elif layout != LAYOUT:
            raise StoreError(
                f"path={str(self._path)!r} holds a database that this windrow did not make "
                f"(its layout is {layout!r}, not {LAYOUT!r}); give the path of an empty folder"
            )

    @property
    def _holder_file(self) -> Path:
        return self._path / "HOLDER"

    @contextmanager
    def _explained(self) -> Iterator[None]:
        # RocksDB's errors come as plain exceptions: only their text tells them apart.
        try:
            yield
        except Exception as error:
            raise self._translated(str(error)) from error

    def _translated(self, error: str) -> StoreError:
        path = f"path={str(self._path)!r}"
        if f"{self._path / 'LOCK'}: " in error:
            return StoreBusyError(
                f"{path} is open already, by {self._holder()}; share that RocksStore, close it "
                "or end its process, or give every process a path of its own"
            )
        if error.startswith("Corruption"):
            return DamagedPageError(
                f"{path} holds damaged files ({error}); check the disk, then restore the folder "
                "from a copy, or delete it and build its windows again"
            )
        advice = next(
            (advised for words, advised in _ADVICE if any(w in error for w in words)), _OTHER
        )
        return StoreError(f"{path}: RocksDB failed ({error}); {advice}")

    def _holder(self) -> str:
        try:
            return self._holder_file.read_text()
        except OSError:
            return "another process"
