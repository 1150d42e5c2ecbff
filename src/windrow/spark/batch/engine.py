"""An engine over a batch: rows or slices to packs, and packs to windows.

rows ─ mapInArrow: pack, key group by key group ─▶ shuffle by key group, packs by time ─ mapInArrow:
the engine, key group by key group ─▶ results.  Spark sorts packs and not rows, and spills them if
it must; a task has some packs and the state of its windows in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.columnar.keyed import numbers
from windrow.engines.batch import run_through
from windrow.engines.definition import Definition
from windrow.engines.engine import Engine
from windrow.engines.engines import engine_for
from windrow.engines.splits import Split, split_rows, whole_contexts
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import spark_schema
from windrow.spark.batch.cutting import NONE, HotKey, HotKeys
from windrow.spark.transport.hashed import (
    HASH_KEY,
    as_slices,
    hashed,
    hashed_rows,
    hashed_slices,
    hashes,
    is_hashed_here,
    with_hash,
)
from windrow.spark.transport.packing import (
    HASH,
    HOT,
    Work,
    hash_of,
    in_key_groups,
    numbered,
    rank_column,
    resplit,
    result_schema,
)
from windrow.spark.transport.received import Received
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.transit import packs_of, sent, tasks_of
from windrow.spark.transport.workers import in_workers
from windrow.windows import Emit, Order

__all__ = [
    "KEY_GROUPS_PER_TASK",
    "guides",
    "hot_numbers",
    "key_group_count",
    "key_groups_of",
    "pack_folded",
    "pack_rows",
    "pack_slices",
    "pack_states",
    "run_over_rows",
    "run_over_slices",
    "slices_as_packs",
    "which",
]

# Key groups for each task: a task holds one key group in memory at a time.
KEY_GROUPS_PER_TASK = 4


def pack_rows(request: Request, found: HotKeys = NONE) -> DataFrame:
    """Rows as packs; keys that were found to be hot are split by time."""
    rows, definition, hot = request.rows, request.definition, found.keys
    splits = found.splits
    work = _pack_rows(definition, request.key_units or key_group_count(rows), splits)
    return sent(rows.select("*", *guides(definition, hot)), work)


def pack_folded(
    rows: DataFrame, definition: Definition, found: HotKeys = NONE, key_groups: int | None = None
) -> DataFrame:
    """Rows folded into slices before the shuffle, as packs: k…, t and v…"""
    inner, splits = hashed(definition), found.splits
    groups = key_groups or key_group_count(rows)
    work = _pack_folded(Shipped(engine_for, inner), inner.schema, groups, splits)
    guided = rows.select("*", *which(found.keys))
    return sent(hashed_rows(guided, definition), work)


def pack_states(request: Request) -> DataFrame:
    """What nodes of a tree have folded rows into, as packs."""
    received, engine = Received.of(request), Shipped(engine_for, hashed(request.definition))
    frames = received.frames(request)
    groups = request.key_units or key_group_count(frames)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for states in received.states(batch, engine.get().partials):
                yield from slices_as_packs(states, groups)

    return sent(frames, work)


def pack_slices(partials: DataFrame, definition: Definition) -> DataFrame:
    """Slices that Spark has folded, as packs: k…, start, the states' columns."""
    engine = Shipped(engine_for, hashed(definition))
    slices = hashed_slices(partials, definition, engine.get().partials)
    return sent(slices, _pack_slices(engine, key_group_count(partials)))


def run_over_rows(packs: DataFrame, request: Request, found: HotKeys = NONE) -> DataFrame:
    """Any window over packs of rows that have been shuffled to their key group."""
    definition = request.definition
    engine = Shipped(engine_for, definition)
    results = result_schema(engine.get().schema)
    key_groups = key_group_count(packs)
    contexts = _contexts(request, key_groups, found.splits)
    ends = _ends(definition, key_groups, found.splits)
    work = _run_key_groups(
        engine, definition.schema, results, definition.order, request.emit, contexts, ends
    )
    return in_workers(packs, work, spark_schema(results))


def run_over_slices(
    packs: DataFrame,
    definition: Definition,
    rows: pa.Schema | None = None,
    found: HotKeys = NONE,
) -> DataFrame:
    """Aligned windows over packs of slices, or of rows of this schema, after the shuffle."""
    engine = Shipped(engine_for, definition)
    packed = engine.get().partials if rows is None else rows
    grids = [window.grid for _, window in definition.windows]
    sizes = {grid.size_us for grid in grids if grid is not None}
    # There may be many more windows than rows: Python does not send what Spark can add by itself.
    known = ["end"] if len(sizes) == 1 else []
    results = result_schema(engine.get().schema, *known)
    ends = _ends(definition, key_group_count(packs), found.splits)
    work = _run_key_groups(engine, packed, results, Order.TIME, ends=ends, folded=rows is None)
    windows = in_workers(packs, work, spark_schema(results))
    return windows.withColumn("end", F.col("start") + sizes.pop()) if known else windows


def key_group_count(df: DataFrame) -> int:
    """Into how many key groups the keys of a batch are dealt."""
    return tasks_of(df.sparkSession) * KEY_GROUPS_PER_TASK


