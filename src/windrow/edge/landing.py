"""A landing: the frames of all, merged, and safe on disk: what comes here counts once.

The spool is a log of messages, frames in the order of their stretches and late rows in between.
Spark reads it, or a plain root.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from windrow.edge.children import Children
from windrow.edge.gaps import Gaps
from windrow.edge.inflow import Merged
from windrow.edge.payload import BEGIN, Payload
from windrow.wire.log import Disk
from windrow.wire.messages import Asking, Dropping, Frame, Late, Status, decode, encode
from windrow.wire.tables import table_bytes

__all__ = ["Landing"]


class Landing(Children):
    """The core of a landing: no clock, disk or network of its own."""

    def __init__(
        self, name: str, members: Iterable[str], disk: Disk, queries: Sequence[str] = (), **how: Any
    ) -> None:
        super().__init__(name, members, **how)
        self._disk = disk
        self._safe: dict[str, int] = {}
        self._late: dict[tuple[str, str], int] = {}
        self._restoring = True
        texts: dict[str, str] = {}
        gaps: dict[str, Gaps] = {}
        changes = 0
        for _, record in disk.records():
            message = decode(record)
            if isinstance(message, Asking):
                texts[message.query] = message.text
                changes += 1
            elif isinstance(message, Dropping):
                changes += 1
                texts.pop(message.query, None)
                self._forget(message.query)
                gaps.pop(message.query, None)
            elif isinstance(message, Frame):
                self._safe[message.query] = message.to
                if message.missing:
                    known = gaps.setdefault(message.query, Gaps())
                    known.open(message.missing, message.since, message.to)
            elif isinstance(message, Late):
                self._late[message.query, message.sender] = message.number
                if message.is_frame:
                    known = gaps.setdefault(message.query, Gaps())
                    known.fill(message.member, message.since, message.to)
        for fingerprint, text in texts.items():
            self.ask(text, self._safe.get(fingerprint))
            for member in self.members:  # what was merged without it is still to come
                for since, _ in gaps.get(fingerprint, Gaps()).missing.get(member, [])[:1]:
                    self._known[fingerprint].inflow.go_on_without(member, since)
        self._restoring = False
        self.revision = changes
        for text in queries:
            self.ask(text)
        disk.sync()

    def drop(self, fingerprint: str) -> None:
        """A query that nobody asks any more; its spool says so."""
        if fingerprint in self._known:
            self._disk.append(encode(Dropping(fingerprint)))
            self.revision += 1
            self._forget(fingerprint)
        super().drop(fingerprint)

    def status(self) -> Status:
        """How the whole tree fares."""
        own = {"role": "landing", "spool_bytes": self._disk.size, **self.figures()}
        return self._statuses_with(own)

    def _begun(self, fingerprint: str) -> None:
        if not self._restoring:
            text = self._known[fingerprint].query.text
            self._disk.append(encode(Asking(fingerprint, text)))
            self.revision += 1

    def _forget(self, fingerprint: str) -> None:
        """Whoever asks it again is answered from the beginning."""
        self._safe.pop(fingerprint, None)
        for key in [key for key in self._late if key[0] == fingerprint]:
            del self._late[key]

    def _pass_on(self, fingerprint: str, payload: Payload, merged: Merged) -> None:
        body = table_bytes(merged.body)
        frame = Frame(fingerprint, merged.since, merged.to, merged.rows, body, merged.missing)
        self._disk.append(encode(frame))
        self._safe[fingerprint] = merged.to

    def _pass_on_late(self, late: Late) -> bool:
        known = self._late.get((late.query, late.sender), BEGIN)
        if late.number > known:
            self.counts["late rows"] += late.rows
            self._disk.append(encode(late))
            self._late[late.query, late.sender] = late.number
        else:
            self.counts["duplicate late tables"] += 1
        return True

    def _settle(self, now: int) -> None:
        self._disk.sync()

    def _durable(self, fingerprint: str) -> int:
        return self._safe.get(fingerprint, BEGIN)
