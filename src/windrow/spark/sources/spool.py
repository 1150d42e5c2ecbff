"""A landing's spool as Spark reads it: which queries are in it, and the records between offsets."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from windrow.errors import InputError, StoreError
from windrow.wire.log_files import records_of, starts_of
from windrow.wire.messages import Asking, Message, decode

__all__ = ["Spool"]


@dataclass(frozen=True)
class Spool:
    """A folder into which a landing writes; an offset is the number of a record."""

    folder: Path

    @classmethod
    def at(cls, path: str) -> "Spool":
        """The spool of a path; refuses a folder in which no landing has written."""
        spool = cls(Path(path.removeprefix("file://").removeprefix("file:")))
        if not starts_of(spool.folder):
            raise InputError(
                f"path={path!r} holds no spool; give the folder in which a landing keeps what the "
                "tree has sent"
            )
        return spool

    @property
    def first(self) -> int:
        """The number of the first record that is still there."""
        return self._starts()[0]

    def queries(self) -> dict[str, str]:
        """The text of each query that was ever asked, by its fingerprint."""
        asked = (decode(record) for _, record in records_of(self.folder))
        return {found.query: found.text for found in asked if isinstance(found, Asking)}

    def text_of(self, query: str | None) -> tuple[str, str]:
        """The fingerprint and the text of a query; which one may be left open if there is one."""
        if query is not None:
            for _, record in records_of(self.folder):
                message = decode(record)
                if isinstance(message, Asking) and message.query == query:
                    return query, message.text
        queries = self.queries()
        if query is None and len(queries) == 1:
            return next(iter(queries.items()))
        raise InputError(f"{self._which(query, len(queries))}\n{_listed(queries)}")

    def end(self) -> int:
        """The number that the next record will have; all before it will survive a crash."""
        last = self._starts()[-1]
        end = last
        for number, _ in records_of(self.folder, last):
            end = number + 1
        # The landing may not have synced yet what is seen here already.
        with suppress(OSError):  # not every file system lets readers ask for it
            handle = os.open(self.folder / f"{last:020}.log", os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        return end

    def messages(self, since: int, until: int) -> Iterator[tuple[int, int, Message]]:
        """The messages from one offset to another, each with its number and its size."""
        try:
            for number, record in records_of(self.folder, since):
                if number >= until:
                    return
                yield number, len(record), decode(record)
        except FileNotFoundError:
            self.require(since)
            raise

    def require(self, offset: int) -> None:
        """Refuse an offset from which on not all records are there any more, or not yet."""
        if offset < (first := self.first):
            raise StoreError(
                f"{self.folder} begins with record {first:,}, and the query goes on from record "
                f"{offset:,}: what lies between was dropped before the query had read it; begin "
                "with a new checkpoint, which answers from there on"
            )
        if offset > (end := self.end()):
            raise StoreError(
                f"{self.folder} ends before record {end:,}, and the query goes on from record "
                f"{offset:,}: it is not the spool with which the checkpoint was made; give that "
                "one, or begin with a new checkpoint"
            )

    def cut(self, since: int, until: int) -> list[tuple[int, int]]:
        """The stretch between two offsets, a part of it for each file."""
        within = [start for start in self._starts() if since < start < until]
        return [part for part in pairwise([since, *within, until]) if part[0] < part[1]]

    def _starts(self) -> list[int]:
        starts = starts_of(self.folder)
        if not starts:
            raise StoreError(f"{self.folder} has no spool any more; put it back, or give its path")
        return starts

    def _which(self, query: str | None, known: int) -> str:
        if not known:
            return f"{self.folder} holds no query; start its landing with one"
        if query is None:
            return (
                f"{self.folder} holds {known} queries; say which one by its fingerprint, as in "
                '.option("query", ...):'
            )
        return f"query={query!r} is not in {self.folder}; give one of:"


def _listed(queries: dict[str, str]) -> str:
    """Each query with what it asks for."""
    lines = []
    for fingerprint, text in queries.items():
        entries = ("time:", "by:", "windows:", "aggregates:")
        said = [line.strip() for line in text.splitlines() if line.lstrip().startswith(entries)]
        lines.append(f"  {fingerprint}  {'; '.join(said)}"[:200])
    return "\n".join(lines)
