"""Reads pages before they are needed, in a separate thread."""

import threading
from collections.abc import Sequence

from windrow.paged.stores.base import Key, StoredWindow

__all__ = ["Prefetcher"]


class Prefetcher:
    """Reads ahead in one stored window; holds what was expected last and not yet taken."""

    def __init__(self, stored_window: StoredWindow) -> None:
        self._stored_window = stored_window
        self._going: threading.Thread | None = None
        self._expected: frozenset[Key] = frozenset()
        self._found: dict[Key, bytes | None] = {}

    def expect(self, keys: Sequence[Key]) -> None:
        """Begin to read values that will be asked for, and never change until then."""
        if not self._stored_window.waits:  # a store that answers at once needs nobody to go ahead
            return
        self.wait()
        self._found = {key: self._found[key] for key in keys if key in self._found}
        self._expected = frozenset(keys)
        away = [key for key in keys if key not in self._found]
        if away:
            # A daemon: a store that never answers must not keep the process from its end.
            self._going = threading.Thread(
                target=self._read, args=[away], name="windrow-pages-ahead", daemon=True
            )
            self._going.start()

    def take(self, key: Key) -> bytes | None:
        """A value that was expected; None if it was not, or could not be read."""
        if key not in self._expected:
            return None
        self.wait()
        return self._found.pop(key, None)

    def wait(self) -> None:
        """Return when nothing is being read."""
        if self._going is not None:
            self._going.join()
            self._going = None

    def _read(self, keys: Sequence[Key]) -> None:
        try:
            found = self._stored_window.get_many(keys)
        except Exception:  # of any kind: the caller reads again, and sees it then
            return
        self._found.update(zip(keys, found, strict=True))
