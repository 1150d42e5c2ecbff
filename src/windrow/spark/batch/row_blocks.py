"""Trailing and count windows of hot keys, whose rows are cut into blocks of time.

rows ─ mapInArrow: each to its block, and to later blocks what they must know of it ─▶ shuffle by
block ─ mapInArrow: windows of each block (`engines/block_windows.py`) ─▶ results.  A block has
three key groups on the same task, one for each part of what it is sent, in the order in which it
needs them; other keys have the usual key groups.  Where states stand for rows whose order
matters, rows come together in their own block first, and go on from there in order.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from windrow.columnar.keyed import numbers
from windrow.engines.batch import in_order, run_through
from windrow.engines.block_input import BlockInput, Part
from windrow.engines.block_windows import BlockWindows
from windrow.engines.blocks import Blocks
from windrow.engines.engines import engine_for
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import spark_schema
from windrow.spark.batch.cutting import HotKeys
from windrow.spark.batch.engine import guides, hot_numbers, key_group_count, key_groups_of
from windrow.spark.transport.packing import in_key_groups, numbered, resplit, result_schema
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.transit import packs_of, sent, tasks_of
from windrow.spark.transport.workers import in_workers
from windrow.windows import Order

__all__ = ["deal_row_blocks", "gather_row_blocks", "pack_row_blocks", "run_row_blocks"]

# Rows of a hot key, and its number, as packs.
_Packing: TypeAlias = Callable[[pa.Table, int], Iterator[pa.RecordBatch]]

# Rows in order that are dealt out at once, as many as rows that are read.
_AT_ONCE = 1 << 17


@dataclass(frozen=True)
class _Groups:
    """The key groups of blocks: those of a block follow each other on one of the tasks."""

    first: int  # a multiple of the tasks
    tasks: int

    def of(self, part: Part, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The key groups that hold a part of these blocks, numbered over all hot keys."""
        turns, task = np.divmod(blocks, self.tasks)
        return self.first + (turns * len(Part) + part) * self.tasks + task

    def part_of(self, key_group: int) -> tuple[int, Part]:
        """The block of a key group, and which part of it this is."""
        row, task = divmod(key_group - self.first, self.tasks)
        turns, part = divmod(row, len(Part))
        return turns * self.tasks + task, Part(part)


def pack_row_blocks(request: Request, found: HotKeys) -> DataFrame:
    """Rows as packs: those of hot keys for all blocks they mean something to."""
    return _packed(request, found, _dealing(request, found, _groups(request.rows)))


def gather_row_blocks(request: Request, found: HotKeys) -> DataFrame:
    """Rows as packs: those of hot keys for their own block only."""
    blocks, firsts, groups = found.blocks, _firsts(found.blocks), _groups(request.rows)

    def packed(rows: pa.Table, number: int) -> Iterator[pa.RecordBatch]:
        times = numbers(rows["t"])
        own = blocks[number].slot_of(times) + firsts[number]
        yield from in_key_groups(rows, groups.of(Part.OWN, own), times)

    return _packed(request, found, packed)


def deal_row_blocks(packs: DataFrame, request: Request, found: HotKeys) -> DataFrame:
    """The rows of each block in order, for all blocks they mean something to."""
    schema, groups, firsts = request.definition.schema, _groups(packs), _firsts(found.blocks)
    dealt = _dealing(request, found, groups)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for key_group, pieces in packs_of(batches, schema):
            if key_group < groups.first:
                for _, piece in pieces:
                    same = np.full(piece.num_rows, key_group)
                    yield from in_key_groups(piece, same, numbers(piece["t"]))
                continue
            number = bisect_right(firsts, groups.part_of(key_group)[0]) - 1
            rows = in_order(pa.concat_tables(piece for _, piece in pieces), "t")
            for start in range(0, rows.num_rows, _AT_ONCE):
                yield from dealt(rows.slice(start, _AT_ONCE), number)

    return sent(packs, work)


def run_row_blocks(packs: DataFrame, request: Request, found: HotKeys) -> DataFrame:
    """The windows of all blocks, and of the keys that are not hot."""
    definition, emit, groups = request.definition, request.emit, _groups(packs)
    engine = Shipped(engine_for, definition)
    windows = Shipped(partial(BlockWindows, folds=found.folds), definition)
    results, schemas = result_schema(engine.get().schema), windows.get().input.schemas
    # What is known of the latest time matters where the last block was not sent all rows.
    firsts = _firsts(found.blocks)
    ends = {
        first + blocks.slots - 1: blocks.end
        for first, blocks in zip(firsts, found.blocks, strict=True)
        if blocks.folds
    }

    def schema_of(key_group: int) -> pa.Schema:
        if key_group < groups.first:
            return definition.schema
        return schemas[groups.part_of(key_group)[1]]

    def tables(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
        block, known = -1, dict[Part, pa.Table]()
        for key_group, pieces in packs_of(batches, schema_of):
            if key_group < groups.first:
                yield from run_through(engine.get(), pieces, Order.TIME, emit)
                continue
            own, part = groups.part_of(key_group)
            if own != block:
                block, known = own, {part: schema.empty_table() for part, schema in schemas.items()}
            if part is Part.OWN:
                before = known[Part.BEFORE]
                yield from windows.get().run(known[Part.STATES], before, pieces, ends.get(block))
                known.clear()
            else:
                known[part] = pa.concat_tables(piece for _, piece in pieces)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from resplit(table.select(results.names) for table in tables(batches))

    return in_workers(packs, work, spark_schema(results))


def _packed(
    request: Request,
    found: HotKeys,
    packed: _Packing,
) -> DataFrame:
    """Rows as packs: those of each hot key as `packed` by its number, others by key group."""
    rows, definition = request.rows, request.definition
    schema, keys, key_groups = definition.schema, definition.keys, key_group_count(rows)
    hot_keys = range(len(found.keys))

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            own, hot = table.select(schema.names).cast(schema), hot_numbers(table)
            if hot is None:
                yield from packed(own, 0)
                continue
            for number in hot_keys:
                yield from packed(own.filter(pa.array(hot == number)), number)
            rest = own.filter(pa.array(hot < 0))
            placed = key_groups_of(table, keys)[hot < 0] % key_groups
            yield from in_key_groups(rest, placed, numbers(rest["t"]))

    return sent(rows.select("*", *guides(definition, found.keys)), work)


def _dealing(request: Request, found: HotKeys, groups: _Groups) -> _Packing:
    """Rows as packs for all blocks they mean something to."""
    block_input = Shipped(partial(BlockInput, folds=found.folds), request.definition)
    blocks, firsts = found.blocks, _firsts(found.blocks)

    def packed(rows: pa.Table, number: int) -> Iterator[pa.RecordBatch]:
        for sending in block_input.get().dealt(rows, blocks[number]):
            placed = groups.of(sending.part, sending.blocks + firsts[number])
            yield from in_key_groups(sending.table, placed, sending.times)

    return packed


def _groups(df: DataFrame) -> _Groups:
    return _Groups(key_group_count(df), tasks_of(df.sparkSession))


def _firsts(blocks: Sequence[Blocks]) -> list[int]:
    """The number of each key's first block."""
    return list(accumulate((own.slots for own in blocks[:-1]), initial=0))
