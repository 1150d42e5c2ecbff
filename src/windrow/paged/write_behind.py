"""The write-behind queue: batches are written to a store in order, in a separate thread.

A batch that cannot be written stays first in the queue until it can.  Queued values can be read, so
nobody has to wait for them.  The queue is bounded, in bytes and in changes of the window, so a
caller that is faster than the store has to wait: a crash loses no more than the queue holds.
"""

import enum
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from windrow.errors import StoreUnreachableError
from windrow.paged.stores.base import Batch, Key, StoredWindow

__all__ = ["Outage", "Patience", "WriteBehindQueue", "longer_and_longer"]

_Condition: TypeAlias = Callable[[], bool]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


class Outage(enum.Enum):
    """What a window does while its store is unreachable.

    With `RAISE`, at most `max_unwritten_updates` are ever missing from the store.  `BUFFER` and
    `SHRINK` go on without it: a crash before the store is back loses everything since it failed.

    >>> Outage("buffer") is Outage.BUFFER
    True
    """

    RAISE = "raise"
    """Raise at once; what has not been written yet is retried later."""
    BUFFER = "buffer"
    """Buffer in memory while there is room, then wait, and catch up later."""
    SHRINK = "shrink"
    """Go on in memory with fewer and larger buckets, and move back later."""


class Patience(NamedTuple):
    """How long to wait for a store, and how much memory to use meanwhile."""

    outage: Outage
    buffer_bytes: int
    wait_s: float
    max_unwritten_updates: int

    def bears(self, failure: Exception) -> bool:
        """Whether to retry after this failure rather than to raise it."""
        return self.outage is Outage.BUFFER and isinstance(failure, StoreUnreachableError)

    def pauses(self) -> Iterator[float]:
        """How long to rest before each new attempt, until there is no patience left."""
        end = time.monotonic() + self.wait_s
        for pause in longer_and_longer():
            left = end - time.monotonic()
            if left <= 0:
                return
            yield min(pause, left)


def longer_and_longer() -> Iterator[float]:
    """Pauses between attempts: each twice as long as the one before, up to a limit."""
    pause = _FIRST_PAUSE_S
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE_S)


