"""An engine over a stream, on Spark's own stateful operator.

rows ─ mapInArrow: pack, key group by key group ─▶ transformWithStateInPandas: one call for all
keys of a key group ─▶ results.  Spark stores and restores the state; see `shards` for its shape.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import StructType

from windrow.columnar.keyed import numbers
from windrow.columnar.narrowed import narrowed
from windrow.engines.flow import Flow
from windrow.parallel.owners import Owners
from windrow.spark.analysis.clock import LateBy
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import spark_schema
from windrow.spark.configure import choose_tasks, keep_state_in_rocksdb
from windrow.spark.state.key_groups import key_groups_of, labels
from windrow.spark.state.signature import signature_of
from windrow.spark.stream.processor import LATE, KeyGroupProcessor, Units, answer_schema
from windrow.spark.stream.row_counts import COUNTED_PACKS, RowCounts, observed
from windrow.spark.transport.hashed import HASH_KEY, hashed, hashed_rows, with_hash, without_hash
from windrow.spark.transport.packing import (
    in_key_groups,
    numbered,
    packs,
    result_schema,
)
from windrow.spark.transport.received import Received
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.spreading import grids_of, to_owners
from windrow.spark.transport.workers import in_workers
from windrow.windows import Emit

__all__ = [
    "by_key_group",
    "flow_of",
    "pack_folded",
    "pack_rows",
    "pack_states",
    "run",
    "sentinel",
    "with_state",
]

_results = count()


def flow_of(request: Request) -> Shipped[Flow]:
    """The engine of a request under a watermark."""
    flow = partial(Flow, folded=True) if request.folded else Flow
    return Shipped(flow, hashed(request.definition), request.emit, request.forget_us)


def pack_rows(request: Request, owners: Owners | None = None) -> DataFrame:
    """Rows as packs, for the key groups of their keys or the units that own their windows."""
    inner, labels = hashed(request.definition), _labels(request, owners)
    schema, grids = inner.schema, grids_of(inner)

    def pack(table: pa.Table) -> Iterator[pa.RecordBatch]:
        rows = with_hash(table, schema)
        if owners is None:
            return by_key_group(rows, "n", labels)
        return by_unit(*to_owners(rows, owners, grids, "t"), "n", labels)

    return _packed(request, labels, pack)


def pack_folded(request: Request, owners: Owners | None = None) -> DataFrame:
    """Rows folded into slices where they are read, and these as packs."""
    inner, labels = hashed(request.definition), _labels(request, owners)
    flow, schema, grids = flow_of(request), inner.schema, grids_of(inner)

    def pack(rows: pa.Table) -> Iterator[pa.RecordBatch]:
        slices = flow.get().engine.fold(with_hash(rows, schema))
        if owners is None:
            return by_key_group(slices, "start", labels)
        return by_unit(*to_owners(slices, owners, grids, "start"), "start", labels)

    return _packed(request, labels, pack)


def pack_states(request: Request) -> DataFrame:
    """What nodes of a tree have folded rows into, as packs."""
    labels, flow, late_by = _labels(request, None), flow_of(request), request.late_by
    received = Received.of(request)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = RowCounts([])
        for frames in batches:
            counts.folded(received.rows(frames))
            for states in received.states(frames, flow.get().rows):
                yield from map(counts.beside, by_key_group(states, "start", labels))
        yield counts.beside(sentinel(flow.get().rows, labels, late_by), last=True)

    return observed(in_workers(received.frames(request), work, COUNTED_PACKS))


def _packed(
    request: Request,
    labels: tuple[int, ...],
    pack: Callable[[pa.Table], Iterator[pa.RecordBatch]],
) -> DataFrame:
    """What `pack` makes of rows; they are counted, and those without a time left out."""
    flow, late_by, grids = flow_of(request), request.late_by, grids_of(request.definition)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = RowCounts(grids)
        for rows in filter(len, map(counts.timed, numbered(batches))):
            yield from map(counts.beside, pack(rows))
        yield counts.beside(sentinel(flow.get().rows, labels, late_by), last=True)

    rows = hashed_rows(request.all_rows(), request.definition)
    return observed(in_workers(rows, work, COUNTED_PACKS))


def run(packs: DataFrame, request: Request, owners: Owners | None = None) -> DataFrame:
    """What the engine gives for the packs of each micro-batch, key group by key group."""
    labels = _labels(request, owners)
    flow = flow_of(request)
    mode = "append" if request.emit is Emit.ON_CLOSE else "update"
    timed = request.lateness_ms is not None
    signature = f"{signature_of(request)}; {_shared_by(labels, owners)}{_folded_by(request)}"
    units = None if owners is None else Units(owners, labels)
    processor = KeyGroupProcessor(
        flow, signature, request.names.keys, request.late_by, units, timers=timed
    )
    answers = answer_schema(flow.get().engine.schema)
    given = with_state(packs, processor, spark_schema(answers), mode, timed=timed)
    counted = given.observe(
        # A number of its own: a plan may hold the same query twice.
        f"windrow-{flow.mark[:8]}-{next(_results)}",
        F.coalesce(F.sum(LATE), F.lit(0)).alias("late"),
    )
    results = result_schema(flow.get().engine.schema, HASH_KEY)
    found = counted.where(F.col(LATE).isNull())
    return found.select(*without_hash(request.definition, results))


def _labels(request: Request, owners: Owners | None) -> tuple[int, ...]:
    units = request.key_units if owners is None else owners.units
    return key_groups_of(request.source.sparkSession) if units is None else labels(units)


def _shared_by(labels: tuple[int, ...], owners: Owners | None) -> str:
    """Where windows are, which the state of a stream depends on."""
    if owners is None:
        return f"{len(labels)} key groups"
    return f"parallel {owners.method.value!r}, units {owners.units}, blocks of {owners.block}"


def _folded_by(request: Request) -> str:
    """What was folded elsewhere: rows behind the same windows cannot go on with it."""
    return "; folded by nodes" if request.folded else ""


def with_state(
    packs: DataFrame, processor: StatefulProcessor, answers: StructType, mode: str, *, timed: bool
) -> DataFrame:
    """The output of a processor for the packs of each key group, with its state in Spark."""
    spark = packs.sparkSession
    keep_state_in_rocksdb(spark)
    choose_tasks(spark, most=len(key_groups_of(spark)))
    return packs.groupBy("key_group").transformWithStateInPandas(
        processor, answers, mode, "EventTime" if timed else "None"
    )


def sentinel(schema: pa.Schema, labels: tuple[int, ...], late_by: LateBy) -> pa.RecordBatch:
    """Empty packs that call key groups in every micro-batch, even without rows.

    The first key group is always called, so that it checks its state: a changed query might send
    its rows only to key groups without state, and nothing would be noticed.  If rows are late by
    the previous watermark, all key groups are called.
    """
    addressed = labels if late_by.remembers else labels[:1]
    nothing = narrowed(schema.empty_table()).pack(0, 0)
    return packs(addressed, [0] * len(addressed), [nothing] * len(addressed))


def by_unit(
    table: pa.Table, units: NDArray[np.int64], rank: str, labels: tuple[int, ...]
) -> Iterator[pa.RecordBatch]:
    """Rows or slices as packs, each for its unit."""
    return in_key_groups(table, np.asarray(labels, np.int32)[units], numbers(table[rank]))


def by_key_group(table: pa.Table, rank: str, labels: tuple[int, ...]) -> Iterator[pa.RecordBatch]:
    """Rows or slices as packs, each for the key group of its keys."""
    return by_unit(table, numbers(table[HASH_KEY]) % len(labels), rank, labels)
