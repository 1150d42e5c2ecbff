"""The loop of a node: wait, take what has come, let the core go on, send what it says.

One thread does all of it, and one look at the disk makes everything safe that came meanwhile: the
more comes at once, the less each costs.
"""

import json
import logging
import os
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import zmq

from windrow.edge.processes.control import Control
from windrow.errors import StoreError
from windrow.wire.messages import Status, encode

__all__ = ["Process", "now_us"]

_LOG = logging.getLogger(__name__)
_QUIET_US = 10_000_000  # between two lines about the same reason
_REPORT_US = 1_000_000
_STATUS_US = 5_000_000
_MOST_STATUS = 200_000  # bytes of one message
_TICK_US = 250_000
# What a tree does all the time: frames are said again, and come in any order.
_ORDINARY = {f"{what} frames" for what in ("new", "duplicate", "early", "gap", "unbegun")}
_ORDINARY |= {"filtered rows", "early messages"}


def now_us() -> int:
    """The time of day."""
    return time.time_ns() // 1_000


class Process(ABC):
    """A node, from its start to its end."""

    role = ""

    def __init__(self, name: str, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.name, self.folder = name, folder
        self.counts: Counter[str] = Counter()
        self._control = Control(folder)
        self._poller = zmq.Poller()
        self._watched: list[Any] = []
        self._waking, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        self._stopping = False
        self._now = 0
        self._began = now_us()
        self._reported = self._told = 0
        self._logged: dict[str, int] = {}
        self._seen: Counter[str] = Counter()

    def run(self) -> None:
        """Go on until `stop`."""
        _LOG.info("%s %s begins", self.role, self.name)
        try:
            while not self._stopping:
                self._watch()
                ready = self._poller.poll(0 if self.is_busy() else self.tick_us // 1_000)
                if any(one == self._waking for one, _ in ready):
                    os.read(self._waking, 1 << 12)
                self._now = max(self._now, now_us())  # a clock that was set back stands still
                self._control.answer(self.orders())
                self.turn(self._now)
                self._report()
        finally:
            self.close()
            self._write_status()
            self._control.close()
            waking, wake = self._waking, self._wake
            self._waking = self._wake = -1  # `stop` may come once more
            os.close(waking)
            os.close(wake)
        _LOG.info("%s %s ends", self.role, self.name)

    def stop(self) -> None:
        """End after this turn; any thread and any signal may say so."""
        self._stopping = True
        with suppress(OSError):
            os.write(self._wake, b"\0")

    @property
    def tick_us(self) -> int:
        """How long a node sleeps at most."""
        return _TICK_US

    def is_busy(self) -> bool:
        """Whether there is more to do without waiting."""
        return False

    @abstractmethod
    def sockets(self) -> list[Any]:
        """What to wait for."""

    @abstractmethod
    def turn(self, now: int) -> None:
        """Take what has come, go on, and send."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything."""

    @abstractmethod
    def status(self) -> Status:
        """How the node and those below it fare."""

    def counters(self) -> Iterable[Counter[str]]:
        """What is counted outside of the core."""
        return [self.counts]

    def traffic(self) -> Mapping[str, Any]:
        """What has gone to the parent and come from children, and whether the parent is there."""
        return {}

    def tell(self, status: Status) -> None:  # noqa: B027
        """Let the parent know, if there is one."""

    def orders(self) -> Mapping[str, Callable[..., Any]]:
        """What may be asked of the node on its own machine."""
        return {"status": lambda: dict(self.status_now()), "stop": self.stop}

    def status_now(self) -> Mapping[str, Any]:
        """The status of the node and those below it, by name."""
        nodes = dict(self.status().nodes)
        own = nodes[self.name]
        counts = Counter(own.get("counts", {}))
        for counter in self.counters():
            counts.update(counter)
        more = {"pid": os.getpid(), "began": self._began, "now": self._now, "counts": dict(counts)}
        nodes[self.name] = {**own, **more, **self.traffic()}
        return nodes

    def guarded(self, what: Callable[..., Any], *arguments: Any) -> None:
        """Do something with what others have sent: whatever it is, the node lives on."""
        try:
            what(*arguments)
        except (OSError, StoreError):
            raise  # the disk: what is not written down must not be believed
        except Exception as error:  # which message fails how is for others to choose
            self.counts["failures"] += 1
            self.warn("failures", f"{type(error).__name__}: {error}", error)

    def warn(self, reason: str, what: str, error: Exception | None = None) -> None:
        """Log something, but not again and again."""
        if self._now - self._logged.get(reason, -_QUIET_US) >= _QUIET_US:
            self._logged[reason] = self._now
            _LOG.warning("%s: %s", self.name, what, exc_info=error)

    def note_way(self, connected: bool) -> None:  # noqa: FBT001
        """Log that the parent has come or gone."""
        _LOG.info("%s: the parent is %s", self.name, "there" if connected else "away")

    def _watch(self) -> None:
        """Wait for what there is to wait for now."""
        wanted = [self._waking, *self._control.sockets, *self.sockets()]
        if wanted != self._watched:
            self._watched = wanted
            self._poller = zmq.Poller()
            for one in wanted:
                self._poller.register(one, zmq.POLLIN)

    def _report(self) -> None:
        if self._now - self._reported < _REPORT_US:
            return
        self._reported = self._now
        nodes = self._write_status()
        self._log_counts(nodes[self.name]["counts"])
        if self._now - self._told >= _STATUS_US:
            self._told = self._now
            for part in _parts(nodes):
                self.tell(part)

    def _log_counts(self, counts: Mapping[str, int]) -> None:
        """Say what has been refused, and how often."""
        for reason, count in counts.items():
            if count > self._seen[reason] and reason not in _ORDINARY:
                self.warn(reason, f"{reason}: {count:,}")
        self._seen = Counter(counts)

    def _write_status(self) -> Mapping[str, Any]:
        nodes = self.status_now()
        path = self.folder / "status.json"
        try:
            path.with_suffix(".new").write_text(json.dumps(nodes), "utf-8")
            path.with_suffix(".new").replace(path)
        except OSError as error:
            self.warn("status", f"{path}: {error}")
        return nodes


def _parts(nodes: Mapping[str, Any]) -> Iterable[Status]:
    """Statuses in messages that are not too long."""
    part: dict[str, Any] = {}
    size = 0
    for name, figures in nodes.items():
        own = len(encode(Status({name: figures})))
        if part and size + own > _MOST_STATUS:
            yield Status(part)
            part, size = {}, 0
        part[name] = figures
        size += own
    yield Status(part)
