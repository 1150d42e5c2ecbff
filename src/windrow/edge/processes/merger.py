"""A merger as a process; it needs its folder for its status alone."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from windrow.edge.carrier import Above, Below
from windrow.edge.merger import Merger
from windrow.edge.processes.process import Process, now_us
from windrow.wire.messages import Status

__all__ = ["MergerProcess"]


class MergerProcess(Process):
    """A merger between its children and its parent."""

    role = "merger"

    def __init__(
        self,
        name: str,
        folder: Path,
        above: Above,
        below: Below,
        members: Iterable[str],
        **limits: Any,
    ) -> None:
        super().__init__(name, folder)
        self._above, self._below = above, below
        self._core = Merger(name, members, now_us(), **limits)  # later begun, later epoch

    def sockets(self) -> list[Any]:
        """What to wait for."""
        return [*self._above.sockets, *self._below.sockets]

    def turn(self, now: int) -> None:
        """Take what has come, merge, and send it on."""
        if self._above.changed():
            self.note_way(self._above.connected)
            self._core.lost()
        for message in self._above.received():
            self.guarded(self._core.receive_from_parent, message, now)
        for one in self._below.received():
            self.guarded(self._core.receive, one.sender, one.message, now)
        for sent in self._core.step(now):
            self._below.send(sent.to, sent.message)
        for message in self._core.upward(now):
            self._above.send(message)

    def close(self) -> None:
        """Let go of the connections."""
        self._above.close(linger_ms=500)
        self._below.close()

    def status(self) -> Status:
        """How the node and those below it fare."""
        return self._core.status()

    def traffic(self) -> Mapping[str, Any]:
        """What has gone to neighbours and come from them."""
        return {
            "up": dict(self._above.traffic),
            "down": dict(self._below.traffic),
            "parent": self._above.connected,
        }

    def counters(self) -> Iterable[Counter[str]]:
        """What is counted outside of the core."""
        return [self.counts, self._above.counts, self._below.counts]

    def tell(self, status: Status) -> None:
        """Let the parent know."""
        if self._above.connected:
            self._above.send(status)
