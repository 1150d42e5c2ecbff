"""What a leaf writes to its log: an entry of plain values, and what belongs to it as bytes.

    length of the entry | entry (JSON) | body

A snapshot is an entry like the others, after which those before it are of no use.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa

from windrow.errors import DamagedPageError

__all__ = ["entry_of", "joined", "parted", "record_of", "rows_as_bytes", "rows_of"]

_LENGTH = struct.Struct("<I")


def record_of(entry: Mapping[str, Any], body: Any = b"") -> bytes:
    """An entry and its body, which may be any buffer, as a record."""
    head = json.dumps(entry, separators=(",", ":")).encode()
    return b"".join((_LENGTH.pack(len(head)), head, body))


def entry_of(record: bytes) -> tuple[dict[str, Any], bytes]:
    """The entry and the body of a record.

    >>> entry_of(record_of({"kind": "end"}, b"abc"))
    ({'kind': 'end'}, b'abc')
    """
    try:
        (length,) = _LENGTH.unpack_from(record)
        end = _LENGTH.size + length
        return json.loads(record[_LENGTH.size : end]), record[end:]
    except (ValueError, struct.error) as damage:
        raise DamagedPageError(
            f"a record of {len(record):,} bytes in a leaf's log is not as it was written "
            f"({damage}); restore the log from a copy, or begin with an empty folder"
        ) from None


def rows_as_bytes(rows: pa.Table) -> pa.Buffer:
    """Rows with their columns: sources may change theirs."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue()


def rows_of(content: bytes) -> pa.Table:
    """The rows that were written."""
    return pa.ipc.open_stream(content).read_all()


def joined(parts: Sequence[bytes]) -> tuple[list[int], bytes]:
    """Several bodies as one, and how long each is.

    >>> parted(*joined([b"ab", b"", b"c"]))
    [b'ab', b'', b'c']
    """
    return [len(part) for part in parts], b"".join(parts)


def parted(lengths: Sequence[int], body: bytes) -> list[bytes]:
    """The bodies that were joined."""
    return [body[a:b] for a, b in pairwise(accumulate(lengths, initial=0))]
