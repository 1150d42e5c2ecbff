"""What a node holds: one state for each key and period, and what has come since it last merged."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from windrow.engines.aligned import AlignedWindows
from windrow.engines.engine import NO_WATERMARK, Kept, Partials
from windrow.spark.transport.hashed import with_hash

__all__ = ["merged"]

# How much is worth a call of the engine, and how much a node holds at most before it sends it on.
_TOGETHER_BYTES = 1 << 24
_HELD_BYTES = 1 << 26


def merged(
    engine: AlignedWindows,
    tables: Iterable[pa.Table],
    schema: pa.Schema,
    *,
    together_bytes: int = _TOGETHER_BYTES,
    held_bytes: int = _HELD_BYTES,
) -> Iterator[pa.Table]:
    """Rows or states of this schema as states, one for each key and period.

    A node that holds too much sends it on and starts again; the next layer merges the parts.
    """
    kept, held = _nothing(engine), 0
    waiting: list[pa.Table] = []
    weight = 0
    for table in tables:
        waiting.append(table)
        weight += table.nbytes
        # A merge processes everything that is held, so it waits until as much again has come in.
        if weight <= max(together_bytes, held):
            continue
        kept = _applied(engine, kept, waiting, schema)
        waiting, weight, held = [], 0, kept["slices"].nbytes
        if held > held_bytes:
            yield kept["slices"]
            kept, held = _nothing(engine), 0
    if waiting:
        kept = _applied(engine, kept, waiting, schema)
    if kept["slices"].num_rows:
        yield kept["slices"]


def _nothing(engine: AlignedWindows) -> Kept:
    return {name: schema.empty_table() for name, schema in engine.kept.items()}


def _applied(engine: AlignedWindows, kept: Kept, tables: list[pa.Table], schema: pa.Schema) -> Kept:
    """These merged with what is held; without a watermark no period ends or is emitted."""
    new = with_hash(pa.concat_tables(tables), schema)
    folded = schema.equals(engine.partials)
    return engine.advance(kept, Partials(new) if folded else new, NO_WATERMARK).kept
