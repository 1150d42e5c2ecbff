"""A table of known columns as bytes: packed, whole numbers in half their bytes, compressed.

The receiver knows the columns.  Whatever the bytes are, reading them gives a table of these columns
or an error: columns are validated, and nothing is decompressed that claims to become larger than
the limit.
"""

from typing import Any

import pyarrow as pa

from windrow.columnar.compression import compress, decompress, decompressed_size
from windrow.columnar.narrowed import narrowed, widened
from windrow.errors import MessageError, SnapshotError

__all__ = ["MOST_BYTES", "table_bytes", "table_of"]

#: What a body may become when it is decompressed, unless a node allows more.
MOST_BYTES = 256 << 20


def table_bytes(table: pa.Table) -> bytes:
    """A table as the body of a message; one without rows takes no bytes.

    >>> schema = pa.schema([("t", pa.int64())])
    >>> table_of(table_bytes(pa.table({"t": [3, 5]})), schema)["t"].to_pylist()
    [3, 5]
    >>> table_bytes(schema.empty_table())
    b''
    """
    if not table.num_rows:
        return b""
    head, content = narrowed(table.combine_chunks()).pack(0, table.num_rows)
    return compress(head + content.to_pybytes())


def table_of(body: Any, schema: pa.Schema, most_bytes: int = MOST_BYTES) -> pa.Table:
    """The table that a body holds."""
    if not len(body):
        return schema.empty_table()
    try:
        size = decompressed_size(body)
        if size > most_bytes:
            raise MessageError(
                f"a body of {len(body):,} bytes claims to hold {size:,}, and a node takes "
                f"{most_bytes:,}; let fewer rows travel at once, or raise the limit"
            )
        return widened(bytes(decompress(body)), schema)
    except SnapshotError as damage:
        raise MessageError(
            f"a body of {len(body):,} bytes is damaged ({damage}); send it again"
        ) from None
