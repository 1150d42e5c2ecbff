"""A line on the terminal for each measurement; nothing where the output goes elsewhere."""

import time
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

    def _say(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()
