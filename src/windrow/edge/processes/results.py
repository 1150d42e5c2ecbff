"""Results as files: each row once, whatever crashes.

    results/
        checkpoint                       how far all has come, and what is kept of open windows
        hot/part-000000000001.jsonl      results of the query `hot`, in the order of time
        hot/late/part-000000000001.jsonl rows that came too late for it

A checkpoint says how long each file is that belongs to it.  What is longer after a crash is cut,
and is written again just as it was: a root makes the same rows of the same spool.  JSON lines can
be read as they are written; Parquet files appear with a checkpoint.
"""

import base64
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from windrow.edge.journal import entry_of, record_of
from windrow.edge.root import Answer, Root
from windrow.files.replacing import replace_file, sync_folder

__all__ = ["FORMATS", "Results"]

_FILE_BYTES = 64 << 20


class _Parts(ABC):
    """The files of one stream of rows, numbered from 1 on."""

    ending = ""

    def __init__(self, folder: Path, number: int, size: int) -> None:
        """Go on where a checkpoint was taken: what was written after it goes."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.number, self.size = folder, number, size
        for path in folder.glob(f"part-*{self.ending}"):
            if path.stem.removeprefix("part-").isdecimal() and int(path.stem[5:]) > number:
                path.unlink()

    def path(self) -> Path:
        """The newest file."""
        return self.folder / f"part-{self.number:012}{self.ending}"

    @abstractmethod
    def add(self, table: pa.Table) -> None:
        """More rows."""

    @abstractmethod
    def flush(self) -> None:
        """Let readers see them, if they may."""

    @abstractmethod
    def sync(self) -> None:
        """Return when all rows will survive a crash."""


class _Lines(_Parts):
    """JSON lines."""

    ending = ".jsonl"

    def __init__(self, folder: Path, number: int, size: int) -> None:
        super().__init__(folder, number, size)
        self._file: BinaryIO | None = None
        if number and self.path().exists():
            os.truncate(self.path(), size)

    def add(self, table: pa.Table) -> None:
        if self._file is None:
            if not self.number or self.size >= _FILE_BYTES:
                self.number, self.size = self.number + 1, 0
            self._file = self.path().open("ab")
        content = _as_lines(table)
        self._file.write(content)
        self.size += len(content)

    def flush(self) -> None:
        if self._file is not None:
            self._file.flush()

    def sync(self) -> None:
        if self._file is None:
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        if self.size >= _FILE_BYTES:
            self._file.close()
            self._file = None
        sync_folder(self.folder)


class _Parquet(_Parts):
    """Parquet files, one for each checkpoint that has rows."""

    ending = ".parquet"

    def __init__(self, folder: Path, number: int, size: int) -> None:
        super().__init__(folder, number, size)
        self._tables: list[pa.Table] = []

    def add(self, table: pa.Table) -> None:
        self._tables.append(table)

    def flush(self) -> None:
        """A Parquet file is not there before it is whole."""

    def sync(self) -> None:
        if not self._tables:
            return
        self.number += 1
        aside = self.folder / "aside"
        pq.write_table(pa.concat_tables(self._tables), aside)
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(self.path())
        sync_folder(self.folder)
        self._tables.clear()


FORMATS: Mapping[str, type[_Parts]] = {"jsonl": _Lines, "parquet": _Parquet}


class Results:
    """The files of all queries, and the checkpoint that holds them together."""

    def __init__(
        self,
        folder: Path,
        format_: str = "jsonl",
        *,
        names: Mapping[str, str] | None = None,
        every_us: int = 1_000_000,
        with_missing: bool = False,
    ) -> None:
        self.every_us = every_us
        self._folder, self._kind = folder, FORMATS[format_]
        self._names = names or {}  # what queries are called, by their fingerprints
        self._with_missing = with_missing
        self._parts: dict[str, _Parts] = {}
        self._rows = 0

    def restored(self) -> Root:
        """The root of the last checkpoint, and its files as they were."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / "checkpoint"
        places: dict[str, list[int]] = {}
        root = Root()
        if path.exists():
            entry, body = entry_of(path.read_bytes())
            root = Root.restored(body)
            places, self._rows = entry["places"], entry["rows"]
        for name, (number, size) in places.items():
            self._parts[name] = self._kind(self._folder / name, number, size)
        return root

    def write(self, answer: Answer) -> None:
        """Rows of a query."""
        name = self._names.get(answer.query, answer.query)
        table = answer.with_missing() if self._with_missing else answer.table
        if answer.is_late:
            name, table = f"{name}/late", answer.table
        if name not in self._parts:
            self._parts[name] = self._kind(self._folder / name, 0, 0)
        self._parts[name].add(table)
        self._rows += table.num_rows

    def flush(self) -> None:
        """Let readers see what has been written."""
        for parts in self._parts.values():
            parts.flush()

    def commit(self, root: Root) -> None:
        """Return when all that a root has made will survive a crash."""
        for parts in self._parts.values():
            parts.sync()
        places = {name: [parts.number, parts.size] for name, parts in self._parts.items()}
        entry = {"places": places, "rows": self._rows}
        replace_file(self._folder / "checkpoint", record_of(entry, root.checkpoint()))

    def figures(self) -> dict[str, Any]:
        """Plain numbers about results."""
        return {"rows": self._rows}

    def close(self) -> None:
        """Let readers see all there is."""
        self.flush()


def _as_lines(table: pa.Table) -> bytes:
    lines = [json.dumps(row, default=_plain, ensure_ascii=False) for row in table.to_pylist()]
    return "".join(f"{line}\n" for line in lines).encode(errors="replace")


def _plain(value: Any) -> Any:
    """A value that JSON does not know; times as Spark writes them."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)
