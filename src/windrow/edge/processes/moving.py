"""A leaf's way to another parent, written down: it may crash between two parents.

The tree file says whose child a leaf is; until that is true the file `way.json` in the leaf's
folder says who its parents are.
"""

import json
from collections.abc import Callable
from pathlib import Path

from windrow.edge.carrier import Above
from windrow.files.replacing import replace_file

__all__ = ["Moving", "Way"]

Way = tuple[str, str, str]  # the name of a parent, its address, its public key if it has one


class Moving:
    """The parents of a leaf, before and after."""

    def __init__(self, folder: Path, listed: Way, connect: Callable[[Way], Above]) -> None:
        self._file = folder / "way.json"
        self._connect = connect
        self.new: Above | None = None
        self._way, self._next = listed, listed
        if self._file.exists():
            before, after = json.loads(self._file.read_text("utf-8"))
            self._way, self._next = tuple(before), tuple(after)
        if self._way == self._next == listed:
            self._file.unlink(missing_ok=True)

    def open(self) -> Above:
        """The way to the parent; to the new one too, if the leaf was on its way."""
        if self._next != self._way:
            self.new = self._connect(self._next)
        return self._connect(self._way)

    def begin(self, parent: str, address: str, key: str) -> None:
        """Open the way to a new parent."""
        if self.new is not None:
            return
        self._next = (parent, address, key)
        self._write()
        self.new = self._connect(self._next)

    def ended(self) -> Above:
        """The leaf has moved: the only way there is now."""
        assert self.new is not None
        new, self.new = self.new, None
        self._way = self._next
        self._write()
        return new

    def _write(self) -> None:
        replace_file(self._file, json.dumps([self._way, self._next]).encode())
