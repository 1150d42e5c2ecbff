"""Parcels: a table of known schema as one value of bytes.

Both ends know the schema, so a parcel holds one Arrow record batch and nothing else: packing a
thousand rows costs as much as copying them.  Several tables in one value are a crate, which opens
with its version and the length of each parcel.
"""

import struct
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from windrow.errors import InputError, SnapshotError

__all__ = ["open_crate", "pack", "pack_crate", "unpack"]

_MAGIC = b"wrc1"
_ALIGNMENT = 8  # Arrow reads columns in place only where they are aligned


def pack(table: pa.Table) -> bytes:
    """The rows of a table as bytes."""
    batches = table.combine_chunks().to_batches()
    if len(batches) > 1:
        raise InputError(
            f"{table.num_rows:,} rows have a column of more than 2 GiB of text or bytes, too much "
            "to pack; use more buckets or smaller micro-batches, or leave the column out"
        )
    batch = batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema)
    packed: bytes = batch.serialize().to_pybytes()
    return packed


def unpack(parcel: Any, schema: pa.Schema) -> pa.Table:
    """The table that was packed; its columns lie in the parcel itself."""
    batch = pa.ipc.read_record_batch(pa.py_buffer(parcel), schema)
    return pa.Table.from_batches([batch], schema)


def pack_crate(tables: Mapping[str, pa.Table]) -> bytes:
    """Several tables as bytes; an empty one takes none."""
    parcels = [pack(table) if table.num_rows else b"" for table in tables.values()]
    lengths = struct.pack(f"<{len(parcels)}q", *map(len, parcels))
    head = _MAGIC + struct.pack("<i", len(parcels)) + lengths
    return b"".join([head, *(parcel + bytes(-len(parcel) % _ALIGNMENT) for parcel in parcels)])


def open_crate(crate: Any, schemas: Mapping[str, pa.Schema]) -> dict[str, pa.Table]:
    """The tables of a crate by name."""
    view = memoryview(crate)
    count = struct.unpack_from("<i", view, 4)[0] if bytes(view[:4]) == _MAGIC else None
    if count != len(schemas):
        raise SnapshotError(
            f"state of {len(view)} bytes begins with {bytes(view[:8])!r} and is not of this "
            "query; it was written by another version or another query: use a new checkpoint"
        )
    lengths = struct.unpack_from(f"<{count}q", view, 8)
    tables, start = {}, 8 + 8 * count
    for (name, schema), length in zip(schemas.items(), lengths, strict=True):
        parcel = view[start : start + length]
        tables[name] = unpack(parcel, schema) if length else schema.empty_table()
        start += length + -length % _ALIGNMENT
    return tables
