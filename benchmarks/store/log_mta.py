"""LogMta with its nodes in pages of a store, to compare with: it neither recovers nor deletes.

An eviction changes the oldest node of every level, so the pages with the oldest nodes stay at hand
until the window has left them, as those with the newest do.
"""

from typing import Any

from windrow.algebra.aggregate import Aggregation
from windrow.algebra.codec import decode, encode
from windrow.paged.stores import Key, StoredWindow
from windrow.structures import LogMta
from windrow.windows import Policy

__all__ = ["LogMtaInStore"]

_PAGE = 512
_WRITTEN_AT_ONCE = 8


class LogMtaInStore(LogMta):
    """A window whose full pages lie on a stored_window."""

    def __init__(
        self, aggregation: Aggregation, stored_window: StoredWindow, policy: Policy | None = None
    ) -> None:
        self._stored_window = stored_window
        super().__init__(aggregation, policy)

    def _clear(self) -> None:
        super()._clear()
        self._levels: Any = _StoredLevels(self._stored_window)

    def flush(self) -> None:
        """Have all full pages in the store."""
        self._levels.flush()

    def _load(self, *data: Any) -> None:
        (self._evicted, self._inserted, self._top), pages = data
        self._levels.load(pages)


class _StoredLevels:
    """What `LogMta` asks of its levels."""

    def __init__(self, stored_window: StoredWindow) -> None:
        self._stored_window = stored_window
        self._pages: list[dict[int, list[Any]]] = []
        self._unwritten: dict[Key, bytes] = {}

    def node(self, level: int, index: int) -> Any:
        """The aggregate of updates [index << level, (index + 1) << level)."""
        number, at = divmod(index, _PAGE)
        return self._page(level, number)[at]

    def put(self, level: int, index: int, state: Any, oldest: int) -> None:
        """Set the newest node of a level."""
        while level >= len(self._pages):
            self._pages.append({})
        number, at = divmod(index, _PAGE)
        pages = self._pages[level]
        if number not in pages:
            self._let_go(level, oldest // _PAGE)
            pages[number] = [None] * _PAGE
        pages[number][at] = state

    def replace(self, level: int, index: int, state: Any) -> None:
        """Set the oldest node of a level; pages before it are not needed any more."""
        number, at = divmod(index, _PAGE)
        self._page(level, number)[at] = state
        pages = self._pages[level]
        for old in [old for old in pages if old < number]:
            del pages[old]

    def trim(self, height: int) -> None:
        """Let go of the levels from `height` on."""
        del self._pages[height:]

    def flush(self) -> None:
        """Write what waits."""
        if self._unwritten:
            self._stored_window.put_many(self._unwritten)
            self._unwritten = {}

    def dump(self) -> tuple[dict[int, list[Any]], ...]:
        """The pages at hand; what is in the store stays there."""
        return tuple({number: list(page) for number, page in own.items()} for own in self._pages)

    def load(self, pages: tuple[dict[int, list[Any]], ...]) -> None:
        """Take over what `dump` gave."""
        self._pages = [{number: list(page) for number, page in own.items()} for own in pages]

    def _let_go(self, level: int, oldest: int) -> None:
        """Write the pages that are full, but for the one with the oldest node."""
        pages = self._pages[level]
        for number in [number for number in pages if number != oldest]:
            self._unwritten[_key(level, number)] = encode(pages.pop(number))
        if len(self._unwritten) >= _WRITTEN_AT_ONCE:
            self.flush()

    def _page(self, level: int, number: int) -> list[Any]:
        pages = self._pages[level]
        if number not in pages:
            key = _key(level, number)
            if key in self._unwritten:
                self.flush()
            (content,) = self._stored_window.get_many([key])
            assert content is not None  # every page that was let go of is there
            pages[number] = decode(content)
        return pages[number]


def _key(level: int, number: int) -> Key:
    return Key(f"l{level}", number)
