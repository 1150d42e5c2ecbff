"""Bytes as rows of known columns; a row that is none is refused, and takes no other with it.

Arrow's reader is fast, and knows of a block that fails only that it does: then its halves are read,
and theirs.  It is given nothing that begins otherwise than a row, as `null` ends the process.
"""

import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from windrow.columnar.arrays import whole
from windrow.edge.sources.rejects import Rejected
from windrow.errors import InputError

__all__ = ["MOST_BYTES", "Parsed", "arrow_rows", "conformed", "json_rows", "unzipped"]

MOST_BYTES = 64 << 20  # of a request, also when it is decompressed
_BLOCK = 1 << 20
_MOST_REJECTED = 1_000  # of one block: what is refused costs more than what is taken


@dataclass
class Parsed:
    """Rows, and what is none."""

    table: pa.Table
    rejected: list[Rejected] = field(default_factory=list)


def json_rows(content: bytes, schema: pa.Schema) -> Parsed:
    """The rows of JSON lines, or of one JSON array of objects.

    >>> found = json_rows(b'{"n": 1}\\n{"n": "x"}\\n{"n": 3}', pa.schema([("n", pa.int64())]))
    >>> found.table["n"].to_pylist(), [one.content for one in found.rejected]
    ([1, 3], [b'{"n": "x"}'])
    """
    content = content.strip()
    if content.startswith(b"["):
        content = _lines_of_array(content)
    reading = _Reading(schema)
    for block in blocks_of(content):
        reading.read(block)
    tables = reading.tables or [schema.empty_table()]
    return Parsed(pa.concat_tables(tables), reading.rejected)


def blocks_of(content: bytes, size: int = _BLOCK) -> Iterator[bytes]:
    """Lines together, as many as fill a block."""
    begin = 0
    while begin < len(content):
        end = content.find(b"\n", begin + size)
        end = len(content) if end < 0 else end + 1
        yield content[begin:end]
        begin = end


def arrow_rows(content: bytes, schema: pa.Schema, most_bytes: int = MOST_BYTES) -> Parsed:
    """The rows of an Arrow IPC stream."""
    tables, size = [], 0
    try:
        with pa.ipc.open_stream(pa.BufferReader(content)) as reader:
            for batch in reader:
                size += batch.nbytes
                if size > most_bytes:
                    raise InputError(f"more than {most_bytes:,} bytes of rows; send fewer at once")
                batch.validate(full=True)
                tables.append(conformed(pa.Table.from_batches([batch]), schema))
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"no Arrow stream ({_short(error)}); write one with new_stream") from None
    return Parsed(pa.concat_tables(tables) if tables else schema.empty_table())


def conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The known columns of a table, in their types; columns that it lacks are null."""
    columns = []
    for one in schema:
        found = table.schema.get_all_field_indices(one.name)
        if len(found) > 1:
            raise InputError(f"rows have {len(found)} columns called {one.name!r}; give one")
        if not found:
            columns.append(pa.nulls(table.num_rows, one.type))
            continue
        array = whole(table.column(found[0]))
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
            array = pc.floor_temporal(array, unit="microsecond")
        columns.append(_cast(array, one))
    return pa.Table.from_arrays(columns, schema=schema)


def unzipped(content: bytes, most_bytes: int = MOST_BYTES) -> bytes:
    """What gzip made smaller, unless it is too much."""
    decompressor = zlib.decompressobj(wbits=31)
    try:
        out = decompressor.decompress(content, most_bytes + 1)
    except zlib.error as error:
        raise InputError(f"no gzip ({error}); leave out Content-Encoding, or compress") from None
    if len(out) > most_bytes:
        raise InputError(f"more than {most_bytes:,} bytes when decompressed; send fewer rows")
    if not decompressor.eof:
        raise InputError("gzip that ends too early; send it again")
    return out


class _Reading:
    """Rows of JSON lines on their way into tables."""

    def __init__(self, schema: pa.Schema) -> None:
        self.tables: list[pa.Table] = []
        self.rejected: list[Rejected] = []
        self._schema = schema
        # Arrow takes some values from text only if it is told that they are text.
        self._read_as = pa.schema([(one.name, _json_type(one.type)) for one in schema])
        self._options = pj.ParseOptions(
            explicit_schema=self._read_as, unexpected_field_behavior="ignore"
        )

    def read(self, block: bytes) -> None:
        """The rows of whole lines."""
        if block.startswith(b"{") and block.count(b"\n{") == block.rstrip().count(b"\n"):
            table = self._table(block)
            if isinstance(table, pa.Table):
                self.tables.append(table)
                return
        lines = []
        for line in block.split(b"\n"):
            line = line.strip()
            if line.startswith(b"{"):
                lines.append(line)
            elif line:
                self.rejected.append(Rejected(line, 'a row is an object, such as {"temp": 20.5}'))
        self._halves(lines, len(self.rejected) + _MOST_REJECTED)

    def _halves(self, lines: list[bytes], most: int) -> None:
        if not lines:
            return
        if len(self.rejected) >= most:
            self.rejected += [Rejected(line, "too many rows near it are no rows") for line in lines]
            return
        table = self._table(b"\n".join(lines))
        if isinstance(table, pa.Table) and table.num_rows == len(lines):
            self.tables.append(table)
        elif len(lines) == 1:
            reason = table if isinstance(table, str) else "a line holds one row"
            self.rejected.append(Rejected(lines[0], reason))
        else:
            half = len(lines) // 2
            self._halves(lines[:half], most)
            self._halves(lines[half:], most)

    def _table(self, block: bytes) -> pa.Table | str:
        """The rows of lines, or why these are none."""
        try:
            if not block.isascii():
                block.decode()
            read = pj.ReadOptions(use_threads=False, block_size=len(block) + 1)
            table = pj.read_json(pa.BufferReader(block), read, self._options)
            if table.num_rows != block.rstrip().count(b"\n") + 1:
                return "a line holds one row"
            if self._read_as is not self._schema:
                table = conformed_text(table, self._schema)
        except (pa.ArrowException, ValueError, InputError) as error:
            return _short(error)
        return table.combine_chunks()


def conformed_text(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Values that were read as text, in their types."""
    columns = [
        column if column.type == one.type else column.cast(one.type)
        for column, one in zip(table.columns, schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _json_type(kind: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_date(kind) or pa.types.is_binary(kind) else kind


def _lines_of_array(content: bytes) -> bytes:
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no JSON ({_short(error)}); send an array of objects") from None
    out = io.BytesIO()
    for row in rows:
        out.write(json.dumps(row, separators=(",", ":")).encode())
        out.write(b"\n")
    return out.getvalue().strip()


def _cast(array: pa.Array, field: pa.Field) -> pa.Array:
    if array.type == field.type:
        return array
    try:
        return array.cast(field.type)
    except pa.ArrowException as error:
        raise InputError(
            f"rows have {array.type} in column {field.name!r}, where the source has {field.type} "
            f"({_short(error)}); give values of that type"
        ) from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
