"""An append-only log in a folder: records that survive a crash, each whole or not at all.

    folder/
        00000000000000000000.log   records from number 0 on, each: length | checksum | content
        00000000000000004711.log   the next file begins where the one before was full

A record counts once `sync` has returned.  A crash may leave the beginning of a record at the end of
the last file: it is cut off when the log is opened again.  Anything else that is not as it was
written is damage, and is an error.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol
from zlib import crc32

from windrow.errors import DamagedPageError, StoreError

__all__ = ["Disk", "Log", "records_of", "starts_of"]

_RECORD = struct.Struct("<II")
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
        files = _files(folder)
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
        self._open.write(_RECORD.pack(len(record), crc32(record)) + record)
        self._sizes[newest] += _RECORD.size + len(record)
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
        files = _files(self._folder)
        for (start, path), (following, _) in zip(files, files[1:], strict=False):
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
        _sync_folder(self._folder)
        return begin

    def _repair(self, start: int, path: Path) -> None:
        """Count the records of the last file, and cut off one that a crash left unfinished."""
        whole = 0
        for content in _contents(path, last=True):
            whole += _RECORD.size + len(content)
            start += 1
        self.end = start
        if whole < path.stat().st_size:
            os.truncate(path, whole)
        self._sizes[max(self._sizes)] = whole


def records_of(folder: Path, since: int = 0) -> Iterator[tuple[int, bytes]]:
    """The records of a log from a number on, also while another process writes it."""
    files = _files(folder)
    for place, (start, path) in enumerate(files):
        last = place == len(files) - 1
        if not last and files[place + 1][0] <= since:
            continue
        for number, content in enumerate(_contents(path, last=last), start):
            if number >= since:
                yield number, content


def starts_of(folder: Path) -> list[int]:
    """The number of the first record in each file of a log; none if there is no log."""
    return [start for start, _ in _files(folder)]


def _contents(path: Path, *, last: bool) -> Iterator[bytes]:
    """The records of a file; the last file may end within a record."""
    content = path.read_bytes()
    place = 0
    while place < len(content):
        end = place + _RECORD.size
        length, check = _RECORD.unpack_from(content, place) if end <= len(content) else (0, 0)
        record = content[end : end + length]
        torn = end + length > len(content) or end > len(content)
        if torn or crc32(record) != check:
            if last and (torn or end + length == len(content)):
                return  # the end of a file that a crash, or a writer, has not finished
            raise DamagedPageError(
                f"{path.name} is damaged at byte {place:,}: a record there is not as it was "
                "written; restore the file from a copy, or begin with an empty folder"
            )
        yield record
        place = end + length


def _files(folder: Path) -> list[tuple[int, Path]]:
    try:
        found = [(int(path.stem), path) for path in folder.glob("*.log")]
    except ValueError:
        raise StoreError(
            f"folder={str(folder)!r} holds files that are no log; give a folder of its own"
        ) from None
    return sorted(found)


def _path(folder: Path, number: int) -> Path:
    return folder / f"{number:020}.log"


def _sync_folder(folder: Path) -> None:
    """A new file survives a crash only when its folder has been written too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
