"""A landing as a process, with a root in it or without."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from windrow.edge.carrier import Below
from windrow.edge.landing import Landing
from windrow.edge.processes.process import Process
from windrow.edge.processes.results import Results
from windrow.edge.processes.root import SpoolReader
from windrow.edge.processes.spool import Spool
from windrow.wire.messages import Status

__all__ = ["LandingProcess"]


class LandingProcess(Process):
    """A landing; with results, also the root, and then the only reader of its spool."""

    role = "landing"

    def __init__(
        self,
        name: str,
        folder: Path,
        below: Below,
        members: Iterable[str],
        queries: Sequence[str] = (),
        results: Results | None = None,
        **limits: Any,
    ) -> None:
        super().__init__(name, folder)
        self._below = below
        self._spool = Spool(folder / "spool")
        self._core = Landing(name, members, self._spool, queries, **limits)
        self._reader = None if results is None else SpoolReader(folder / "spool", results)

    def sockets(self) -> list[Any]:
        """What to wait for."""
        return self._below.sockets

    def is_busy(self) -> bool:
        """Whether the spool holds what is not a result yet."""
        return self._reader is not None and self._reader.is_behind(self._spool.end)

    def turn(self, now: int) -> None:
        """Take what has come, make it safe, say so, and make results of it."""
        for one in self._below.received():
            self.guarded(self._core.receive, one.sender, one.message, now)
        for sent in self._core.step(now):
            self._below.send(sent.to, sent.message)
        if self._reader is not None:
            self._reader.go_on(now)
            self._spool.prune(self._reader.committed)

    def close(self) -> None:
        """Let go of the connections; write down how far results have come."""
        self._below.close()
        if self._reader is not None:
            self._reader.close()
        self._spool.close()

    def status(self) -> Status:
        """How the whole tree fares."""
        nodes = dict(self._core.status().nodes)
        if self._reader is not None:
            nodes[self.name] = {**nodes[self.name], "root": self._reader.figures()}
        return Status(nodes)

    def traffic(self) -> Mapping[str, Any]:
        """What has gone to neighbours and come from them."""
        return {"down": dict(self._below.traffic)}

    def counters(self) -> Iterable[Counter[str]]:
        """What is counted outside of the core."""
        return [self.counts, self._below.counts]

    def orders(self) -> Mapping[str, Callable[..., Any]]:
        """Queries come and go."""
        return {**super().orders(), "ask": self._ask, "drop": self._drop}

    def _ask(self, text: str) -> str:
        return self._core.ask(text)

    def _drop(self, query: str) -> None:
        self._core.drop(query)
