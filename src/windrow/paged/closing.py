"""What all windows in a store share: they are closed once, at the end of a `with` at the latest."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from windrow.errors import StoreError, WindowError

__all__ = ["Closing"]


class Closing(ABC):
    """A window that holds its place in a store, under a name, until it is closed."""

    _name: str | None = None
    _closed = False

    @abstractmethod
    def flush(self) -> None:
        """Return when all that has happened so far is in the store."""

    def close(self) -> None:
        """Have everything in the store, and let others open the window; twice does nothing."""
        if self._closed:
            return
        try:
            self.flush()
        finally:
            self._end()

    def _end(self) -> None:
        self._closed = True
        self._release()

    @abstractmethod
    def _release(self) -> None:
        """Let go of the store."""

    def _require_open(self) -> None:
        if self._closed:
            raise WindowError(
                f"window {self._name!r} is closed, and others may have opened it; open it again "
                f"with {type(self).__name__}(...)"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close()
        elif not isinstance(error, Exception) or isinstance(error, StoreError):
            if not self._closed:  # what the store has is whole in any case
                self._end()
        else:  # somebody else's failure: what was accepted is kept
            try:
                self.close()
            except StoreError as failure:
                error.add_note(f"window {self._name!r} could not be written either: {failure}")
