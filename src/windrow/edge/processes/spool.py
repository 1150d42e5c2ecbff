"""A landing's spool that forgets what has become results.

What a landing reads when it begins again, its queries, how far it had come and the numbers of what
came late, is kept of forgotten files in a file `head` beside them.
"""

from collections.abc import Iterator
from pathlib import Path

from windrow.edge.journal import entry_of, joined, parted, record_of
from windrow.files.replacing import replace_file
from windrow.wire.log import Log
from windrow.wire.messages import Asking, Dropping, Frame, Late, decode, encode

__all__ = ["Spool"]


class Spool(Log):
    """A log of messages whose beginning can be forgotten."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._head_file = folder / "head"
        self._begin = 0  # records before it are in the head
        self._head: list[bytes] = []
        if self._head_file.exists():
            entry, body = entry_of(self._head_file.read_bytes())
            self._begin, self._head = entry["begin"], parted(entry["lengths"], body)

    def records(self, since: int = 0) -> Iterator[tuple[int, bytes]]:
        """The records from a number on, after the sum of those that are forgotten."""
        if since < self._begin:
            for record in self._head:
                yield since, record
        yield from super().records(max(since, self._begin))

    def prune(self, number: int) -> None:
        """Forget files whose records are all below a number."""
        begin = max((start for start in self._sizes if start <= number), default=0)
        if begin <= max(self.first, self._begin):
            return
        head = _Head()
        for at, record in self.records():
            if at >= begin:
                break
            head.add(record)
        self._begin, self._head = begin, head.records()
        lengths, body = joined(self._head)
        replace_file(self._head_file, record_of({"begin": begin, "lengths": lengths}, body))
        self.drop_before(begin)


class _Head:
    """What a landing needs of records."""

    def __init__(self) -> None:
        self._queries: list[bytes] = []  # each that came or went: the revision counts them
        self._frames: dict[str, bytes] = {}
        self._late: dict[tuple[str, str], bytes] = {}

    def add(self, record: bytes) -> None:
        message = decode(record)
        if isinstance(message, Asking | Dropping):
            self._queries.append(record)
            self._frames.pop(message.query, None)
        elif isinstance(message, Frame):
            reached = Frame(message.query, message.to, message.to, 0, b"")
            self._frames[message.query] = encode(reached)
        elif isinstance(message, Late):
            known = Late(message.query, message.sender, message.number, 0, b"")
            self._late[message.query, message.sender] = encode(known)

    def records(self) -> list[bytes]:
        return [*self._queries, *self._frames.values(), *self._late.values()]
