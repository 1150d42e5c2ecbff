"""Packs: a table of known schema as one value of bytes.

Both ends know the schema, so a pack holds one Arrow record batch and nothing else: packing a
thousand rows costs as much as copying them.  Several tables in one value are a bundle, which begins
with its version and the length of each pack.

Arrow reads columns in place and trusts their offsets.  A pack may come from a checkpoint that
others can write to, so it is validated before use: an offset outside of its column would be read
outside of memory, and a compressed column, which is never written here, could expand to any size.
"""

import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import InputError, SnapshotError

__all__ = ["column_of", "open_bundle", "pack", "pack_bundle", "packed", "unpack"]

_MAGIC = b"wrc1"
_MOST_BYTES = (1 << 31) - 1
_U16, _U32, _I32 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<i")
_CONTINUES = (1 << 32) - 1  # a message begins with it, then its length
_ALIGNMENT = 8  # Arrow reads columns in place only where they are aligned


def pack(table: pa.Table) -> bytes:
    """The rows of a table as bytes of Python's."""
    content: bytes = packed(table).to_pybytes()
    return content


def packed(table: pa.Table) -> pa.Buffer:
    """The rows of a table as bytes of Arrow's, which `column_of` takes without a copy more."""
    batches = table.combine_chunks().to_batches()
    if len(batches) > 1:
        raise InputError(
            f"{table.num_rows:,} rows have a column of more than 2 GiB of text or bytes, too much "
            "to pack; use more key groups or smaller micro-batches, or leave the column out"
        )
    batch = batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema)
    return batch.serialize()


def column_of(packs: Sequence[Sequence[Any]]) -> pa.Array:
    """Packs, each of one or several parts, as a column of bytes, copied once.

    Arrow would make Python's bytes of each before.
    """
    parts = [[memoryview(part) for part in pack] for pack in packs]
    ends = np.cumsum([0, *(sum(part.nbytes for part in pack) for pack in parts)])
    if ends[-1] > _MOST_BYTES:
        raise InputError(
            f"rows of {ends[-1]:,} bytes came at once, too much for one column; let fewer come, "
            "with a lower spark.sql.execution.arrow.maxRecordsPerBatch"
        )
    content = pa.py_buffer(b"".join(chain.from_iterable(parts)))
    offsets = pa.py_buffer(ends.astype(np.int32))
    return pa.Array.from_buffers(pa.binary(), len(packs), [None, offsets, content])


def unpack(pack: Any, schema: pa.Schema) -> pa.Table:
    """The table that was packed; its columns lie in the pack itself."""
    content = pa.py_buffer(pack)
    try:
        if _is_compressed(content):
            raise ValueError("its columns are compressed")
        batch = pa.ipc.read_record_batch(content, schema)
        batch.validate(full=True)
    except (pa.ArrowException, EOFError, MemoryError, OSError, ValueError, struct.error) as reason:
        raise SnapshotError(
            f"rows or state of {content.size} bytes are damaged ({reason}); use a copy of the "
            "checkpoint, or a new one"
        ) from None
    return pa.Table.from_batches([batch], schema)


def _is_compressed(content: Any) -> bool:
    """Whether a message says that columns are compressed: the fourth field of a record batch."""
    view = memoryview(content)
    first = _U32.unpack_from(view)[0]
    root = 8 if first == _CONTINUES else 4
    message = root + _U32.unpack_from(view, root)[0]
    header = _field(view, message, 2)
    return header is not None and (
        _field(view, header + _U32.unpack_from(view, header)[0], 3) is not None
    )


def _field(view: memoryview, table: int, number: int) -> int | None:
    """Where a field of a flatbuffer's table is, if it is there at all."""
    fields = table - _I32.unpack_from(view, table)[0]
    if fields < 0:
        raise ValueError("a table begins before the message")
    at = 4 + 2 * number
    length = _U16.unpack_from(view, fields)[0]
    offset = _U16.unpack_from(view, fields + at)[0] if at + 2 <= length else 0
    return table + offset if offset else None


def pack_bundle(tables: Mapping[str, pa.Table]) -> bytes:
    """Several tables as bytes; an empty one takes none."""
    packs = [packed(table) if table.num_rows else pa.py_buffer(b"") for table in tables.values()]
    lengths = [pack.size for pack in packs]
    bundle: list[Any] = [_MAGIC, struct.pack(f"<i{len(packs)}q", len(packs), *lengths)]
    for pack, length in zip(packs, lengths, strict=True):
        bundle += [memoryview(pack), bytes(-length % _ALIGNMENT)]
    return b"".join(bundle)


def open_bundle(bundle: Any, schemas: Mapping[str, pa.Schema]) -> dict[str, pa.Table]:
    """The tables of a bundle by name."""
    view = memoryview(bundle)
    is_bundle = len(view) >= 8 and bytes(view[:4]) == _MAGIC
    count = struct.unpack_from("<i", view, 4)[0] if is_bundle else None
    if count != len(schemas):
        raise SnapshotError(
            f"state of {len(view)} bytes begins with {bytes(view[:8])!r} and is not of this "
            "query; it was written by another version or another query: use a new checkpoint"
        )
    tables, start = {}, 8 + 8 * count
    lengths = struct.unpack_from(f"<{count}q", view, 8) if len(view) >= start else (-1,)
    ends = accumulate((length + -length % _ALIGNMENT for length in lengths), initial=start)
    if min(lengths, default=0) < 0 or [*ends][-1] != len(view):
        raise SnapshotError(
            f"state of {len(view)} bytes does not hold tables of {lengths} bytes: it is damaged; "
            "use a copy of the checkpoint, or a new one"
        )
    for (name, schema), length in zip(schemas.items(), lengths, strict=True):
        pack = view[start : start + length]
        tables[name] = unpack(pack, schema) if length else schema.empty_table()
        start += length + -length % _ALIGNMENT
    return tables
