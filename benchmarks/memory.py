"""The memory that processes hold: one alone, or this one and all it started, at most so far."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.processes import PROC, tree

__all__ = ["Peak", "resident_bytes", "watched"]

_RESIDENT = 21  # where /proc/<pid>/stat has pages of memory, behind the name
_EVERY_SECONDS = 0.5


def resident_bytes() -> int:
    """The resident memory of this process; needs a system with /proc."""
    pages = (PROC / "self" / "statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


class Peak:
    """The largest sum so far; None where the system does not tell."""

    def __init__(self) -> None:
        self.bytes: int | None = None

    def look(self) -> None:
        """Look once."""
        if (held := _tree_bytes(os.getpid())) is not None:
            self.bytes = max(held, self.bytes or 0)

    def __str__(self) -> str:
        return "unknown" if self.bytes is None else f"{self.bytes / 1e9:.1f} GB"


@contextmanager
def watched() -> Iterator[Peak]:
    """Look again and again until the block ends."""
    peak, over = Peak(), threading.Event()

    def watch() -> None:
        peak.look()
        while not over.wait(_EVERY_SECONDS):
            peak.look()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        over.set()
        watcher.join()


def _tree_bytes(root: int) -> int | None:
    """Resident memory of a process and its descendants; pages that they share count for each."""
    if (told := tree(root)) is None:
        return None
    return sum(int(stat[_RESIDENT]) for stat in told) * os.sysconf("SC_PAGE_SIZE")
