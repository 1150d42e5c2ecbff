"""AMTA: in-order, amortised O(1), bulk eviction O(log n), 2n partials (Villalba et al., 2019).

The window `[evicted, inserted)` is split in two: the front, whose suffixes are aggregated ahead of
their eviction, and the back, a running aggregate.  All come from a forest of aligned blocks:

        evicted                 split            inserted
           |   front: R0          |   back: R1      |
           [ block ][   block    ][                 )
                    ^ the stack holds the aggregate from here up to `split`, for each block

Insert extends the back and the forest; evict takes the next suffix off the stack, splitting the
front's first block in halves where needed; an exhausted front is rebuilt from O(log n) blocks.
"""

from collections.abc import Iterator
from typing import Any

from windrow.structures.levels import Levels, blocks_back_to
from windrow.structures.search import Block, suffixed
from windrow.structures.sliding import InBulk

__all__ = ["Amta"]

_NOTHING: Any = object()  # no update at all; unlike the identity it need not be combined


class Amta(InBulk):
    """Constant-time windows over any monoid, with bulk eviction and slide policies.

    Combines per insert + evict + query: 4 amortised, 2·log2(n) + 6 at most; per eviction of any
    number of updates: 2·log2(n) + 2 at most.

    >>> from windrow import agg
    >>> window = Amta(agg.concat())
    >>> for letter in "windrow":
    ...     window.insert(letter)
    >>> window.evict(4)
    >>> window.query()
    'row'
    """

    def _clear(self) -> None:
        self._levels = Levels()
        self._evicted = self._split = self._inserted = 0
        self._front = self._back = self._identity
        # invariant: (position, aggregate of [position, split)) for the starts of all the front's
        # blocks but the first, the oldest on top
        self._stack: list[tuple[int, Any]] = []

    def _insert(self, state: Any) -> None:
        number = self._inserted
        self._back = state if number == self._split else self._combine(self._back, state)
        self._levels.put(0, number, state, self._evicted)
        self._inserted = number + 1
        # A node exists as soon as both its halves do, unless it starts before the window.
        level = 0
        while number & 1 and (number - 1) << level >= self._evicted:
            state = self._combine(self._levels.node(level, number - 1), state)
            number >>= 1
            level += 1
            self._levels.put(level, number, state, self._evicted >> level)

    def _evict(self, count: int) -> None:
        position = self._evicted + count
        if position < self._split:
            self._advance_front(position)
        else:
            self._rebuild_front(position)
        self._evicted = position

    def _advance_front(self, position: int) -> None:
        """Drop whole blocks, then halve the block that `position` lies in until it starts there."""
        start, stack = self._evicted, self._stack
        while stack and stack[-1][0] <= position:
            start, self._front = stack.pop()
        end, after = stack[-1] if stack else (self._split, _NOTHING)
        if start == position:
            return
        while start != position:
            middle = (start + end) // 2
            if position < middle:
                after = self._joined(middle, end, after)
                stack.append((middle, after))
                end = middle
            else:
                start = middle
        self._front = self._joined(start, end, after)

    def _rebuild_front(self, position: int) -> None:
        """Make all updates from `position` on the front, and the back empty."""
        self._split = self._inserted
        # No block of what is left is longer than that: nodes of higher levels are dead.
        self._levels.trim((self._inserted - position).bit_length())
        self._back = self._identity
        self._stack.clear()
        self._front, suffix = self._identity, _NOTHING
        for start, end in blocks_back_to(position, self._inserted):
            suffix = self._joined(start, end, suffix)
            self._stack.append((start, suffix))
        if self._stack:
            _, self._front = self._stack.pop()

    def _joined(self, start: int, end: int, after: Any) -> Any:
        """The aggregate of a block and of what comes after it."""
        block = self._levels.block(start, end)
        return block if after is _NOTHING else self._combine(block, after)

    def _total(self) -> Any:
        if self._evicted == self._split:
            return self._back
        if self._split == self._inserted:
            return self._front
        return self._combine(self._front, self._back)

    def _block(self, start: int, end: int) -> Any:
        return self._levels.block(start, end)

    def _blocks(self) -> Iterator[Block]:
        """The front's blocks as the stack knows them, then the back's, built only if asked for."""
        start = self._evicted
        for position, suffix in reversed(self._stack):
            yield start, position, self._combine(suffix, self._back)
            start = position
        if start < self._split:
            yield start, self._split, self._back
        blocks = blocks_back_to(self._split, self._inserted)
        yield from suffixed(blocks, self._levels.block, self._contents.monoid)

    def _dump(self) -> tuple[Any, ...]:
        counters = (self._evicted, self._split, self._inserted)
        return counters, self._front, self._back, tuple(self._stack), self._levels.dump()

    def _load(self, *data: Any) -> None:
        counters, self._front, self._back, stack, rings = data
        self._evicted, self._split, self._inserted = counters
        self._stack = list(stack)
        self._levels = Levels(rings)
