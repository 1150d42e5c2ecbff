"""An engine over a stream, on Spark's own stateful operator.

rows ─ mapInArrow: pack, key group by key group ─▶ transformWithStateInPandas: one call for all
keys of a key group ─▶ results.  Spark stores and restores the state; see `shards` for its shape.
"""

from collections.abc import Callable, Iterator
from itertools import count

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import StructType

from windrow.columnar.keyed import numbers
from windrow.columnar.narrowed import narrowed
from windrow.engines.flow import Flow
from windrow.spark.analysis.clock import LateBy
from windrow.spark.analysis.resolve import Request
from windrow.spark.analysis.types import spark_schema
from windrow.spark.configure import choose_tasks, keep_state_in_rocksdb
from windrow.spark.state.key_groups import key_groups_of
from windrow.spark.state.signature import signature_of
from windrow.spark.stream.processor import LATE, KeyGroupProcessor, answer_schema
from windrow.spark.stream.row_counts import COUNTED_PACKS, RowCounts, observed
from windrow.spark.transport.hashed import HASH_KEY, hashed, hashed_rows, with_hash, without_hash
from windrow.spark.transport.packing import (
    in_key_groups,
    numbered,
    packs,
    result_schema,
)
from windrow.spark.transport.shipped import Shipped
from windrow.spark.transport.workers import in_workers
from windrow.windows import Emit

__all__ = ["by_key_group", "flow_of", "pack_folded", "pack_rows", "run", "sentinel", "with_state"]

_results = count()


def flow_of(request: Request) -> Shipped[Flow]:
    """The engine of a request under a watermark."""
    return Shipped(Flow, hashed(request.definition), request.emit, request.forget_us)


def pack_rows(request: Request) -> DataFrame:
    """Rows as packs."""
    schema, labels = hashed(request.definition).schema, _labels(request)

    def pack(rows: pa.Table) -> Iterator[pa.RecordBatch]:
        return by_key_group(with_hash(rows, schema), "n", labels)

    return _packed(request, pack)


def pack_folded(request: Request) -> DataFrame:
    """Rows folded into slices where they are read, and these as packs."""
    flow, schema = flow_of(request), hashed(request.definition).schema
    labels = _labels(request)

    def pack(rows: pa.Table) -> Iterator[pa.RecordBatch]:
        slices = flow.get().engine.fold(with_hash(rows, schema))
        return by_key_group(slices, "start", labels)

    return _packed(request, pack)


def _packed(request: Request, pack: Callable[[pa.Table], Iterator[pa.RecordBatch]]) -> DataFrame:
    """What `pack` makes of rows; they are counted, and those without a time left out."""
    flow, labels, late_by = flow_of(request), _labels(request), request.late_by
    grids = [window.grid for _, window in request.windows if window.grid is not None]

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = RowCounts(grids)
        for rows in filter(len, map(counts.timed, numbered(batches))):
            yield from map(counts.beside, pack(rows))
        yield counts.beside(sentinel(flow.get().rows, labels, late_by), last=True)

    rows = hashed_rows(request.all_rows(), request.definition)
    return observed(in_workers(rows, work, COUNTED_PACKS))


def run(packs: DataFrame, request: Request) -> DataFrame:
    """What the engine gives for the packs of each micro-batch, key group by key group."""
    flow = flow_of(request)
    mode = "append" if request.emit is Emit.ON_CLOSE else "update"
    timed = request.lateness_ms is not None
    signature = f"{signature_of(request)}; {len(_labels(request))} key groups"
    processor = KeyGroupProcessor(
        flow, signature, request.names.keys, request.late_by, timers=timed
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


def _labels(request: Request) -> tuple[int, ...]:
    return key_groups_of(request.source.sparkSession)


def with_state(
    packs: DataFrame, processor: StatefulProcessor, answers: StructType, mode: str, *, timed: bool
) -> DataFrame:
    """What a processor answers to the packs of each key group, with Spark's state beside it."""
    spark = packs.sparkSession
    keep_state_in_rocksdb(spark)
    choose_tasks(spark, most=len(key_groups_of(spark)))
    return packs.groupBy("key_group").transformWithStateInPandas(
        processor, answers, mode, "EventTime" if timed else "None"
    )


def sentinel(schema: pa.Schema, labels: tuple[int, ...], late_by: LateBy) -> pa.RecordBatch:
    """No rows, for the first key group: it hears of every micro-batch, and checks its state.

    A changed query may send its rows to key groups that have none yet, where nothing would tell.
    Where rows are late by the watermark before, all key groups have to hear of every micro-batch.
    """
    addressed = labels[:1] if late_by is LateBy.ITS_OWN else labels
    nothing = narrowed(schema.empty_table()).pack(0, 0)
    return packs(addressed, [0] * len(addressed), [nothing] * len(addressed))


def by_key_group(table: pa.Table, rank: str, labels: tuple[int, ...]) -> Iterator[pa.RecordBatch]:
    """Rows or slices as packs, each for the key group of its keys."""
    groups = numbers(table[HASH_KEY]) % len(labels)
    return in_key_groups(table, numbers(pa.array(labels, pa.int32()))[groups], numbers(table[rank]))
