"""An append-only log in a folder: records that survive a crash, each whole or not at all.

    folder/
        00000000000000000000.log   records from number 0 on, each: head | content
        00000000000000004711.log   the next file begins where the one before was full

    head: length of the content | checksum of the content | checksum of these two

A record counts once `sync` has returned.  A crash may leave the beginning of a record at the end of
the last file, or zeros: they are cut off when the log is opened again.  Anything else that is not
as it was written is damage, and is an error.  The head has a checksum of its own, so that a damaged
length does not make all that follows look like the beginning of a record.
"""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Protocol

from windrow.files.replacing import sync_folder
from windrow.wire.log_files import HEAD_BYTES, contents_of, files_of, head_of, records_of

__all__ = ["Disk", "Log"]

_FILE_BYTES = 16 << 20


class Disk(Protocol):
    """What a node needs of a disk; a simulation has one that forgets what was not synced."""

    @property
    def first(self) -> int:
        """The number of the first record that is still there."""
        ...

    @property
    def end(self) -> int:
        """The number that the next record will have."""
        ...

    @property
    def size(self) -> int:
        """How many bytes all records take."""
        ...

    def append(self, record: bytes) -> int:
        """Add a record, and say its number."""
        ...

    def sync(self) -> None:
        """Return when all records so far will survive a crash."""
        ...

    def records(self, since: int = 0) -> Iterator[tuple[int, bytes]]:
        """The records from a number on, each with its number."""
        ...

    def drop_before(self, number: int) -> None:
        """Forget records below a number, as far as they fill whole files."""
        ...


class Log:
    """A log in a folder, with one writer."""

    def __init__(self, folder: Path, *, file_bytes: int = _FILE_BYTES) -> None:
        self._folder, self._file_bytes = folder, file_bytes
        folder.mkdir(parents=True, exist_ok=True)
        files = files_of(folder)
        self.first = files[0][0] if files else 0
        self.end = self.first
        self._sizes = {number: path.stat().st_size for number, path in files}
        self._open: BinaryIO | None = None
        self._dirty = False
        if files:
            self._repair(*files[-1])

    @property
    def size(self) -> int:
        """How many bytes all records take."""
        return sum(self._sizes.values())

    def append(self, record: bytes) -> int:
        """Add a record, and say its number; it counts after the next `sync`."""
        newest = max(self._sizes, default=None)
        if self._open is None or newest is None or self._sizes[newest] >= self._file_bytes:
            newest = self._next_file(newest)
        assert self._open is not None
        self._open.write(head_of(record))
        self._open.write(record)  # rows take long to copy
        self._sizes[newest] += HEAD_BYTES + len(record)
        self._dirty = True
        self.end += 1
        return self.end - 1

    def flush(self) -> None:
        """Let readers see all records so far."""
        if self._open is not None:
            self._open.flush()

    def sync(self) -> None:
        """Return when all records so far will survive a crash."""
        if self._dirty and self._open is not None:
            self._open.flush()
            os.fdatasync(self._open.fileno())
            self._dirty = False

    def records(self, since: int = 0) -> Iterator[tuple[int, bytes]]:
        """The records from a number on, each with its number."""
        self.flush()
        yield from records_of(self._folder, since)

    def drop_before(self, number: int) -> None:
        """Forget records below a number, as far as they fill whole files."""
        files = files_of(self._folder)
        for (start, path), (following, _) in pairwise(files):
            if following > number:
                break
            path.unlink()
            del self._sizes[start]
            self.first = following

    def close(self) -> None:
        """Write what is left, and let go of the file."""
        if self._open is not None:
            self.sync()
            self._open.close()
            self._open = None

    def _next_file(self, newest: int | None) -> int:
        if self._open is not None:
            self.sync()
            self._open.close()
        begin = newest
        if begin is None or self._sizes[begin] >= self._file_bytes:
            begin = self.end
            self._sizes[begin] = 0
        self._open = open(_path(self._folder, begin), "ab")  # noqa: SIM115
        sync_folder(self._folder)
        return begin

    def _repair(self, start: int, path: Path) -> None:
        """Count the records of the last file, and cut off one that a crash left unfinished."""
        whole = 0
        for content in contents_of(path, last=True):
            whole += HEAD_BYTES + len(content)
            start += 1
        self.end = start
        if whole < path.stat().st_size:
            os.truncate(path, whole)
        self._sizes[max(self._sizes)] = whole


def _path(folder: Path, number: int) -> Path:
    return folder / f"{number:020}.log"
