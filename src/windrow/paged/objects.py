"""A window of any states in pages: `Amta` over levels that a page store keeps."""

import struct
from collections.abc import Callable, Iterable
from typing import Any

from windrow.algebra.aggregate import Aggregation
from windrow.algebra.codec import StateCodec, decode, encode
from windrow.algebra.monoid import Codec
from windrow.errors import SnapshotError
from windrow.paged.checks import require, require_counts, require_shape
from windrow.paged.levels import PagedLevels, Pages
from windrow.paged.page_store import PageStore
from windrow.structures.amta import Amta
from windrow.windows import Policy

__all__ = ["PagedObjects"]


class PagedObjects(Amta):
    """The protocol of `Amta` over pages of a page store."""

    def __init__(
        self,
        monoid: Aggregation,
        policy: Policy | None,
        page: int,
        cached_pages: int,
        codec: Codec | None,
        open_page_store: Callable[[str], PageStore],
    ) -> None:
        self._page = page
        self._cached_pages = cached_pages
        self._given_codec = codec
        self._open_page_store = open_page_store
        super().__init__(monoid, policy)

    def _clear(self) -> None:
        super()._clear()
        kept = self._contents.monoid
        self._codec = StateCodec(self._described, self._given_codec or kept.codec)
        self.page_store = self._open_page_store(f"{self._described}, pages of {self._page}")
        self._paged = PagedLevels(
            self.page_store, self._page, self._cached_pages, self._encode, self._decode
        )
        self._levels: Any = self._paged
        self._since_head = 0
        head = self.page_store.head()
        if head is not None:
            with self.page_store.reading("the head"):
                self._resume(head)

    @property
    def inserted(self) -> int:
        """How many updates the window has ever taken."""
        return self._inserted

    @property
    def evicted(self) -> int:
        """How many updates have left it."""
        return self._evicted

    def extend(self, values: Iterable[Any]) -> None:
        """Append many updates."""
        for value in values:
            self.insert(value)

    def _insert(self, state: Any) -> None:
        self._encode([state])  # what cannot be kept must not come in
        self._make_known()
        before = self._inserted, self._back
        try:
            super()._insert(state)
        except Exception as error:
            self._inserted, self._back = before
            self.page_store.blame(error)
            raise

    def _evict(self, count: int) -> None:
        self._make_known()
        before = self.mark()
        try:
            super()._evict(count)
        except BaseException as error:  # a page that does not come: nothing has happened
            self.go_back(before)
            if isinstance(error, Exception):
                self.page_store.blame(error)
            raise

    def query(self) -> Any:
        """The aggregate of all updates in the window."""
        try:
            return super().query()
        except Exception as error:
            self.page_store.blame(error)
            raise

    def _slide(self) -> int:
        try:
            return super()._slide()
        except Exception as error:
            self.page_store.blame(error)
            raise

    def mark(self) -> tuple[Any, ...]:
        """How things are now; see `go_back`."""
        counters = self._evicted, self._split, self._inserted
        return counters, self._front, self._back, list(self._stack), self._paged.at_hand()

    def go_back(self, before: tuple[Any, ...]) -> None:
        """Let nothing have happened since a mark, which is used up by that."""
        counters, self._front, self._back, self._stack, levels = before
        self._evicted, self._split, self._inserted = counters
        self._paged.go_back(levels)

    def _make_known(self) -> None:
        """Send a head to the store after a limited number of changes, before the next one."""
        if self._since_head >= self.page_store.queue.between_heads(self._page):
            self._commit()
        self.page_store.queue.admit(self._since_head)
        self._since_head += 1

    def _commit(self) -> None:
        dead = self._paged.dead(self._evicted)
        self.page_store.commit(self._head(dead), dead, self._since_head)
        self._paged.forget(dead)
        self._since_head = 0

    def flush(self) -> None:
        """Have all that has happened so far in the store."""
        self._commit()
        self.page_store.queue.flush()

    def close(self) -> None:
        """Let go of the store."""
        self.page_store.close()

    def _head(self, dead: list[Pages]) -> bytes:
        """Counters, front, back and stack, and the newest updates that fill no page yet."""
        gone = self._paged.deleted(dead)
        counters = (self._evicted, self._split, self._inserted)
        positions = [position for position, _ in self._stack]
        places = encode((counters, positions, gone))
        states = [self._front, self._back, *(suffix for _, suffix in self._stack)]
        kept = self._encode([*states, *self._paged.newest(self._inserted)])
        return struct.pack("<I", len(places)) + places + kept

    def _resume(self, head: bytes) -> None:
        (length,) = struct.unpack_from("<I", head)
        counters, positions, gone = decode(head[4 : 4 + length])
        evicted, split, inserted = counters
        require_shape(evicted, split, inserted, positions)
        self._evicted, self._split, self._inserted = evicted, split, inserted
        self._front, self._back, *states = self._decode(head[4 + length :])
        self._stack = list(zip(positions, states[: len(positions)], strict=True))
        newest = states[len(positions) :]
        begun = self._inserted % self._page
        is_empty = self._evicted == self._inserted  # its last page may have been let go of
        require(len(newest) == begun or (is_empty and not newest), f"it has {len(newest)} updates")
        self._paged.resume(
            self._evicted, self._inserted, newest, require_counts(gone), self._combine
        )

    def _encode(self, states: Iterable[Any]) -> bytes:
        return encode([self._codec.to_plain(state) for state in states], self._described)

    def _decode(self, content: bytes) -> list[Any]:
        states = decode(content)
        if type(states) is not list:
            raise SnapshotError(f"a page holds a {type(states).__name__} in place of its states")
        return [self._codec.from_plain(state) for state in states]
