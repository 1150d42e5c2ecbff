"""Strategy stateful: any window over a stream, on Spark's own stateful operator.

rows ─ mapInArrow: pack, bucket by bucket ─▶ transformWithState: one call for all keys of a bucket
─ mapInArrow: unpack ─▶ results.  Spark stores and restores the state; see `shards` for its shape.
"""

from collections.abc import Iterator
from itertools import count

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from windrow.slicing.flow import Flow
from windrow.slicing.keyed import numbers
from windrow.spark.buckets import buckets_of
from windrow.spark.clock import LateBy
from windrow.spark.hashed import HASH_KEY, hashed, hashed_rows, with_hash, without_hash
from windrow.spark.packing import PARCELS, Work, in_lanes, numbered, parcels, told
from windrow.spark.processor import BucketProcessor
from windrow.spark.request import Request
from windrow.spark.shipped import Shipped
from windrow.spark.signature import signature_of
from windrow.spark.suiting import keep_state_in_rocksdb, warn_of_idle_tasks
from windrow.spark.types import spark_schema
from windrow.spark.unpacking import unpacked
from windrow.spark.workers import in_workers
from windrow.windows import Emit
from windrow.wire.narrowed import narrowed

__all__ = ["answered", "greeting", "in_buckets", "run", "with_state"]

_ANSWERS = "parcel binary, late long"

_results = count()


def run(request: Request) -> DataFrame:
    """Any window over a stream."""
    definition, rows = request.definition, request.rows
    inner = hashed(definition)
    flow = Shipped(Flow, inner, request.emit, request.forget_us)
    selected = hashed_rows(rows, definition)
    labels = _labels(rows)
    if flow.get().engine.folds_early:
        work = _pack_folded(flow, inner.schema, labels, request.late_by)
    else:
        work = _pack_rows(inner.schema, labels, request.late_by)
    return answered(selected, work, flow, request)


def _labels(df: DataFrame) -> tuple[int, ...]:
    return buckets_of(df.sparkSession)


def answered(rows: DataFrame, work: Work, flow: Shipped[Flow], request: Request) -> DataFrame:
    """What a flow gives for the parcels that `work` makes of rows, bucket by bucket."""
    engine = flow.get().engine
    mode = "append" if request.emit is Emit.ON_CLOSE else "update"
    timed = request.lateness_ms is not None
    signature = f"{signature_of(request)}; {len(_labels(rows))} buckets"
    processor = BucketProcessor(flow, signature, request.names.keys, request.late_by, timers=timed)
    answers = with_state(in_workers(rows, work, PARCELS), processor, _ANSWERS, mode, timed=timed)
    counted = answers.observe(
        # A number of its own: a plan may hold the same query twice.
        f"windrow-{flow.mark[:8]}-{next(_results)}",
        F.coalesce(F.sum("late"), F.lit(0)).alias("late"),
    )
    results = told(engine.schema, HASH_KEY)
    found = in_workers(counted.select("parcel"), unpacked(results), spark_schema(results))
    return found.select(*without_hash(request.definition, results))


def with_state(
    parcels: DataFrame, processor: StatefulProcessor, answers: str, mode: str, *, timed: bool
) -> DataFrame:
    """What a processor answers to the parcels of each bucket, with Spark's state beside it."""
    spark = parcels.sparkSession
    keep_state_in_rocksdb(spark)
    warn_of_idle_tasks(spark, len(buckets_of(spark)))
    return parcels.groupBy("lane").transformWithState(
        processor, answers, mode, "EventTime" if timed else "None"
    )


def _pack_rows(schema: pa.Schema, labels: tuple[int, ...], late_by: LateBy) -> Work:
    """Rows as parcels."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield greeting(schema, labels, late_by)
        for table in numbered(batches):
            yield from in_buckets(with_hash(table, schema), "n", labels)

    return work


def _pack_folded(
    flow: Shipped[Flow], schema: pa.Schema, labels: tuple[int, ...], late_by: LateBy
) -> Work:
    """Rows folded into slices, and these as parcels."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield greeting(flow.get().rows, labels, late_by)
        for table in numbered(batches):
            slices = flow.get().engine.fold(with_hash(table, schema))
            yield from in_buckets(slices, "start", labels)

    return work


def greeting(schema: pa.Schema, labels: tuple[int, ...], late_by: LateBy) -> pa.RecordBatch:
    """No rows, for the first bucket: it hears of every micro-batch, and knows whose state it has.

    A changed query may send its rows to buckets that have none yet, where nothing would tell.
    Where rows are late by the watermark before, all buckets have to hear of every micro-batch.
    """
    greeted = labels if late_by is LateBy.THE_ONE_BEFORE else labels[:1]
    nothing = narrowed(schema.empty_table()).parcel(0, 0)
    return parcels(greeted, [0] * len(greeted), [nothing] * len(greeted))


def in_buckets(table: pa.Table, rank: str, labels: tuple[int, ...]) -> Iterator[pa.RecordBatch]:
    """Rows or slices as parcels, each for the bucket of its keys."""
    buckets = numbers(table[HASH_KEY]) % len(labels)
    return in_lanes(table, numbers(pa.array(labels, pa.int32()))[buckets], numbers(table[rank]))
