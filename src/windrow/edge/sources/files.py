"""Rows from the files of a folder, read in the order of their names as they appear.

A file is complete when it appears: write it under a name that begins with `.` or ends in `.tmp`,
and rename it.  How far each was read is in the leaf's log, by the numbers of batches: what a crash
interrupts is read again from there.
"""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from windrow.edge.leaf import Batch
from windrow.edge.sources.inlet import Inlet
from windrow.edge.sources.rows import conformed, json_rows
from windrow.errors import InputError

__all__ = ["FilesSource"]

_LOG = logging.getLogger(__name__)
_LOOK_S = 0.2
_BLOCK = 4 << 20
_ROWS = 1 << 16
_ENDINGS = frozenset({".jsonl", ".json", ".csv", ".parquet", ".arrow"})


class FilesSource:
    """A folder, watched or read once."""

    def __init__(self, folder: Path, once: bool = False) -> None:  # noqa: FBT001, FBT002
        self._folder, self._once = folder, once

    def start(self, inlet: Inlet) -> None:
        """Begin to read."""
        inlet.opened()
        threading.Thread(target=self._watch, args=(inlet,), name="files", daemon=True).start()

    def close(self) -> None:
        """The thread looks between two batches whether the leaf stops."""

    def _watch(self, inlet: Inlet) -> None:
        read: dict[Path, tuple[int, int]] = {}
        while not inlet.stopping.is_set():
            found = 0
            for path in self._files():
                state = path.stat()
                seen = state.st_mtime_ns, state.st_size
                if read.get(path) == seen:
                    continue
                if not self._read(inlet, path):
                    return
                read[path] = seen
                found += 1
            if self._once:
                inlet.ended()
                return
            if not found:
                inlet.stopping.wait(_LOOK_S)

    def _files(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        return sorted(
            path
            for path in self._folder.iterdir()
            if path.suffix in _ENDINGS and path.name[0] not in "._" and path.is_file()
        )

    def _read(self, inlet: Inlet, path: Path) -> bool:
        """Hand over what has not been; False if the leaf stops."""
        source = f"file {path.name}"
        known = inlet.numbers.get(source, -1)
        try:
            for number, content in _parts(path, inlet.schema):
                if number <= known:
                    continue
                try:
                    rows = self._rows(inlet, source, content)
                except InputError as error:
                    inlet.rejects.refuse(source, str(error))
                    rows = inlet.schema.empty_table()
                if not inlet.insist(Batch(source, rows, number)):
                    return False
        except (pa.ArrowException, OSError, ValueError) as error:
            _LOG.warning("%s: %s", path, error)
            inlet.rejects.refuse(source, f"the file cannot be read: {error}")
        return True

    def _rows(self, inlet: Inlet, source: str, content: bytes | pa.Table) -> pa.Table:
        if isinstance(content, pa.Table):
            return conformed(content, inlet.schema)
        parsed = json_rows(content, inlet.schema)
        inlet.rejects.add(source, parsed.rejected)
        return parsed.table


def _parts(path: Path, schema: pa.Schema) -> Iterator[tuple[int, bytes | pa.Table]]:
    """The parts of a file, cut in the same places each time, with numbers that grow."""
    if path.suffix in {".jsonl", ".json"}:
        yield from _lines(path)
    elif path.suffix == ".csv":
        convert = pa.csv.ConvertOptions(column_types=schema, strings_can_be_null=True)
        with pa.csv.open_csv(
            path, pa.csv.ReadOptions(block_size=_BLOCK), convert_options=convert
        ) as reader:
            for number, batch in enumerate(reader):
                yield number, pa.Table.from_batches([batch])
    elif path.suffix == ".parquet":
        with pa.parquet.ParquetFile(path) as file:
            for number, batch in enumerate(file.iter_batches(_ROWS)):
                yield number, pa.Table.from_batches([batch])
    else:
        with pa.OSFile(str(path)) as source, pa.ipc.open_file(source) as reader:
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                batch.validate(full=True)
                yield number, pa.Table.from_batches([batch])


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Blocks of whole lines; the number of a block is where it ends."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            block += file.readline()
            yield file.tell(), block
