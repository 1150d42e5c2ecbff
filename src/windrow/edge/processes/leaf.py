"""A leaf as a process: what its sources hand over is safe before they hear of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from windrow.edge.carrier import Above
from windrow.edge.clock import Pace
from windrow.edge.leaf import Batch, Leaf
from windrow.edge.payload import END
from windrow.edge.processes.process import Process
from windrow.edge.query import read_node_query
from windrow.edge.sources.inlet import Inlet, Offer
from windrow.edge.sources.rejects import Rejected, Rejects
from windrow.edge.sources.rows import conformed
from windrow.errors import InputError, WindrowError
from windrow.wire.log import Log
from windrow.wire.messages import Asking, Message, Status

__all__ = ["LeafProcess", "Source"]


class Source(Protocol):
    """Where rows come from; `start` begins threads of its own, which `close` ends."""

    def start(self, inlet: Inlet) -> None:
        """Begin to hand over rows."""
        ...

    def close(self) -> None:
        """Hand over no more; the leaf takes nothing any more."""
        ...


class LeafProcess(Process):
    """A leaf with its log, its sources and the way to its parent."""

    role = "leaf"

    def __init__(
        self,
        name: str,
        folder: Path,
        above: Above,
        sources: Sequence[Source] = (),
        queries: Sequence[str] = (),
        pace: Pace | None = None,
        **limits: Any,
    ) -> None:
        super().__init__(name, folder)
        self._above, self._sources = above, sources
        self._pace = pace or Pace()
        self._log = Log(folder / "log")
        self._core = Leaf(name, self._log, queries, self._pace, **limits)
        self.inlet = Inlet(Rejects(folder))
        self.inlet.numbers = self._core.numbers
        self._known: list[str] = []
        self._learn()
        self._ends = False

    @property
    def tick_us(self) -> int:
        """An idle leaf moves event time with the clock."""
        return max(self._pace.beat_us, 1_000) if self._pace.live else super().tick_us

    def run(self) -> None:
        """Go on until `stop`, or until all sources have ended and all is safe."""
        for source in self._sources:
            source.start(self.inlet)
        self._ends = not self.inlet.all_ended
        super().run()

    def sockets(self) -> list[Any]:
        """What to wait for."""
        return [self.inlet, *self._above.sockets]

    def turn(self, now: int) -> None:
        """Take what has come, make it safe, send, and let sources know."""
        if self._above.changed():
            self.note_way(self._above.connected)
            self._core.lost()
        for message in self._above.received():
            self.guarded(self._receive, message, now)
        self._learn()
        offers = self.inlet.take()
        told = self._insert(offers, now)
        if self._ends and self.inlet.all_ended and not offers:
            self._finish()
        for message in self._core.step(now):
            self._above.send(message)
        for offer, accepted in told:
            offer.tell(accepted)

    def close(self) -> None:
        """Stop sources first: what they were not told is safe they will say again."""
        self.inlet.close()
        for source in self._sources:
            source.close()
        self._above.close(linger_ms=500)
        self._log.close()

    def status(self) -> Status:
        """How the leaf fares."""
        return self._core.status()

    def traffic(self) -> Mapping[str, Any]:
        """What has gone to neighbours and come from them."""
        return {"up": dict(self._above.traffic), "parent": self._above.connected}

    def counters(self) -> Iterable[Counter[str]]:
        """What is counted outside of the core."""
        return [self.counts, self._above.counts, self.inlet.rejects.counts]

    def tell(self, status: Status) -> None:
        """Let the parent know."""
        if self._above.connected:
            self._above.send(status)

    def orders(self) -> Mapping[str, Callable[..., Any]]:
        """A leaf may be told that its sources have ended."""
        return {**super().orders(), "end": self._core.end}

    def _receive(self, message: Message, now: int) -> None:
        if isinstance(message, Asking) and not self._fits(message.text):
            self.counts["queries with other columns"] += 1
            return
        self._core.receive(message, now)

    def _fits(self, text: str) -> bool:
        """Whether a query's rows have the columns of those of the other queries."""
        try:
            schema = read_node_query(text).source_schema
        except WindrowError:
            return True  # the core refuses it, and counts that
        known = self.inlet.schema
        return all(
            known.field(one.name).type == one.type for one in schema if one.name in known.names
        )

    def _learn(self) -> None:
        """Let sources know which columns rows may have."""
        if self._core.queries != self._known:
            self._known = self._core.queries
            self.inlet.schema = self._core.schema

    def _insert(self, offers: Sequence[Offer], now: int) -> list[tuple[Offer, bool]]:
        """Hand batches over; each offer, and whether it was taken."""
        found: list[tuple[Offer, bool]] = []
        good: list[tuple[Offer, Batch]] = []
        for offer in offers:
            batch = offer.batch
            try:
                if batch.rows.schema != self.inlet.schema:
                    batch = replace(batch, rows=conformed(batch.rows, self.inlet.schema))
                good.append((offer, batch))
            except InputError as error:  # its columns were those of a query that has gone
                self.inlet.rejects.add(batch.source, [Rejected(b"", str(error))])
                found.append((offer, True))
        taken = self._core.insert([batch for _, batch in good], now)
        return found + [(offer, t.accepted) for (offer, _), t in zip(good, taken, strict=True)]

    def _finish(self) -> None:
        figures = self._core.figures()
        queries = figures["queries"].values()
        if any(one["frontier"] != END for one in queries):
            self._core.end()
        elif queries and not figures["unsafe_bytes"]:
            self.stop()
