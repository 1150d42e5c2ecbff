"""What every store of pages promises: values by number, in named spaces, written in whole batches.

A `Store` keeps windows by name.  Each is a `StoredWindow`, open for one holder at a time: a window
that two processes slide at once would be wrong in both.  On a stored window lie values, numbered
within spaces: the pages of one level of a tree, say, are a space.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import ClassVar, NamedTuple, Self

__all__ = ["Batch", "Key", "Span", "Store", "StoredWindow"]


class Key(NamedTuple):
    """Where one value lies: a space, short text of a-z, 0-9, `_` and `-`, and a number < 2^63.

    >>> Key("leaves", 0)
    Key(space='leaves', number=0)
    """

    space: str
    number: int


class Span(NamedTuple):
    """The numbers [first, end) of a space.

    >>> Span("leaves", 0, 8).end
    8
    """

    space: str
    first: int
    end: int


@dataclass(frozen=True)
class Batch:
    """Changes that happen together or not at all; what is deleted goes before what is put.

    >>> Batch(puts={Key("leaves", 8): b"page"}, deleted=[Span("leaves", 0, 8)]).deleted
    [Span(space='leaves', first=0, end=8)]
    """

    puts: Mapping[Key, bytes] = field(default_factory=dict)
    deleted: Sequence[Span] = ()


class _Closing(ABC):
    """What is closed at the end of a `with`."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what is held; twice does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class StoredWindow(_Closing):
    """The values of one window, for one holder at a time; reads and writes may come at once.

    >>> from windrow.paged.stores import MemoryStore
    >>> with MemoryStore() as store, store.open("turbine 7") as stored:
    ...     stored.put_many({Key("leaves", 0): b"page"})
    ...     stored.get_many([Key("leaves", 0), Key("leaves", 1)])
    [b'page', None]
    """

    #: Whether a write waits for a disk or a network: then it is worth a thread of its own.
    waits: ClassVar[bool] = True

    @abstractmethod
    def get_many(self, keys: Sequence[Key]) -> list[bytes | None]:
        """The values of these keys, in their order; None where there is none."""

    @abstractmethod
    def write(self, batch: Batch) -> None:
        """Apply all of a batch or nothing; it lasts as the store promises, once this returns.

        After an error the batch is there as a whole or not at all.  Where the store cannot tell
        which, as after a lost connection, writing the same batch again is always safe.
        """

    @abstractmethod
    def count(self, spaces: Collection[str], most: int) -> int:
        """How many values there are, counted up to `most`; `spaces` are all that there may be.

        For who misses a value and must know whether others are left: it reads none of them.
        """

    @abstractmethod
    def close(self) -> None:
        """Let others open the window; closing twice does nothing."""

    def put_many(self, values: Mapping[Key, bytes]) -> None:
        """Put values, all or none."""
        self.write(Batch(puts=values))

    def delete_range(self, span: Span) -> None:
        """Delete the values whose numbers lie in a span; there may be none."""
        self.write(Batch(deleted=(span,)))


class Store(_Closing):
    """Where windows keep their values, by name; any text but the empty one is a name.

    A window is there from its first opening until it is deleted.

    >>> from windrow.paged.stores import MemoryStore
    >>> with MemoryStore() as store, store.open("turbine 7"):
    ...     store.names()
    ['turbine 7']
    """

    @abstractmethod
    def open(self, name: str) -> StoredWindow:
        """A stored window by name, new or not; `StoreBusyError` if it is open anywhere."""

    @abstractmethod
    def names(self) -> list[str]:
        """The windows that are there, sorted."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Remove a window with all its values, damaged or not; `StoreBusyError` if it is open.

        A window that is not there is none to remove: nothing happens.
        """

    @abstractmethod
    def close(self) -> None:
        """Close all stored windows, and whatever the store itself holds; twice does nothing."""