class WriteBehindQueue:
    """Carries the batches of one window to its stored_window."""

    def __init__(self, stored_window: StoredWindow, patience: Patience) -> None:
        self._stored_window = stored_window
        self._patience = patience
        self._waiting: deque[tuple[Batch, int]] = deque()  # with the changes that each makes known
        self._written = 0  # batches
        self._unwritten = 0  # changes that are on their way
        self._values: dict[Key, bytes] = {}  # the newest of each key that is not written yet
        self._bytes = 0
        self._failure: Exception | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def admit(self, unsent: int) -> None:
        """Return when one more change may happen, beside some that were not sent yet.

        Raises if the store is failing, and waits if it is slow.
        """
        self.hear()
        if self.room(unsent) <= 0:
            with self._changed:
                self._wait_until(lambda: self.room(unsent) > 0)

    def between_heads(self, usual: int) -> int:
        """The most changes from one head to the next: while one is on its way, others may come."""
        return min(usual, -(-self._patience.max_unwritten_updates // 2))

    def hear(self) -> None:
        """Raise if the store is failing."""
        if self._failure is not None:
            self._raise_failure()

    def room(self, unsent: int) -> int:
        """How many more changes may happen; while an outage is borne, only bytes are counted."""
        most, failure = self._patience.max_unwritten_updates, self._failure
        if failure is not None and self._patience.bears(failure):
            return most - unsent if self._bytes <= self._patience.buffer_bytes else 0
        return most - self._unwritten - unsent

    def send(self, batch: Batch, changes: int) -> None:
        """Take a batch; waits while the queue is full, and raises if the store is failing."""
        self._raise_failure()
        if not self._stored_window.waits:
            self._stored_window.write(batch)
            return
        with self._changed:
            self._wait_until(lambda: self._bytes <= self._patience.buffer_bytes)
            self._waiting.append((batch, changes))
            self._unwritten += changes
            self._values.update(batch.puts)
            self._bytes += _size(batch)
            self._start()
            self._changed.notify_all()

    def on_its_way(self, key: Key) -> bytes | None:
        """A value that was sent and is not written yet."""
        with self._changed:
            return self._values.get(key)

    def flush(self) -> None:
        """Wait until all is written."""
        with self._changed:
            self._wait_until(lambda: not self._waiting)

    def settles(self) -> bool:
        """Whether all is written; a batch that failed is tried again meanwhile.  Nobody waits."""
        with self._changed:
            failure, self._failure = self._failure, None
            if failure is None:
                return not self._waiting
            self._changed.notify_all()
        if not isinstance(failure, StoreUnreachableError):
            raise failure
        return False

    def close(self) -> None:
        """Give up what could not be written; call `flush` before."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(self._patience.wait_s)  # a store may never answer

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._carry, name="windrow-pages", daemon=True)
            self._thread.start()

    def _raise_failure(self) -> None:
        """Raise a failure that persists: the failed write is tried once more first."""
        with self._changed:
            if self._failure is None or self._patience.bears(self._failure):
                return
            earlier, first = self._failure, self._waiting[0]
            self._failure = None
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self._failure or not self._waiting or self._waiting[0] is not first,
                self._patience.wait_s,
            )
            still = bool(self._waiting) and self._waiting[0] is first
            failure = self._failure or (earlier if still else None)
        if failure is not None:
            raise failure

    def _wait_until(self, done: _Condition) -> None:
        """With the lock held: wait for the store, as long as the user has patience with a batch.

        What fails is tried once more, since an attempt may have begun before an outage ended.
        """
        end, written = time.monotonic() + self._patience.wait_s, self._written
        tried_again = False
        while not done():
            if self._written != written:
                end, written = time.monotonic() + self._patience.wait_s, self._written
            failure = self._failure
            out_of_time = time.monotonic() >= end
            if failure is not None and (out_of_time or not self._patience.bears(failure)):
                self._failure = None
                self._changed.notify_all()
                if out_of_time or tried_again:
                    raise failure
                tried_again = True
            if out_of_time:
                raise StoreUnreachableError(
                    f"the store took no batch for {self._patience.wait_s:g} s while "
                    f"{self._unwritten:,} updates (max_unwritten_updates="
                    f"{self._patience.max_unwritten_updates:,}) in {self._bytes:,} bytes "
                    f"(buffer_bytes={self._patience.buffer_bytes:,}) wait to be written; wait "
                    "longer with wait_s=..., or check what the store is busy with"
                )
            self._changed.wait(max(min(end - time.monotonic(), 1.0), 0.001))

    def _carry(self) -> None:
        pauses = longer_and_longer()
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                batch, _ = self._waiting[0]
            try:
                self._stored_window.write(batch)
            except Exception as failure:  # of any kind: the caller must see it
                self._rest(failure, next(pauses))
            else:
                self._forget(batch)
                pauses = longer_and_longer()

    def _rest(self, failure: Exception, pause: float) -> None:
        """Keep the batch in the queue: for a while, or until the failure has been raised."""
        with self._changed:
            self._failure = failure
            self._changed.notify_all()
            if self._patience.bears(failure):
                self._changed.wait(pause)
                return
            while self._failure is not None and not self._closed:
                self._changed.wait()

    def _forget(self, batch: Batch) -> None:
        with self._changed:
            _, changes = self._waiting.popleft()
            self._unwritten -= changes
            self._written += 1
            self._bytes -= _size(batch)
            self._failure = None
            for key, value in batch.puts.items():
                if self._values.get(key) is value:
                    del self._values[key]
            self._changed.notify_all()


def _size(batch: Batch) -> int:
    return sum(map(len, batch.puts.values()))
