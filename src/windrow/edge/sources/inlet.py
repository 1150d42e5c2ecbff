"""The way of rows from sources, which have threads of their own, into a leaf, which has one."""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import pyarrow as pa

from windrow.edge.leaf import Batch
from windrow.edge.sources.rejects import Rejects

__all__ = ["Inlet", "Offer"]

_PAUSE_S = 0.2  # after which a batch that was refused is offered again
_AT_ONCE = 1_000


@dataclass(frozen=True)
class Offer:
    """A batch, and whom to tell whether it was taken; that is called by the leaf's thread."""

    batch: Batch
    tell: Callable[[bool], None]


class Inlet:
    """What sources see of a leaf."""

    def __init__(self, rejects: Rejects) -> None:
        self.rejects = rejects
        self.schema = pa.schema([])  # the columns that a row may have
        self.numbers: Mapping[str, int] = {}  # of the last batch of each source, at the start
        self.stopping = threading.Event()
        self._offers: SimpleQueue[Offer] = SimpleQueue()
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self._open = 0  # sources that have not ended
        self._lock = threading.Lock()
        self._closed = False

    def fileno(self) -> int:
        """What to wait for."""
        return self._reading

    def put(self, batch: Batch, tell: Callable[[bool], None]) -> None:
        """Hand a batch over; `tell` hears whether it is safe."""
        self._offers.put(Offer(batch, tell))
        self.wake()

    def offer(self, batch: Batch) -> bool:
        """Hand a batch over, and wait until it is safe; False if the leaf is full or stops."""
        answered = threading.Event()
        taken = False

        def tell(accepted: bool) -> None:  # noqa: FBT001
            nonlocal taken
            taken = accepted
            answered.set()

        self.put(batch, tell)
        while not answered.wait(1):
            if self._closed:
                return False
        return taken

    def insist(self, batch: Batch) -> bool:
        """Offer a batch until it is taken; False if the leaf stops before."""
        while not self.stopping.is_set():
            if self.offer(batch):
                return True
            self.stopping.wait(_PAUSE_S)
        return False

    def take(self) -> list[Offer]:
        """What sources have handed over."""
        with suppress(BlockingIOError):
            os.read(self._reading, 1 << 16)
        found: list[Offer] = []
        try:
            while len(found) < _AT_ONCE:
                found.append(self._offers.get_nowait())
        except Empty:
            return found
        self.wake()
        return found

    def wake(self) -> None:
        """Let the leaf look."""
        with self._lock, suppress(OSError):  # it has been woken already, or has gone
            os.write(self._writing, b"\0")

    def opened(self) -> None:
        """One more source that will end."""
        with self._lock:
            self._open += 1

    def ended(self) -> None:
        """One of them has ended."""
        with self._lock:
            self._open -= 1
        self.wake()

    @property
    def all_ended(self) -> bool:
        """Whether no source will have more rows."""
        return self._open == 0

    def close(self) -> None:
        """Nothing is taken any more."""
        self.stopping.set()
        self._closed = True
        while offers := self.take():
            for offer in offers:
                offer.tell(False)
        with self._lock:
            reading, writing = self._reading, self._writing
            self._reading = self._writing = -1
        os.close(reading)
        os.close(writing)
