"""The page cache: pages of large windows between a store and the engine.

An engine reads pages as it needs them, and puts new pages and deletions into the page cache; its
caller writes them to the store once the call has succeeded.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import pyarrow as pa

__all__ = ["MemoryPages", "PageCache", "Pages", "WindowPage"]


class WindowPage(NamedTuple):
    """Which page: the paged window, the level, and the page's index within the level."""

    paged_window: int
    level: int
    number: int


class Pages(Protocol):
    """Where pages are kept."""

    def read(self, place: WindowPage, schema: pa.Schema) -> pa.Table:
        """A page that is there."""

    def write(self, place: WindowPage, page: pa.Table) -> None:
        """Keep a page."""

    def delete(self, place: WindowPage) -> None:
        """Forget a page."""


class MemoryPages:
    """Pages in memory."""

    def __init__(self) -> None:
        self.pages: dict[WindowPage, pa.Table] = {}

    def read(self, place: WindowPage, schema: pa.Schema) -> pa.Table:
        """A page that is there."""
        page = self.pages[place]
        assert page.schema == schema
        return page

    def write(self, place: WindowPage, page: pa.Table) -> None:
        """Keep a page."""
        self.pages[place] = page

    def delete(self, place: WindowPage) -> None:
        """Forget a page."""
        del self.pages[place]


class PageCache:
    """Pages that were read, added or deleted since the last write to the store."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._read: dict[WindowPage, pa.Table] = {}
        self._new: dict[WindowPage, pa.Table] = {}
        self._done: dict[WindowPage, None] = {}

    def aside(self) -> "PageCache":
        """A second page cache, for work that is discarded: it is never written."""
        other = PageCache(self._pages)
        other._read, other._new, other._done = self._read, dict(self._new), dict(self._done)
        return other

    def read(self, place: WindowPage, schema: pa.Schema) -> pa.Table:
        """A page that is there."""
        found = self._new.get(place)
        if found is None:
            found = self._read.get(place)
        if found is None:
            found = self._read[place] = self._pages.read(place, schema)
        return found

    def lay(self, place: WindowPage, page: pa.Table) -> None:
        """A new page."""
        self._new[place] = page

    def finish(self, places: Sequence[WindowPage]) -> None:
        """Delete pages that will not be read again."""
        for place in places:
            if self._new.pop(place, None) is None:
                self._done[place] = None

    def put_away(self) -> None:
        """Write all changes to the store."""
        for place, page in self._new.items():
            self._pages.write(place, page)
        for place in self._done:
            self._pages.delete(place)
        self._new, self._done = {}, {}
