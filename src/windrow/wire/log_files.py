"""The files of a log: how records lie in them, and how they are read.

    length | checksum of the content | checksum of these two | content

Each file is named by the number of its first record.  A crash, or a writer at work, may leave the
last record of the last file unfinished; everything else that is not as it was written is damage.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from windrow.errors import DamagedPageError, StoreError

__all__ = ["HEAD_BYTES", "Tail", "contents_of", "files_of", "head_of", "records_of", "starts_of"]

_RECORD = struct.Struct("<II")
_CHECK = struct.Struct("<I")
HEAD_BYTES = _RECORD.size + _CHECK.size
_MOST_BYTES = 16 << 20


def head_of(record: bytes) -> bytes:
    """What stands before a record."""
    head = _RECORD.pack(len(record), crc32(record))
    return head + _CHECK.pack(crc32(head))


def records_of(folder: Path, since: int = 0) -> Iterator[tuple[int, bytes]]:
    """The records of a log from a number on, also while another process writes it."""
    files = files_of(folder)
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
        for content in contents_of(path, last=last):
            if expected >= since:
                yield expected, content
            expected += 1


def starts_of(folder: Path) -> list[int]:
    """The number of the first record in each file of a log; none if there is no log."""
    return [start for start, _ in files_of(folder)]


def contents_of(path: Path, *, last: bool) -> Iterator[bytes]:
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
        place += HEAD_BYTES + len(record)


def _record_at(content: bytes, place: int) -> bytes | None:
    """The record that begins at a place, if it is whole."""
    length = _length_at(content, place)
    if length is None:
        return None
    begin = place + HEAD_BYTES
    record = content[begin : begin + length]
    _, check = _RECORD.unpack_from(content, place)
    return record if len(record) == length and crc32(record) == check else None


def _length_at(content: bytes, place: int) -> int | None:
    """The length of the record whose head is at a place, if the head is whole."""
    head, check = content[place : place + _RECORD.size], place + _RECORD.size
    if place + HEAD_BYTES > len(content) or crc32(head) != _CHECK.unpack_from(content, check)[0]:
        return None
    length: int = _RECORD.unpack(head)[0]
    return length


def _is_unfinished(content: bytes, place: int) -> bool:
    """Whether this is how a crash, or a writer at work, leaves the end of a file."""
    left = len(content) - place
    if left < HEAD_BYTES or not any(content[place:]):
        return True
    length = _length_at(content, place)
    return length is not None and left <= HEAD_BYTES + length


def files_of(folder: Path) -> list[tuple[int, Path]]:
    """The files of a log, each with the number of its first record."""
    try:
        found = [(int(path.stem), path) for path in folder.glob("*.log")]
    except ValueError:
        raise StoreError(
            f"folder={str(folder)!r} holds files that are no log; give a folder of its own"
        ) from None
    return sorted(found)


class Tail:
    """The records of a log as it grows; what has been read is not read again."""

    def __init__(self, folder: Path, since: int = 0) -> None:
        self.next = since  # the number of the first record that has not been read
        self._folder = folder
        self._file: tuple[int, Path] | None = None
        self._number = 0  # of the record at the place in the file
        self._place = 0
        self._missed = -1  # a record that was not there although later ones are

    def records(self, most_bytes: int = _MOST_BYTES) -> Iterator[tuple[int, bytes]]:
        """Whole records that have come, as many as fit into some bytes, or one."""
        if self._file is None and not self._find(0):
            return
        while self._file is not None:
            start, path = self._file
            with path.open("rb") as file:
                file.seek(self._place)
                content = file.read(most_bytes)
            taken = 0
            for record in _whole(content):
                taken += HEAD_BYTES + len(record)
                if self._number >= self.next:
                    self.next = self._number + 1
                    yield self._number, record
                self._number += 1
                self._place += HEAD_BYTES + len(record)
            length = None if taken else _length_at(content, 0)
            left = path.stat().st_size - self._place
            if length is not None and most_bytes < HEAD_BYTES + length <= left:
                most_bytes = HEAD_BYTES + length
                continue
            if taken or not self._find(start + 1):
                return

    def _find(self, least: int) -> bool:
        """Go to the file that holds the next record, once there is one."""
        files = [(start, path) for start, path in files_of(self._folder) if start >= least]
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


def _whole(content: bytes) -> Iterator[bytes]:
    """The whole records at the beginning of some bytes; a writer may not have finished the last."""
    place = 0
    while (record := _record_at(content, place)) is not None:
        yield record
        place += HEAD_BYTES + len(record)
