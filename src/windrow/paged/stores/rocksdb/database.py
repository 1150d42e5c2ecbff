"""One RocksDB database: what lies where, who has it open, and what its errors mean.

    "layout"                           which of these layouts it is
    "next"                             the identity of the next new window
    "w" name                           the identity of a window: all that `names` reads
    "p" identity length space number   a value; big-endian, so that numbers sort in their space

Identities are numbers of 8 bytes, never used twice: no window's keys begin like another's, whatever
their names, and the values of a deleted window cannot turn up in a new one.
"""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from rocksdict import (
    BlockBasedOptions,
    Cache,
    DBCompressionType,
    DBRecoveryMode,
    Options,
    Rdict,
    ReadOptions,
    WriteBatch,
    WriteOptions,
)

from windrow.errors import DamagedPageError, StoreBusyError, StoreError

__all__ = ["Database", "following", "pages_prefix", "place", "window_key", "window_name"]

LAYOUT_KEY, LAYOUT = b"layout", b"windrow pages 1"
NEXT_KEY = b"next"
WINDOWS, AFTER_WINDOWS = b"w", b"x"  # the keys of windows lie in [WINDOWS, AFTER_WINDOWS)

_PAGES = b"p"


def window_key(name: str) -> bytes:
    """The key that holds a window's identity."""
    # surrogatepass: any Python text is a name, even text that is not Unicode
    return WINDOWS + name.encode("utf-8", "surrogatepass")


def window_name(key: bytes) -> str:
    """The name of the window whose identity this key holds."""
    return key[len(WINDOWS) :].decode("utf-8", "surrogatepass")


def identity(number: int) -> bytes:
    """A window's identity."""
    return number.to_bytes(8, "big")


def following(window: bytes) -> bytes:
    """The identity after this one."""
    return identity(int.from_bytes(window, "big") + 1)


def pages_prefix(window: bytes) -> bytes:
    """How the keys of a window's values begin, and no other keys."""
    return _PAGES + window


def place(prefix: bytes, space: str, number: int) -> bytes:
    """The key of one value."""
    # The length keeps spaces apart: without it, "a" would begin like "ab".
    return b"%b%c%b%b" % (prefix, len(space), space.encode(), number.to_bytes(8, "big"))


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
            self._db: Any = Rdict(str(path), _page_options())
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


_KB = 1 << 10
_MB = 1 << 20


def _page_options() -> Options:
    """For pages: 4 to 64 KB each, written once, read at random, in little memory."""
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    table = BlockBasedOptions()

    # Memory: three write buffers, and a cache that counts indexes and filters too.
    options.set_write_buffer_size(8 * _MB)
    options.set_max_write_buffer_number(3)
    options.set_db_write_buffer_size(24 * _MB)
    options.set_max_open_files(256)
    table.set_block_cache(Cache(16 * _MB))
    table.set_cache_index_and_filter_blocks(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)

    # Reads: a page or a few to a block, and no look into files that do not have it.
    table.set_block_size(16 * _KB)
    table.set_bloom_filter(10, False)

    # Disk: small files, so that what a sliding window leaves behind is soon merged away.
    options.set_compression_type(DBCompressionType.lz4())
    options.set_target_file_size_base(16 * _MB)
    options.set_max_bytes_for_level_base(64 * _MB)
    options.set_max_total_wal_size(64 * _MB)
    options.set_max_background_jobs(2)
    options.set_keep_log_file_num(2)
    options.set_max_log_file_size(_MB)

    # Safety: a log that breaks off, as after a crash, is read up to there; a damaged one is an
    # error, while by default everything after the damage would be dropped silently.
    options.set_wal_recovery_mode(DBRecoveryMode.tolerate_corrupted_tail_records())

    options.set_block_based_table_factory(table)
    return options
