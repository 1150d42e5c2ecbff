"""Packs cut into chunks: rows of bounded size on their way to Python.

Spark sends rows to Python in batches of a fixed number of rows, whatever their size.  The same
number has to work for the user's rows, which are short and should come by the thousand, and for
packs, of which a thousand would fill the memory.  So packs are sent as chunks, which are short too.
The chunks of a pack are adjacent in the memory of a column, so they are cut and joined without a
copy.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from windrow.columnar.keyed import numbers, spread
from windrow.errors import WindrowError

__all__ = ["CHUNK_BYTES", "cut", "joined"]

CHUNK_BYTES = 1 << 14


def cut(packs: pa.Array) -> tuple[pa.Array, NDArray[np.int64], NDArray[np.int32]]:
    """Chunks of a column of packs; of which pack each is, and how many of its bytes follow."""
    offsets = _offsets(packs)
    counts = np.maximum(-(-np.diff(offsets) // CHUNK_BYTES), 1)
    owners = np.repeat(np.arange(len(packs)), counts)
    starts = offsets[owners] + CHUNK_BYTES * spread(np.zeros_like(counts), counts)
    bounds = np.append(starts, offsets[-1:])
    rests = offsets[owners + 1] - bounds[1:]
    content = [None, pa.py_buffer(bounds.astype(np.int32)), packs.buffers()[2]]
    chunks = pa.Array.from_buffers(pa.binary(), len(owners), content)
    return chunks, owners, rests.astype(np.int32)


def joined(
    batches: Iterable[pa.RecordBatch],
) -> Iterator[tuple[pa.RecordBatch, int, pa.Buffer]]:
    """The packs of batches of chunks, each with the batch and the place of its last chunk.

    Columns are `pack` and `rest`, how many bytes of it follow; without it packs are whole.
    """
    begun: list[pa.Buffer] = []  # what batches before have of a pack
    rest = 0  # how many bytes of it are still to come
    for batch in batches:
        chunks = batch.column("pack")
        bounds, content = _offsets(chunks), chunks.buffers()[2]
        rests = _rests(batch)
        _require_all(bounds, np.concatenate([[rest], rests]))
        start = 0
        for last in np.flatnonzero(rests == 0).tolist():
            found = content.slice(bounds[start], bounds[last + 1] - bounds[start])
            if begun:
                found = pa.py_buffer(b"".join(map(memoryview, [*begun, found])))
                begun = []
            yield batch, last, found
            start = last + 1
        if start < len(chunks):
            begun.append(content.slice(bounds[start], bounds[-1] - bounds[start]))
        rest = int(rests[-1]) if len(rests) else rest
    if begun:
        raise _lost()


def _rests(batch: pa.RecordBatch) -> NDArray[np.int64]:
    if "rest" not in batch.schema.names:
        return np.zeros(batch.num_rows, np.int64)
    return numbers(batch.column("rest")).astype(np.int64)


def _require_all(bounds: NDArray[np.int64], rests: NDArray[np.int64]) -> None:
    """Refuse chunks between which another is missing; the first rest is of what came before."""
    before, after = rests[:-1], rests[1:]
    if ((before > 0) & (before - np.diff(bounds) != after)).any():
        raise _lost()


def _lost() -> WindrowError:
    return WindrowError(
        "a chunk of rows was lost or reordered between two tasks; run the query again, and "
        "if that happens again, please report it with the query and the version of Spark"
    )


def _offsets(binaries: pa.Array) -> NDArray[np.int64]:
    """Where each value begins in the column's bytes, and where the last one ends."""
    _, offsets, _ = binaries.buffers()
    # Which of the two Spark sends is a setting of its own (`useLargeVarTypes`).
    kind = np.int64 if pa.types.is_large_binary(binaries.type) else np.int32
    found = np.zeros(1, kind) if offsets is None else np.frombuffer(offsets, kind)
    return found[binaries.offset : binaries.offset + len(binaries) + 1].astype(np.int64)
