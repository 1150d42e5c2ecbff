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
    """Names one value: a space (short text of a-z, 0-9, `_` and `-`) and a number below 2⁶³.

    >>> Key("leaves", 0)
    Key(space='leaves', number=0)
    """

    space: str
    number: int


class Span(NamedTuple):
    """The numbers of a space from `first` up to, but without, `end`.

    >>> Span("leaves", 0, 8).end
    8
    """

    space: str
    first: int
    end: int


@dataclass(frozen=True)
class Batch:
    """Changes that are applied together or not at all; deletions come before puts.

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
    """The values of one window, open for one holder at a time, whose threads may share it.

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
        """The values of these keys, in the same order; None where there is no value."""

    @abstractmethod
    def write(self, batch: Batch) -> None:
        """Apply the whole batch or nothing; once this returns, it is as durable as the store says.

        After an error, the whole batch has been applied or nothing.  If the store cannot tell
        which, as after a lost connection, it is always safe to write the same batch again.
        """

    @abstractmethod
    def count(self, spaces: Collection[str], most: int) -> int:
        """The number of values, counted up to `most`; `spaces` are all spaces there may be.

        If a value is missing, this tells whether others are left, without reading them.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the window, so that others can open it; closing twice does nothing."""

    def put_many(self, values: Mapping[Key, bytes]) -> None:
        """Put all of these values, or none."""
        self.write(Batch(puts=values))

    def delete_range(self, span: Span) -> None:
        """Delete the values whose numbers lie in a span; there may be none."""
        self.write(Batch(deleted=(span,)))


class Store(_Closing):
    """Keeps the values of windows, by name; any text that is not empty is a name.

    A window exists from when it is first opened until it is deleted.

    >>> from windrow.paged.stores import MemoryStore
    >>> with MemoryStore() as store, store.open("turbine 7"):
    ...     store.names()
    ['turbine 7']
    """

    @abstractmethod
    def open(self, name: str) -> StoredWindow:
        """Open a window, new or not; raises `StoreBusyError` if it is open anywhere."""

    @abstractmethod
    def names(self) -> list[str]:
        """The names of all windows, sorted."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Delete a window with all its values, damaged or not.

        Raises `StoreBusyError` if it is open.  If there is no such window, nothing happens.
        """

    @abstractmethod
    def close(self) -> None:
        """Close all stored windows and the store itself; closing twice does nothing."""
