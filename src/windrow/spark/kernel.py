"""Strategy kernel: rows go to Python packed, and compiled loops run over all keys of a lane.

rows ─ mapInArrow: pack, lane by lane ─▶ shuffle by lane, parcels by time ─ mapInArrow: the engine,
lane by lane ─▶ results.  Spark sorts parcels and not rows, and spills them if it must; a task has
some parcels and the state of its windows in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.slicing.batch import run_through
from windrow.slicing.definition import Definition
from windrow.slicing.engine import Engine
from windrow.slicing.engines import engine_for
from windrow.slicing.keyed import numbers
from windrow.slicing.splits import Split, split_rows, whole_contexts
from windrow.spark.hashed import (
    HASH_KEY,
    as_slices,
    hashed,
    hashed_rows,
    hashed_slices,
    hashes,
    is_hashed_here,
    with_hash,
)
from windrow.spark.hot import NONE, HotKey, HotKeys
from windrow.spark.packing import (
    HASH,
    HOT,
    Work,
    hash_of,
    in_lanes,
    numbered,
    rank_column,
    resplit,
    told,
)
from windrow.spark.parallelism import tasks_of
from windrow.spark.request import Request
from windrow.spark.shipped import Shipped
from windrow.spark.transit import arrived, parcels_of, sent
from windrow.spark.types import spark_schema
from windrow.spark.workers import in_workers
from windrow.windows import Aligned, Emit, Order, TrailingRows

__all__ = [
    "LANES_PER_TASK",
    "run",
    "windows_from_parcels",
    "windows_from_partials",
    "windows_from_rows",
]

# Lanes for each task: what a lane holds is all a task has in memory.
LANES_PER_TASK = 4


def run(request: Request, found: HotKeys = NONE) -> DataFrame:
    """Any window over a batch; keys that were found to be hot are split by time."""
    rows, definition = request.rows, request.definition
    tasks = tasks_of(rows.sparkSession)
    if not engine_for(definition).folds_early:
        engine = Shipped(engine_for, definition)
        hot = found.keys
        lanes = tasks * LANES_PER_TASK
        work = _pack_rows(definition, lanes, [key.split for key in hot])
        parcels = sent(rows.select("*", *_guides(definition, hot)), work)
        results = told(engine.get().schema)
        contexts = _contexts(request, lanes, hot)
        work = _run_lanes(
            engine, definition.schema, results, definition.order, request.emit, contexts
        )
        return _answered(parcels, results, work, tasks)
    return windows_from_rows(rows, definition)


def windows_from_rows(rows: DataFrame, definition: Definition) -> DataFrame:
    """Aligned windows whose rows can be folded before the shuffle: k…, t and v…"""
    tasks = tasks_of(rows.sparkSession)
    inner = hashed(definition)
    work = _pack_folded(Shipped(engine_for, inner), inner.schema, tasks * LANES_PER_TASK)
    parcels = sent(hashed_rows(rows, definition), work)
    return windows_from_parcels(parcels, definition, tasks)


def windows_from_partials(partials: DataFrame, request: Request) -> DataFrame:
    """Aligned windows from slices that Spark has folded: k…, start, the states' columns."""
    definition = request.definition
    tasks = tasks_of(partials.sparkSession)
    inner = hashed(definition)
    engine = Shipped(engine_for, inner)
    slices = hashed_slices(partials, definition, engine.get().partials)
    work = _pack_slices(engine, tasks * LANES_PER_TASK)
    return windows_from_parcels(sent(slices, work), definition, tasks)


def windows_from_parcels(
    parcels: DataFrame, definition: Definition, tasks: int, schema: pa.Schema | None = None
) -> DataFrame:
    """Aligned windows from slices in their lanes, or from rows of this schema."""
    engine = Shipped(engine_for, definition)
    packed = engine.get().partials if schema is None else schema
    sizes = {window.size_us for _, window in definition.windows if isinstance(window, Aligned)}
    # Windows may be many more than rows: what Spark can add by itself, Python does not hand over.
    known = ["end"] if len(sizes) == 1 else []
    results = told(engine.get().schema, *known)
    work = _run_lanes(engine, packed, results, Order.TIME)
    found = _answered(parcels, results, work, tasks)
    return found.withColumn("end", F.col("start") + sizes.pop()) if known else found


