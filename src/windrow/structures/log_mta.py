"""Log MTA: in-order, O(log n), bulk eviction O(log n), 2n partials (Villalba et al., 2019).

One tree over the window `[evicted, inserted)`, as high as the window is long, not the stream:

        top      [    (   node    )(    node   )    ]   the root pair
                 [    ( node )( … )( … )( node )    ]
        leaves        ^ evicted        inserted ^

Insert repairs the newest node of every level, evict the oldest.
"""

from typing import Any

from windrow.structures.levels import Levels
from windrow.structures.sliding import WindowTree

__all__ = ["LogMta"]


class LogMta(WindowTree):
    """Windows over any monoid, with bulk eviction; no operation takes more than O(log n).

    Combines per insert, and per eviction of any number of updates: log2(n) + 2 at most; per
    query: 1.

    >>> from windrow import agg
    >>> window = LogMta(agg.concat())
    >>> for letter in "windrow":
    ...     window.insert(letter)
    >>> window.evict(4)
    >>> window.query()
    'row'
    """

    def _clear(self) -> None:
        self._levels = Levels()
        self._evicted = self._inserted = 0
        # invariant: the lowest level on which the window touches at most two nodes
        self._top = 0

    def _node(self, level: int, number: int) -> Any:
        return self._levels.node(level, number)

    def _insert(self, state: Any) -> None:
        self._levels.put(0, self._inserted, state, self._evicted)
        self._inserted += 1
        for level in range(1, self._top + 1):
            self._put(level, self._newest_of(level))
        if self._width(self._top) > 2:
            self._top += 1
            self._put(self._top, self._oldest_of(self._top))
            self._put(self._top, self._newest_of(self._top))

    def _put(self, level: int, number: int) -> None:
        self._levels.put(level, number, self._joined(level, number), self._oldest_of(level))

    def _evict(self, count: int) -> None:
        self._evicted += count
        while self._top and self._width(self._top - 1) <= 2:
            self._top -= 1
        self._levels.trim(self._top + 1)
        for level in range(1, self._top + 1):
            oldest = self._oldest_of(level)
            self._levels.replace(level, oldest, self._joined(level, oldest))

    def _width(self, level: int) -> int:
        """How many nodes of a level the window touches."""
        return self._newest_of(level) - self._oldest_of(level) + 1

    def _total(self) -> Any:
        if not len(self):
            return self._identity
        oldest, newest = self._oldest_of(self._top), self._newest_of(self._top)
        if oldest == newest:
            return self._node(self._top, oldest)
        return self._combine(self._node(self._top, oldest), self._node(self._top, newest))

    def _block(self, start: int, end: int) -> Any:
        level = (end - start).bit_length() - 1
        if level > self._top:
            # The window itself is a block; its node, were there one, would join the root pair.
            return self._joined(level, start >> level)
        return self._node(level, start >> level)

    def _dump(self) -> tuple[Any, ...]:
        return (self._evicted, self._inserted, self._top), self._levels.dump()

    def _load(self, *data: Any) -> None:
        (self._evicted, self._inserted, self._top), rings = data
        self._levels = Levels(rings)
