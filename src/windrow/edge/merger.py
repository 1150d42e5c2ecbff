"""A merger: frames of its children in, one frame for each stretch of time out.

It keeps nothing on disk.  One that begins again asks its parent how far it had come, and its
children send again what is not safe from there on.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from windrow.edge.children import Children
from windrow.edge.inflow import Merged
from windrow.edge.payload import BEGIN, END, Payload
from windrow.edge.upward import Upward
from windrow.wire.messages import (
    Ack,
    Asking,
    Dropping,
    Frame,
    Late,
    LateAck,
    Message,
    Status,
    Welcome,
)
from windrow.wire.tables import table_bytes

__all__ = ["Merger"]


class Merger(Children):
    """The core of a merger: no clock, disk or network of its own."""

    def __init__(
        self, name: str, members: Iterable[str], epoch: int, queries: Sequence[str] = (), **how: Any
    ) -> None:
        super().__init__(name, members, **how)
        self._up = Upward(epoch)
        self._carriers: dict[tuple[str, str], str] = {}  # who sent us what a sender sent late
        self._durables: dict[str, int] = {}
        self._welcomed = False  # only then it is known from where on frames are wanted
        for text in queries:
            self.ask(text)

    def receive_from_parent(self, message: Message, now: int) -> None:
        """What the parent says."""
        if isinstance(message, Asking):
            self.ask(message.text)
        elif isinstance(message, Dropping):
            self.drop(message.query)
        elif isinstance(message, LateAck):
            self._up.handle(message, now)
            carrier = self._carriers.get((message.query, message.sender))
            if carrier is not None:
                self._late_is_safe(carrier, message)
        else:
            self._up.handle(message, now)
            if isinstance(message, Welcome):
                self._resume(message)
                for query, durable in message.durable.items():
                    self._is_safe(query, durable)
            elif isinstance(message, Ack):
                self._is_safe(message.query, message.durable)

    def _is_safe(self, query: str, durable: int) -> None:
        """What children need not keep any more."""
        if self._durables.get(query, END) < durable:
            self._durables[query] = durable
            self._answer_all(query)

    def drop(self, fingerprint: str) -> None:
        """A query that nobody asks any more."""
        super().drop(fingerprint)
        self._up.drop(fingerprint)
        self._durables.pop(fingerprint, None)

    def lost(self) -> None:
        """The way to the parent is gone."""
        self._up.lost()

    def upward(self, now: int) -> list[Message]:
        """What to send to the parent."""
        return self._up.sends(now)

    def status(self) -> Status:
        """How the node and those below it fare, for its parents."""
        return self._statuses_with(
            {"role": "merger", "unsafe_bytes": self._up.size, **self.figures()}
        )

    def _begun(self, fingerprint: str) -> None:
        self._durables[fingerprint] = BEGIN

    def _pass_on(self, fingerprint: str, payload: Payload, merged: Merged) -> None:
        if not self._up.has(fingerprint):
            self._up.begin(fingerprint, merged.since)
        body = table_bytes(merged.body)
        self._up.put(Frame(fingerprint, merged.since, merged.to, merged.rows, body, merged.missing))

    def _pass_on_late(self, late: Late) -> bool:
        self._up.put_late(late)
        return False

    def _take_late(self, member: str, late: Late) -> None:
        self._carriers[late.query, late.sender] = member
        super()._take_late(member, late)

    def _settle(self, now: int) -> None:
        """Frames travel when the carrier asks for them."""

    def _durable(self, fingerprint: str) -> int:
        return self._durables[fingerprint]

    def _passed(self, fingerprint: str) -> int | None:
        merged = super()._passed(fingerprint)
        sent = self._up.frontiers.get(fingerprint)
        # After a crash, what the parent has is merged again, and changes nothing any more.
        return sent if merged is None or (sent is not None and sent > merged) else merged

    def _is_ready(self) -> bool:
        return self._welcomed

    def _resume(self, welcome: Welcome) -> None:
        """Begin where the parent has everything before, after a crash of ours."""
        if welcome.revision > self.revision:
            for fingerprint in self._known.keys() - set(welcome.queries):
                self.drop(fingerprint)
        if not self._known.keys() >= set(welcome.queries):
            self._up.again()
            return
        self.revision = max(self.revision, welcome.revision)
        for fingerprint, known in self._known.items():
            durable = welcome.durable.get(fingerprint)
            if durable is not None and not self._up.has(fingerprint):
                # What the parent has in memory only it may ask for again, after a crash of its own.
                self._up.begin(fingerprint, durable)
                known.inflow.resume(durable)
                self._durables[fingerprint] = durable
                self._greeted.update(self._epochs)  # to send from there on
        self._welcomed = True
