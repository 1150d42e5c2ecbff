"""The pages of one window: those on their way to the store, and those that are there."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from windrow.errors import SnapshotError, StoreError, StoreUnreachableError, WindrowError
from windrow.paged.checks import PLACES
from windrow.paged.page import (
    damaged,
    head_of,
    mark_of,
    open_head,
    open_page,
    page_of,
    require_seal,
    seal_of,
)
from windrow.paged.stores.base import Batch, Key, Span, StoredWindow
from windrow.paged.write_behind import Patience, WriteBehindQueue

__all__ = ["LevelPage", "PageStore"]

_HEAD, _SEAL = Key("head", 0), Key("seal", 0)
_COUNTED = 1_000  # pages without a head


class LevelPage(NamedTuple):
    """Which page: nodes [number · page, (number + 1) · page) of a level."""

    level: int
    number: int

    @property
    def key(self) -> Key:
        """Where a stored window keeps it."""
        return Key(_space(self.level), self.number)


class PageStore:
    """The pages and the head of one window."""

    def __init__(
        self, stored_window: StoredWindow, window: str, description: str, patience: Patience
    ) -> None:
        self._stored_window = stored_window
        self._window = window
        self._description = description
        self._mark = mark_of(window, description)
        self._patience = patience
        #: Where batches wait that are on their way.
        self.queue = WriteBehindQueue(stored_window, patience)
        self._prefetcher = _Prefetcher(stored_window)
        self._written: dict[Key, bytes] = {}  # since the last head
        self._heads = 0
        self._has_read = False  # whether anything came from the store

    def head(self) -> bytes | None:
        """What the window resumes from; None if it is new."""
        stored, seal = self._stored_window.get_many([_HEAD, _SEAL])
        if stored is None:
            self._require_nothing()
            return None
        self._has_read = True
        mark, self._heads, contents = open_head(stored, self._window)
        if mark != self._mark:
            raise SnapshotError(
                f"window {self._window!r} of this store was not written by {self._description}; "
                "open it with the aggregates, policy, types and page size that it was made "
                "with, or give a new window another name"
            )
        require_seal(stored, seal, self._window)
        return contents

    def _require_nothing(self) -> None:
        """A window without a head is new only if nothing else is there."""
        spaces = [_HEAD.space, _SEAL.space, *map(_space, range(PLACES))]
        found = self._stored_window.count(spaces, _COUNTED)
        if found:
            many = f"{found:,} or more pages" if found == _COUNTED else f"{found} page(s)"
            raise damaged(
                self._window,
                f"window {self._window!r} has {many} in the store, but no head that describes "
                "them: something else deleted it, or the server dropped it",
            )

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Report anything that cannot be read as damaged: checksums can be forged."""
        try:
            yield
        except StoreError:
            raise
        except Exception as error:
            raise damaged(
                self._window,
                f"{what} of window {self._window!r} makes no sense "
                f"({type(error).__name__}: {error})",
            ) from error

    def blame(self, error: Exception) -> None:
        """Raise `DamagedPageError` if states that came from the store may be why this was raised.

        Bytes that make values need not make states of the aggregate at hand, and nobody but its
        own functions can tell.
        """
        if self._has_read and not isinstance(error, WindrowError):
            raise damaged(
                self._window,
                f"the aggregate could not use the states that the store has of window "
                f"{self._window!r} ({type(error).__name__}: {error}); if it is not the "
                "aggregate's own fault, they are damaged",
            ) from error

    def write(self, place: LevelPage, contents: bytes) -> None:
        """Keep a page; it is in the store with the next head, or not at all."""
        self._written[place.key] = page_of(self._mark, *place, contents)

    def commit(self, head: bytes, dead: Sequence[tuple[int, int, int]], changes: int) -> None:
        """Send all pages since the last head together with this one; dead ones are deleted.

        `changes` is how many changes of the window it makes durable.
        """
        spans = [Span(_space(level), first, end) for level, first, end in dead]
        alive = {key: v for key, v in self._written.items() if not _in_any(key, spans)}
        value = head_of(self._mark, self._heads + 1, head)
        self.queue.send(Batch({**alive, _HEAD: value, _SEAL: seal_of(value)}, spans), changes)
        self._heads += 1
        self._written = {}

    def read(self, places: Sequence[LevelPage]) -> list[bytes]:
        """The contents of pages."""
        found = {place: self._on_the_way(place) for place in places}
        away = [place for place, value in found.items() if value is None]
        if away:
            self._has_read = True
            stored = self._fetched([place.key for place in away])
            found.update(zip(away, stored, strict=True))
        return [open_page(found[p], self._mark, p.level, p.number, self._window) for p in places]

    def expect(self, places: Sequence[LevelPage]) -> None:
        """Have pages brought that will be read next; none of them may change until then."""
        away = [place.key for place in places if self._sent(place.key) is None]
        self._prefetcher.expect(away)

    def close(self) -> None:
        """Close the stored window."""
        self.queue.close()
        self._prefetcher.wait()
        self._stored_window.close()

    def _fetched(self, keys: Sequence[Key]) -> list[bytes | None]:
        """Values from the store, as soon as it answers, if the user has patience with it."""
        for pause in self._patience.pauses():
            try:
                return self._stored_window.get_many(keys)
            except StoreUnreachableError as failure:
                if not self._patience.bears(failure):
                    raise
                time.sleep(pause)
        return self._stored_window.get_many(keys)

    def _on_the_way(self, place: LevelPage) -> bytes | None:
        """A page that is on its way to the store, or from there."""
        value = self._sent(place.key)
        return self._prefetcher.take(place.key) if value is None else value

    def _sent(self, key: Key) -> bytes | None:
        """A page that may not have reached the store yet."""
        value = self._written.get(key)
        return self.queue.on_its_way(key) if value is None else value


def _space(level: int) -> str:
    return f"l{level}"


def _in_any(key: Key, spans: Sequence[Span]) -> bool:
    return any(s.space == key.space and s.first <= key.number < s.end for s in spans)


class _Prefetcher:
    """Reads pages before they are needed, in a separate thread.

    It holds what was expected last and not yet taken.
    """

    def __init__(self, stored_window: StoredWindow) -> None:
        self._stored_window = stored_window
        self._going: threading.Thread | None = None
        self._expected: frozenset[Key] = frozenset()
        self._found: dict[Key, bytes | None] = {}

    def expect(self, keys: Sequence[Key]) -> None:
        """Begin to read values that will be asked for, and never change until then."""
        if not self._stored_window.waits:  # a store that answers at once needs nobody to go ahead
            return
        self.wait()
        self._found = {key: self._found[key] for key in keys if key in self._found}
        self._expected = frozenset(keys)
        away = [key for key in keys if key not in self._found]
        if away:
            # A daemon: a store that never answers must not keep the process from its end.
            self._going = threading.Thread(
                target=self._read, args=[away], name="windrow-pages-ahead", daemon=True
            )
            self._going.start()

    def take(self, key: Key) -> bytes | None:
        """A value that was expected; None if it was not, or could not be read."""
        if key not in self._expected:
            return None
        self.wait()
        return self._found.pop(key, None)

    def wait(self) -> None:
        """Return when nothing is being read."""
        if self._going is not None:
            self._going.join()
            self._going = None

    def _read(self, keys: Sequence[Key]) -> None:
        try:
            found = self._stored_window.get_many(keys)
        except Exception:  # of any kind: the caller reads again, and sees it then
            return
        self._found.update(zip(keys, found, strict=True))
