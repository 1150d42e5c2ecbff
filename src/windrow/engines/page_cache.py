"""Pages of large windows on their way between a store and the engine.

An engine reads pages as it needs them, and lays new ones and those that are done with on the page
cache; who called it puts them away once all is well.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import pyarrow as pa

__all__ = ["MemoryPages", "PageCache", "Pages", "WindowPage"]


class WindowPage(NamedTuple):
    """Which page: of a paged window, on a level, the how-manieth."""

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
    """What was read, is new, or is done with, since pages were last put away."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._read: dict[WindowPage, pa.Table] = {}
        self._new: dict[WindowPage, pa.Table] = {}
        self._done: dict[WindowPage, None] = {}

    def aside(self) -> "PageCache":
        """A second page cache for work that is thrown away: it is never written."""
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
        """Pages that nobody will read again."""
        for place in places:
            if self._new.pop(place, None) is None:
                self._done[place] = None

    def put_away(self) -> None:
        """Bring the store up to date."""
        for place, page in self._new.items():
            self._pages.write(place, page)
        for place in self._done:
            self._pages.delete(place)
        self._new, self._done = {}, {}
