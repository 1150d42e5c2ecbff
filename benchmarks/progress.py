"""A line on the terminal for each measurement; nothing where the output goes elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["Progress"]


class Progress:
    """Tells what is being measured, and what came of it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._started = time.monotonic()
        self._experiment = ""

    def enter(self, experiment: str) -> None:
        """From here on it is this experiment's turn."""
        self._experiment = experiment

    def begin(self, what: str) -> None:
        """Say what is measured now."""
        elapsed = int(time.monotonic() - self._started)
        self._say(f"{elapsed // 60:3}:{elapsed % 60:02}  {self._experiment}: {what} …")

    def end(self, found: str) -> None:
        """Say what was found, and end the line."""
        self._say(f" {found}\n")

    @contextmanager
    def bar(self, whole: int) -> Iterator[Callable[[int], None]]:
        """A bar that grows as its function is told how much of the whole is done."""
        begun = time.monotonic()

        def tell(done: int) -> None:
            spent = time.monotonic() - begun
            filled = "█" * (30 * done // whole)
            left = spent * (whole - done) / done if done else 0.0
            self._say(
                f"\r  {self._experiment} {filled:░<30} {100 * done // whole:3} %, "
                f"{left / 60:.1f} minutes left "
            )

        yield tell
        self._say("\n")

    def _say(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()
