"""FlatFAT: in-order, O(log n), 2n to 16n slots (Tangwongsan, Hirzel, Schneider and Wu, 2015).

A complete binary tree in one flat array, over a power-of-two ring of updates: nodes that are one
lap of the ring apart share a slot.  Where the two ends of the window meet in one slot, it is void:
it would join the newest updates with the oldest in the wrong order.  A query then joins what comes
before the seam, where a lap ends, with what comes after it:

        slots     [ e   f   g   .   a   b   c   d ]   the window a … g of a ring of eight
        void      [   void root: e f g a b c d    ]
        query       combine(a b c d, e f g)
"""

from typing import Any

from windrow.structures.sliding import WindowTree

__all__ = ["FlatFat"]

_LOWEST = 3  # the height of the smallest tree


class FlatFat(WindowTree):
    """Windows over any monoid, as a tree in one array; the only pauses are for resizing it.

    Combines, where h, at most log2(n) + 3, is the height of the tree: h per insert; h per eviction
    of one update, 2·h of many; 2·h + 1 per query; 2·h to resize.

    >>> from windrow import agg
    >>> window = FlatFat(agg.concat())
    >>> for letter in "windrow":
    ...     window.insert(letter)
    >>> window.evict(4)
    >>> window.query()
    'row'
    """

    def _clear(self) -> None:
        self._evicted = self._inserted = 0
        self._build(_LOWEST)

    def _build(self, height: int) -> None:
        # invariant: level l takes the slots [2^(height - l), 2^(height - l + 1)), the root slot 1
        self._height = height
        self._tree: list[Any] = [None] * (2 << height)

    def _slot(self, level: int, number: int) -> int:
        lap = 1 << (self._height - level)
        return lap + (number & (lap - 1))

    def _node(self, level: int, number: int) -> Any:
        return self._tree[self._slot(level, number)]

    def _is_void(self, level: int) -> bool:
        """Whether the ends of the window meet on this level, and so on all levels above."""
        distance = self._newest_of(level) - self._oldest_of(level)
        return distance >= 1 << (self._height - level)

    def _repair(self, level: int, number: int) -> None:
        self._tree[self._slot(level, number)] = self._joined(level, number)

    def _insert(self, state: Any) -> None:
        if len(self) == 1 << self._height:
            self._resize(self._height + 1)
        self._tree[self._slot(0, self._inserted)] = state
        self._inserted += 1
        for level in range(1, self._height + 1):
            if self._is_void(level):
                break
            self._repair(level, self._newest_of(level))

    def _evict(self, count: int) -> None:
        was_void = [self._is_void(level) for level in range(self._height + 1)]
        self._evicted += count
        if not len(self):
            self._build(_LOWEST)
            return
        for level in range(1, self._height + 1):
            if self._is_void(level):
                break
            oldest, newest = self._oldest_of(level), self._newest_of(level)
            self._repair(level, oldest)
            if was_void[level] and newest != oldest:
                self._repair(level, newest)
        # A quarter or more is in use after that, so moves cost O(1) amortised per update.
        if len(self) << 3 <= 1 << self._height and self._height > _LOWEST:
            self._resize(max(_LOWEST, len(self).bit_length() + 1))

    def _resize(self, height: int) -> None:
        """Move to a tree of another height: nodes keep their states, void ones get theirs."""
        old_height, old_tree = self._height, self._tree
        was_void = [self._is_void(level) for level in range(old_height + 1)]
        self._build(height)
        for level in range(height + 1):
            missing = level > old_height or was_void[level]
            ends = {self._oldest_of(level), self._newest_of(level)} if missing else set()
            old_lap = 1 << (old_height - level) if level <= old_height else 0
            for number in range(self._oldest_of(level), self._newest_of(level) + 1):
                if number not in ends:
                    state = old_tree[old_lap + (number & (old_lap - 1))]
                    self._tree[self._slot(level, number)] = state
                elif not self._is_void(level):
                    self._repair(level, number)

    def _total(self) -> Any:
        if not len(self):
            return self._identity
        if not self._is_void(self._height):
            return self._tree[1]
        level = 0
        while not self._is_void(level + 1):
            level += 1
        seam = self._newest_of(self._height) << self._height
        return self._combine(self._before(seam, level), self._after(seam, level))

    def _before(self, seam: int, level: int) -> Any:
        """The state of [evicted, seam), from the oldest node of a level that is not void."""
        number = self._oldest_of(level)
        state = self._node(level, number)
        number += 1
        while number << level < seam:
            if number & 1:
                state = self._combine(state, self._node(level, number))
            number = (number + 1) >> 1
            level += 1
        return state

    def _after(self, seam: int, level: int) -> Any:
        """The state of [seam, inserted), from the newest node of a level that is not void."""
        number = self._newest_of(level)
        state = self._node(level, number)
        while number << level > seam:
            if number & 1:
                state = self._combine(self._node(level, number - 1), state)
            number >>= 1
            level += 1
        return state

    def _block(self, start: int, end: int) -> Any:
        level = (end - start).bit_length() - 1
        return self._node(level, start >> level)

    def _dump(self) -> tuple[Any, ...]:
        return (self._evicted, self._inserted, self._height), tuple(self._tree)

    def _load(self, *data: Any) -> None:
        (self._evicted, self._inserted, self._height), tree = data
        self._tree = list(tree)