def guides(definition: Definition, hot: Sequence[HotKey]) -> list[Column]:
    """What determines a row's key group: its hash, and if there are hot keys, which one it has.

    Every column that is sent to Python costs time, so Python computes what it can by itself.
    """
    here = is_hashed_here(definition.schema, definition.keys)
    own = [] if here else [hash_of(definition.keys).alias(HASH)]
    return [*own, *which(hot)]


def _contexts(
    request: Request, key_groups: int, splits: Sequence[Split]
) -> dict[int, tuple[int, int]]:
    """For key groups of slots: how many rows of context the sample promised, and where it ends."""
    rows, wanted = request.definition.reach.rows, {}
    if not rows:
        return {}
    for split in splits:
        for slot, cut in split.bounded.items():
            wanted[key_groups + slot] = (rows, cut)
        key_groups += split.slots
    return wanted


def _ends(
    definition: Definition, key_groups: int, splits: Sequence[Split]
) -> dict[int, tuple[int | None, int | None]]:
    """For key groups of slots: after which time, and until which one, windows of a grid end."""
    if definition.windows[0][1].grid is None:
        return {}
    every = [ends for split in splits for ends in split.ends]
    return dict(enumerate(every, key_groups))


def which(hot: Sequence[HotKey]) -> list[Column]:
    """Which of the hot keys a row has, -1 for none; no column if all rows go by one split."""
    found = F.lit(-1)
    for number, key in enumerate(hot):
        if key.rows is None:
            return []
        found = F.when(key.rows, F.lit(number)).otherwise(found)
    return [found.cast("int").alias(HOT)] if hot else []


def _pack_rows(definition: Definition, key_groups: int, splits: Sequence[Split]) -> Work:
    """Rows as packs; those of hot keys go to key groups of their own, slot by slot."""
    schema, order = definition.schema, definition.order
    keys = definition.keys

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            rows = table.select(schema.names).cast(schema)
            own = key_groups_of(table, keys) % key_groups
            if splits:
                rows, own = split_rows(rows, own, hot_numbers(table), splits, key_groups)
            yield from in_key_groups(rows, own, numbers(rows[rank_column(order)]))

    return work


def key_groups_of(table: pa.Table, keys: Sequence[str]) -> NDArray[Any]:
    """The hash of each row's key, of which the key group is a remainder."""
    return numbers(table[HASH]) if HASH in table.schema.names else hashes(table, keys)


def hot_numbers(table: pa.Table) -> NDArray[Any] | None:
    """Which hot key each row has; None if all rows go by one split."""
    return numbers(table[HOT]) if HOT in table.schema.names else None


def _pack_folded(
    engine: Shipped[Engine], schema: pa.Schema, key_groups: int, splits: Sequence[Split]
) -> Work:
    """Rows folded into slices, and these as packs: partial states travel, not rows."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            for number, own in _by_split(table):
                slices = engine.get().fold(with_hash(own, schema))
                yield from slices_as_packs(slices, key_groups, splits, number)

    return work


def _by_split(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each hot key by its number, and all others by -1; without a guide all by 0."""
    hot = hot_numbers(table)
    if hot is None:
        yield 0, table
        return
    for number in np.unique(hot).tolist():
        yield number, table.filter(pa.array(hot == number))


def _pack_slices(engine: Shipped[Engine], key_groups: int) -> Work:
    """Slices that Spark folded, as packs."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = engine.get().partials
        for table in numbered(batches):
            yield from slices_as_packs(as_slices(table, schema), key_groups)

    return work


def slices_as_packs(
    slices: pa.Table, key_groups: int, splits: Sequence[Split] = (), number: int = -1
) -> Iterator[pa.RecordBatch]:
    """Slices as packs, by their hashes, which no window needs, or by the split of a number."""
    own: NDArray[Any] = numbers(slices[HASH_KEY]) % key_groups
    if splits:
        hot = np.full(slices.num_rows, number, np.int32)
        slices, own = split_rows(slices, own, hot, splits, key_groups, folded=True)
    return in_key_groups(
        slices.drop_columns([HASH_KEY]), own, numbers(slices["start"]), keep_ties=False
    )


def _run_key_groups(
    engine: Shipped[Engine],
    rows: pa.Schema,
    results: pa.Schema,
    order: Order,
    emit: Emit = Emit.ON_CLOSE,
    contexts: Mapping[int, tuple[int, int]] = MappingProxyType({}),
    ends: Mapping[int, tuple[int | None, int | None]] = MappingProxyType({}),
    *,
    folded: bool = False,
) -> Work:
    """The engine over each key group of a partition.

    Some need a context (`whole_contexts`), and some answer windows only that end in a given time.
    """

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for key_group, pieces in packs_of(batches, rows):
            if key_group in contexts:
                pieces = whole_contexts(pieces, *contexts[key_group])
            since, until = ends.get(key_group, (None, None))
            found = run_through(engine.get(), pieces, order, emit, since, until, folded=folded)
            yield from resplit(table.select(results.names) for table in found)

    return work
