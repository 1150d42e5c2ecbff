"""A queue in one array: power-of-two ring, addressed by absolute numbers, O(1) anywhere."""

from collections.abc import Iterable
from typing import Any

__all__ = ["Ring"]

_SMALLEST = 8


class Ring:
    """Entry i of a stream, for as long as it is needed.

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
