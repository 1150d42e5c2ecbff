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
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Protocol
from zlib import crc32

from windrow.errors import DamagedPageError, StoreError
from windrow.files.replacing import sync_folder

__all__ = ["Disk", "Log", "Tail", "records_of"]

_RECORD = struct.Struct("<II")
_CHECK = struct.Struct("<I")
_HEAD_BYTES = _RECORD.size + _CHECK.size
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
        head = _RECORD.pack(len(record), crc32(record))
        self._open.write(head + _CHECK.pack(crc32(head)))
        self._open.write(record)  # rows take long to copy
        self._sizes[newest] += _HEAD_BYTES + len(record)
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
        for content in _contents(path, last=True):
            whole += _HEAD_BYTES + len(content)
            start += 1
        self.end = start
        if whole < path.stat().st_size:
            os.truncate(path, whole)
        self._sizes[max(self._sizes)] = whole


def records_of(folder: Path, since: int = 0) -> Iterator[tuple[int, bytes]]:
    """The records of a log from a number on, also while another process writes it."""
    files = _files(folder)
    expected = None
    for place, (start, path) in enumerate(files):
        last = place == len(files) - 1
        if not last and files[place + 1][0] <= since:
            continue
        if expected not in (None, start):
            raise DamagedPageError(
                f"{path.name} does not begin with record {expected:,}: a file before it is missing "
                "or cut off; restore it from a copy, or begin with an empty folder"
            )
        expected = start
        for content in _contents(path, last=last):
            if expected >= since:
                yield expected, content
            expected += 1


class Tail:
    """The records of a log as it grows; what has been read is not read again."""

    def __init__(self, folder: Path, since: int = 0) -> None:
        self.next = since  # the number of the first record that has not been read
        self._folder = folder
        self._file: tuple[int, Path] | None = None
        self._number = 0  # of the record at the place in the file
        self._place = 0
        self._missed = -1  # a record that was not there although later ones are

    def records(self, most_bytes: int = _FILE_BYTES) -> Iterator[tuple[int, bytes]]:
        """Whole records that have come, as many as fit into some bytes, or one."""
        if self._file is None and not self._find(0):
            return
        while self._file is not None:
            start, path = self._file
            with path.open("rb") as file:
                file.seek(self._place)
                content = file.read(most_bytes)
            taken = 0
            for record in _whole(content, path):
                taken += _RECORD.size + len(record)
                if self._number >= self.next:
                    self.next = self._number + 1
                    yield self._number, record
                self._number += 1
                self._place += _RECORD.size + len(record)
            if not taken and len(content) >= _RECORD.size:
                length = _RECORD.size + _RECORD.unpack_from(content)[0]
                if length > most_bytes and length <= path.stat().st_size - self._place:
                    most_bytes = length
                    continue
            if taken or not self._find(start + 1):
                return

    def _find(self, least: int) -> bool:
        """Go to the file that holds the next record, once there is one."""
        files = [(start, path) for start, path in _files(self._folder) if start >= least]
        if not files:
            return False
        if least and self._number < files[0][0]:
            # Files are whole when the next one begins, and this look may be older than that.
            if self._missed == self._number:
                raise DamagedPageError(
                    f"record {self._number:,} in {self._folder} is not as it was written; restore "
                    "the log from a copy, or begin with an empty folder"
                )
            self._missed = self._number
            return False
        begun = [file for file in files if file[0] <= self.next]
        self._file = begun[-1] if begun else files[0]
        self._number, self._place = self._file[0], 0
        return True


def _whole(content: bytes, path: Path) -> Iterator[bytes]:
    """The whole records at the beginning of some bytes."""
    place = 0
    while place + _RECORD.size <= len(content):
        length, check = _RECORD.unpack_from(content, place)
        record = content[place + _RECORD.size : place + _RECORD.size + length]
        if len(record) < length:
            return
        if crc32(record) != check:
            return  # a writer has not finished it, or it is damage: the next look will tell
        yield record
        place += _RECORD.size + length


def _contents(path: Path, *, last: bool) -> Iterator[bytes]:
    """The records of a file; the last file may end within a record."""
    content = path.read_bytes()
    place = 0
    while place < len(content):
        record = _record_at(content, place)
        if record is None:
            if last and _is_unfinished(content, place):
                return
            raise DamagedPageError(
                f"{path.name} is damaged at byte {place:,}: a record there is not as it was "
                "written; restore the file from a copy, or begin with an empty folder"
            )
        yield record
        place += _HEAD_BYTES + len(record)


def _record_at(content: bytes, place: int) -> bytes | None:
    """The record that begins at a place, if it is whole."""
    length = _length_at(content, place)
    if length is None:
        return None
    begin = place + _HEAD_BYTES
    record = content[begin : begin + length]
    _, check = _RECORD.unpack_from(content, place)
    return record if len(record) == length and crc32(record) == check else None


def _length_at(content: bytes, place: int) -> int | None:
    """The length of the record whose head is at a place, if the head is whole."""
    head, check = content[place : place + _RECORD.size], place + _RECORD.size
    if place + _HEAD_BYTES > len(content) or crc32(head) != _CHECK.unpack_from(content, check)[0]:
        return None
    length: int = _RECORD.unpack(head)[0]
    return length


def _is_unfinished(content: bytes, place: int) -> bool:
    """Whether this is how a crash, or a writer at work, leaves the end of a file."""
    left = len(content) - place
    if left < _HEAD_BYTES or not any(content[place:]):
        return True
    length = _length_at(content, place)
    return length is not None and left <= _HEAD_BYTES + length


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
