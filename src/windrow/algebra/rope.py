"""A rope: an immutable sequence that joins in O(1) (Boehm, Atkinson and Plass, 1995).

States that keep every value in order are ropes: joining two shares both, so a value is stored once
however many windows hold it.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

__all__ = ["Rope"]

T = TypeVar("T")

# invariant: a rope of at most this many items is a leaf, so short joins copy and long ones share
_LEAF = 16


class Rope(Generic[T]):
    """A sequence of items: a leaf holds them, a branch holds its older and newer half.

    >>> week = Rope(["mon", "tue"]) + Rope(["wed"])
    >>> list(week), len(week)
    (['mon', 'tue', 'wed'], 3)
    """

    __slots__ = ("_length", "_newer", "_older")

    _length: int
    _older: Any  # the older half of a branch, the tuple of items of a leaf
    _newer: Any  # the newer half of a branch, None in a leaf

    def __init__(self, items: Iterable[T] = ()) -> None:
        leaf = tuple(items)
        self._length = len(leaf)
        self._older = leaf
        self._newer = None

    def __add__(self, newer: "Rope[T]") -> "Rope[T]":
        if not newer._length:
            return self
        if not self._length:
            return newer
        length = self._length + newer._length
        if length <= _LEAF:
            return Rope(self._older + newer._older)
        both: Rope[T] = Rope.__new__(Rope)
        both._length = length
        both._older = self
        both._newer = newer
        return both

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        # A stack of our own: a window grown one value at a time is as deep as it is long.
        waiting: list[Rope[T]] = [self]
        while waiting:
            node = waiting.pop()
            while node._newer is not None:
                waiting.append(node._newer)
                node = node._older
            yield from node._older

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rope):
            return NotImplemented
        return self._length == other._length and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Rope({list(self)!r})"

    def __reduce__(self) -> tuple[type["Rope[T]"], tuple[tuple[T, ...]]]:
        return (Rope, (tuple(self),))