def _answered(parcels: DataFrame, results: pa.Schema, work: Work, tasks: int) -> DataFrame:
    return in_workers(arrived(parcels, tasks), work, spark_schema(results))


def _guides(definition: Definition, hot: Sequence[HotKey]) -> list[Column]:
    """What tells a row's lane: its hash, and if there are hot keys which it is of.

    Every column that is handed to Python costs time: what Python can tell by itself is not.
    """
    here = is_hashed_here(definition.schema, definition.keys)
    own = [] if here else [hash_of(definition.keys).alias(HASH)]
    return [*own, _which(hot)] if definition.keys and hot else own


def _contexts(request: Request, lanes: int, hot: Sequence[HotKey]) -> dict[int, tuple[int, int]]:
    """For the lanes of slots: how many rows of context the sample promised, and where it ends."""
    _, window = request.windows[0]
    if not isinstance(window, TrailingRows):
        return {}
    wanted = {}
    for key in hot:
        for slot, cut in key.split.bounded.items():
            wanted[lanes + slot] = (window.rows - 1, cut)
        lanes += key.split.slots
    return wanted


def _which(hot: Sequence[HotKey]) -> Column:
    """Which of the hot keys a row is of; -1 for none."""
    found = F.lit(-1)
    for number, key in enumerate(hot):
        assert key.rows is not None  # there are keys
        found = F.when(key.rows, F.lit(number)).otherwise(found)
    return found.cast("int").alias(HOT)


def _pack_rows(definition: Definition, lanes: int, splits: Sequence[Split]) -> Work:
    """Rows as parcels; those of hot keys go to lanes of their own, slot by slot."""
    schema, order = definition.schema, definition.order
    keys = definition.keys

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            rows = table.select(schema.names).cast(schema)
            given = HASH in table.schema.names
            own: NDArray[Any] = (numbers(table[HASH]) if given else hashes(table, keys)) % lanes
            if splits:
                rows, own = split_rows(rows, own, _hot(table), splits, lanes)
            yield from in_lanes(rows, own, numbers(rows[rank_column(order)]))

    return work


def _hot(table: pa.Table) -> NDArray[Any] | None:
    """Which hot key each row is of; None without a key, where all rows are of the only one."""
    return numbers(table[HOT]) if HOT in table.schema.names else None


def _pack_folded(engine: Shipped[Engine], schema: pa.Schema, lanes: int) -> Work:
    """Rows folded into slices, and these as parcels: partial states travel, not rows."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in numbered(batches):
            yield from _sliced(engine.get().fold(with_hash(table, schema)), lanes)

    return work


def _pack_slices(engine: Shipped[Engine], lanes: int) -> Work:
    """Slices that Spark folded, as parcels."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        schema = engine.get().partials
        for table in numbered(batches):
            yield from _sliced(as_slices(table, schema), lanes)

    return work


def _sliced(slices: pa.Table, lanes: int) -> Iterator[pa.RecordBatch]:
    """Slices as parcels, by their hashes, which no window needs."""
    own: NDArray[Any] = numbers(slices[HASH_KEY]) % lanes
    return in_lanes(slices.drop_columns([HASH_KEY]), own, numbers(slices["start"]), keep_ties=False)


def _run_lanes(
    engine: Shipped[Engine],
    rows: pa.Schema,
    results: pa.Schema,
    order: Order,
    emit: Emit = Emit.ON_CLOSE,
    contexts: Mapping[int, tuple[int, int]] = MappingProxyType({}),
) -> Work:
    """The engine over each lane of a partition; some need a context (`whole_contexts`)."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for lane, pieces in parcels_of(batches, rows):
            if lane in contexts:
                pieces = whole_contexts(pieces, *contexts[lane])
            found = run_through(engine.get(), pieces, order, emit)
            yield from resplit(table.select(results.names) for table in found)

    return work
