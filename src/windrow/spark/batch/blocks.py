"""Sessions of hot keys cut by time anywhere, and put together again where they touch.

rows ─ mapInArrow: pack, block by block ─▶ shuffle by block ─ mapInArrow: fold each block in order
─▶ shuffle by key group ─ the engine over partial sessions (`engine.py`) ─▶ results.
"""

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame

from windrow.columnar.keyed import numbers
from windrow.engines.batch import folded_through
from windrow.engines.engines import engine_for
from windrow.engines.splits import split_rows
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch.cutting import HotKeys
from windrow.spark.batch.engine import hot_numbers, key_group_count, slices_as_packs, which
from windrow.spark.transport.hashed import HASH_KEY, hashed, hashed_rows, with_hash
from windrow.spark.transport.packing import in_key_groups, numbered
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.transit import packs_of, sent
from windrow.windows import Order

__all__ = ["fold_blocks", "pack_blocks"]


def pack_blocks(request: Request, found: HotKeys) -> DataFrame:
    """Rows as packs: those of hot keys for their block, all others for their key group."""
    rows, definition = request.rows, request.definition
    schema, splits = hashed(definition).schema, found.splits
    key_groups = key_group_count(rows)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            own = with_hash(table, schema)
            groups = numbers(own[HASH_KEY]) % key_groups
            if splits:
                own, groups = split_rows(own, groups, hot_numbers(table), splits, key_groups)
            yield from in_key_groups(own, groups, numbers(own["t"]))

    return sent(hashed_rows(rows.select("*", *which(found.keys)), definition), work)


def fold_blocks(packs: DataFrame, request: Request) -> DataFrame:
    """The rows of each block folded in order: partial sessions as packs, by key group."""
    inner = hashed(request.definition)
    engine, schema = Shipped(engine_for, inner), inner.schema
    key_groups = key_group_count(packs)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _, pieces in packs_of(batches, schema):
            for partials in folded_through(engine.get(), pieces, Order.TIME, folded=False):
                yield from slices_as_packs(partials, key_groups)

    return sent(packs, work)
