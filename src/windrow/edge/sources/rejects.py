"""Rows that were refused: counted, and kept with the reason in a file that stays small."""

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Rejected", "Rejects"]

_LOG = logging.getLogger(__name__)
_LONGEST = 1_000  # characters of a row
_FILE_BYTES = 16 << 20
_QUIET_S = 10.0  # between two lines in the log


@dataclass(frozen=True)
class Rejected:
    """A row as it came, and why it cannot be taken."""

    content: bytes
    reason: str


class Rejects:
    """The refused rows of a leaf: the newest are in `rejected.jsonl`, older ones in `….old`."""

    def __init__(self, folder: Path | None, most_bytes: int = _FILE_BYTES) -> None:
        self.counts: Counter[str] = Counter()
        self._path = None if folder is None else folder / "rejected.jsonl"
        self._most_bytes = most_bytes // 2
        self._lock = threading.Lock()
        self._logged = -_QUIET_S

    def add(self, source: str, rejected: Iterable[Rejected]) -> None:
        """Note rows of a source."""
        lines = []
        for one in rejected:
            row = one.content[:_LONGEST].decode(errors="backslashreplace")
            entry = {"source": source, "reason": one.reason, "row": row}
            lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
        if not lines:
            return
        with self._lock:
            self.counts["malformed rows"] += len(lines)
            self._write(lines)
            if time.monotonic() - self._logged > _QUIET_S:
                self._logged = time.monotonic()
                _LOG.warning("%s: malformed row: %s", source, lines[-1].strip())

    def refuse(self, source: str, reason: str) -> None:
        """Note a whole request or message that says nothing."""
        self.add(source, [Rejected(b"", reason)])

    def _write(self, lines: list[str]) -> None:
        if self._path is None:
            return
        try:
            if self._path.exists() and self._path.stat().st_size > self._most_bytes:
                self._path.replace(self._path.with_suffix(".jsonl.old"))
            with self._path.open("a", encoding="utf-8") as file:
                file.writelines(lines[: self._most_bytes // (2 * _LONGEST)])
        except OSError as error:  # a full disk keeps no leaf from its work
            self.counts["rejected rows not kept"] += len(lines)
            _LOG.warning("%s: %s", self._path, error)
