"""A spool in, results out: in the process of the landing, or in one of its own."""

from pathlib import Path
from typing import Any

from windrow.edge.processes.process import Process, now_us
from windrow.edge.processes.results import Results
from windrow.wire.log_files import Tail
from windrow.wire.messages import Status

__all__ = ["RootProcess", "SpoolReader"]

_LOOK_US = 10_000  # how often another process's spool is looked at
_SPARE = 10  # a commit may take a tenth of the time


class SpoolReader:
    """A root, its spool and its results."""

    def __init__(self, spool: Path, results: Results) -> None:
        self._results = results
        self._root = results.restored()
        self._tail = Tail(spool, self._root.read)
        self.committed = self._root.read
        self._begun = 0  # when the last commit began
        self._took = 0

    def is_behind(self, end: int) -> bool:
        """Whether records below a number have not been read."""
        return self._tail.next < end

    def go_on(self, now: int) -> None:
        """Make results of what has come to the spool."""
        read = self._tail.next
        for answer in self._root.apply(self._tail.records()):
            self._results.write(answer)
        if self._tail.next > read:
            self._results.flush()
        every = max(self._results.every_us, _SPARE * self._took)
        if self._root.read > self.committed and now - self._begun >= every:
            self._commit(now)

    def figures(self) -> dict[str, Any]:
        """Plain numbers about the root."""
        return {**self._root.figures(), "committed": self.committed, **self._results.figures()}

    def close(self) -> None:
        """Write down how far all has come."""
        if self._root.read > self.committed:
            self._results.commit(self._root)
        self._results.close()

    def _commit(self, now: int) -> None:
        self._begun = now
        begun = now_us()
        self._results.commit(self._root)
        self._took = max(0, now_us() - begun)
        self.committed = self._root.read


class RootProcess(Process):
    """A root that reads the spool of a landing on the same machine."""

    role = "root"

    def __init__(self, name: str, folder: Path, spool: Path, results: Results) -> None:
        super().__init__(name, folder)
        self._reader = SpoolReader(spool, results)

    @property
    def tick_us(self) -> int:
        """Nobody says when the spool grows."""
        return _LOOK_US

    def sockets(self) -> list[Any]:
        """What to wait for."""
        return []

    def turn(self, now: int) -> None:
        """Make results of what has come."""
        self._reader.go_on(now)

    def close(self) -> None:
        """Write down how far all has come."""
        self._reader.close()

    def status(self) -> Status:
        """How the root fares."""
        return Status({self.name: self._reader.figures()})
