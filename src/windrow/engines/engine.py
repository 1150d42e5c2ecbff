"""The protocol of engines: take rows of many keys in order, give results, keep what is needed.

An engine is built once from a definition and holds no data itself.  What it keeps between two calls
is a few Arrow tables, so the same engine serves a batch, which passes them on in memory, and a
stream, which stores them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

import pyarrow as pa

from windrow.engines.forgetting import heard_since
from windrow.engines.page_cache import PageCache
from windrow.engines.share import Share
from windrow.windows.durations import MIN_US

__all__ = ["FRESH", "NO_WATERMARK", "Engine", "Kept", "Partials", "Step"]

Kept: TypeAlias = dict[str, pa.Table]

# An `until` that promises nothing: before all times.
NO_WATERMARK = MIN_US

# The column that marks, in a preview, the rows that came since the last one.
FRESH = "fresh"


@dataclass(frozen=True)
class Step:
    """What one call gave: results, what to keep, and how many rows came too late for any window."""

    results: Iterable[pa.Table]  # one at least; read once, as all may not fit into memory
    kept: Kept
    late: int = 0


@dataclass(frozen=True)
class Partials:
    """What `Engine.fold` made of rows, as `advance` and `preview` take it in place of rows."""

    table: pa.Table


class Engine(ABC):
    """Windows of one kind over the rows of many keys.

    `rows` are sorted in the order of application, and nothing in them comes before what was
    applied earlier; where a window has ties together, or is punctuated and rows are in the order
    of time, all rows of one time come in one call.
    `until` promises that no later row has a time below it; None that there are no later rows at
    all.
    """

    schema: pa.Schema  # of results
    kept: dict[str, pa.Schema]

    # The kept tables that know keys of which no row may ever come again, and of each the column
    # whose largest value says when a key was last heard of.
    heard: Mapping[str, str] = {}

    # Whether rows may be folded into partials anywhere, in any order, and applied at once.
    folds_early: bool = False
    # Whether partials of rows that were folded apart may be merged in any order, and applied bit by
    # bit until their windows end.  What folds early does so.
    takes_partials: bool = False
    partials: pa.Schema = pa.schema([])  # of what `fold` gives

    # Whether large windows lie in pages, once there is a page cache for them.
    pages: bool = False

    def at(self, page_cache: PageCache) -> Self:
        """The same engine with a page cache for its pages."""
        return self

    def owning(self, share: Share) -> Self:
        """The same engine for one unit of several that share the windows of each key."""
        raise NotImplementedError(f"{type(self).__name__} has all windows of a key on one unit")

    def fold(self, rows: pa.Table) -> pa.Table:
        """Fold rows into a table of partials, if the engine can."""
        raise NotImplementedError(f"{type(self).__name__} needs all rows of a key, in order")

    def fold_until(self, time: int) -> int:
        """Before which time all partials are whole, if all rows before the given one are there."""
        return time

    def whole(self, partials: pa.Table) -> pa.Table:
        """Partials of which one stands for all that belong together, if the engine folds early."""
        raise NotImplementedError(f"{type(self).__name__} needs all rows of a key, in order")

    @abstractmethod
    def advance(self, kept: Kept, rows: pa.Table | Partials, until: int | None) -> Step:
        """Apply rows, and give the results that they and the time they have reached determine."""

    @abstractmethod
    def preview(self, kept: Kept, rows: pa.Table | Partials) -> pa.Table:
        """What the results of fresh rows would be if no more came; nothing is applied."""

    def unfinished(self, kept: Kept) -> pa.Table:
        """Windows with rows that only more rows could end."""
        return self.schema.empty_table()

    @abstractmethod
    def due(self, kept: Kept) -> int | None:
        """The smallest `until` with which `advance` has work to do without any row."""

    def without_silent(self, kept: Kept, before: int) -> Kept:
        """What is kept, without keys that have had no row since a time."""
        left = {name: heard_since(kept[name], c, before) for name, c in self.heard.items()}
        return {**kept, **left}
