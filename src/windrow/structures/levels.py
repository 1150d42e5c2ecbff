"""The storage of trees over a stream: one ring of nodes per level, addressed by absolute numbers.

# invariant: node j of level l covers updates [j << l, (j + 1) << l)

Evicting moves no node: a node is dead once it starts before the window, and its slot is reused.
"""

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["Levels", "Ring", "blocks_back_to"]

_SMALLEST = 8


class Ring:
    """A queue in one array, addressed by absolute numbers: entry i of a stream, while it is needed.

    Every put clears two dead entries, if there are any: what they refer to does not live on in
    them, and letting go of many at once costs nothing.

    >>> ring = Ring()
    >>> for number in range(100):
    ...     ring.put(number, str(number), oldest=number - 3)
    >>> ring[97], ring[99], len(ring.dump())
    ('97', '99', 8)
    """

    __slots__ = ("_head", "mask", "slots")

    def __init__(self, slots: Iterable[Any] = (None,) * _SMALLEST) -> None:
        self.slots = list(slots)
        self.mask = len(self.slots) - 1  # invariant: entry i is in slot i & mask
        self._head = 0  # invariant: the slots of entries before it are cleared or in use again

    def __getitem__(self, index: int) -> Any:
        return self.slots[index & self.mask]

    def __setitem__(self, index: int, entry: Any) -> None:
        self.slots[index & self.mask] = entry

    def put(self, index: int, entry: Any, oldest: int) -> None:
        """Set the newest entry, when those before `oldest` are not needed any more."""
        live, size = index - oldest + 1, self.mask + 1
        # Shrinking at an eighth and growing at the full keeps copies at O(1) amortised per put.
        if live > size or live * 8 <= size > _SMALLEST:
            self._resize(oldest, index, live)
        elif self._head < oldest:
            head = max(self._head, index - self.mask)
            self._head = min(head + 2, oldest)
            for dead in range(head, self._head):
                self.slots[dead & self.mask] = None
        self.slots[index & self.mask] = entry

    def _resize(self, oldest: int, index: int, live: int) -> None:
        old, old_mask = self.slots, self.mask
        size = max(_SMALLEST, 1 << live.bit_length())
        self.slots, self.mask, self._head = [None] * size, size - 1, oldest
        for number in range(oldest, index):
            self.slots[number & self.mask] = old[number & old_mask]

    def dump(self) -> tuple[Any, ...]:
        """The slots as values, from which another ring can be made."""
        return tuple(self.slots)


class Levels:
    """Growable rings of nodes, one per level."""

    def __init__(self, rings: Iterable[tuple[Any, ...]] = ()) -> None:
        self._rings = [Ring(slots) for slots in rings]

    def node(self, level: int, index: int) -> Any:
        """The aggregate of updates [index << level, (index + 1) << level)."""
        ring = self._rings[level]
        return ring.slots[index & ring.mask]  # not ring[index]: this is read most of all

    def block(self, start: int, end: int) -> Any:
        """The aggregate of an aligned block of 2^l updates."""
        level = (end - start).bit_length() - 1
        return self.node(level, start >> level)

    def put(self, level: int, index: int, state: Any, oldest: int) -> None:
        """Set the newest node of a level whose nodes before `oldest` are not needed any more."""
        if level == len(self._rings):
            self._rings.append(Ring())
        self._rings[level].put(index, state, oldest)

    def replace(self, level: int, index: int, state: Any) -> None:
        """Set a node that is there already."""
        self._rings[level][index] = state

    def trim(self, height: int) -> None:
        """Let go of the levels from `height` on, whose nodes are not needed any more."""
        del self._rings[height:]

    def drop_leaves(self) -> None:
        """Make pairs the leaves, with half the numbers."""
        del self._rings[:1]

    def dump(self) -> tuple[tuple[Any, ...], ...]:
        """The rings as values, from which other levels can be made."""
        return tuple(ring.dump() for ring in self._rings)

    def __len__(self) -> int:
        return len(self._rings)


def blocks_back_to(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cover [start, end) with the fewest aligned blocks, newest first: O(log n) of them.

    >>> list(blocks_back_to(3, 9))
    [(8, 9), (4, 8), (3, 4)]
    """
    while end > start:
        # The lowest set bit of `end` is the largest aligned block that ends there.
        size = end & -end
        while size > end - start:
            size >>= 1
        yield end - size, end
        end -= size
