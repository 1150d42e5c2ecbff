"""Packs sent from task to task: cut into chunks, shuffled, sorted, and joined again."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from windrow.columnar.chunks import cut, joined
from windrow.columnar.narrowed import widened
from windrow.spark.transport.packing import Work, first_number
from windrow.spark.transport.workers import in_workers

__all__ = ["arrived", "packs_of", "sent", "tasks_of"]

_CHUNKS = "key_group int, low long, chunk long, rest int, pack binary"
_SCHEMA = pa.schema(
    [
        ("key_group", pa.int32()),
        ("low", pa.int64()),
        ("chunk", pa.int64()),
        ("rest", pa.int32()),
        ("pack", pa.binary()),
    ]
)


def sent(rows: DataFrame, work: Work) -> DataFrame:
    """The packs that `work` makes of the rows of a batch, on their way."""
    return in_workers(rows, _in_chunks(work), _CHUNKS)


def arrived(packs: DataFrame, tasks: int) -> DataFrame:
    """Packs in `tasks` partitions, key groups dealt out in turn; within each by lowest rank."""
    key_group = F.col("key_group")  # of its name alone Spark would look it up
    dealt = packs.repartitionById(tasks, key_group)
    return dealt.sortWithinPartitions(key_group, F.col("low"), F.col("chunk"))


def packs_of(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema | Callable[[int], pa.Schema]
) -> Iterator[tuple[int, Iterator[tuple[int, pa.Table]]]]:
    """Each key group of a partition as it `arrived`, and its pieces with their lowest rank.

    Packs of a key group have the same columns; those of others may have others.
    """

    def rows() -> Iterator[tuple[int, int, Any]]:
        for batch, last, pack in joined(batches):
            yield batch.column("key_group")[last].as_py(), batch.column("low")[last].as_py(), pack

    for key_group, pieces in groupby(rows(), key=itemgetter(0)):
        own = schema(key_group) if callable(schema) else schema
        yield key_group, _widened(pieces, own)


def _widened(
    packs: Iterable[tuple[int, int, Any]], schema: pa.Schema
) -> Iterator[tuple[int, pa.Table]]:
    return ((low, widened(pack, schema)) for _, low, pack in packs)


def _in_chunks(work: Work) -> Work:
    """The same work, its packs cut into chunks, which are numbered."""

    def cutting(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        number = first_number()
        for packs in work(batches):
            chunks, owners, rests = cut(packs.column("pack"))
            numbered = np.arange(number, number + len(chunks))
            number += len(chunks)
            own = packs.select(["key_group", "low"]).take(pa.array(owners))
            columns = [*own.columns, pa.array(numbered), pa.array(rests), chunks]
            yield pa.record_batch(columns, schema=_SCHEMA)

    return cutting


def tasks_of(spark: SparkSession) -> int:
    """As many tasks as can run at once, and no more than the session shuffles into."""
    shuffled = int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    context = getattr(spark, "_sc", None)  # none on Spark Connect, which does not tell its cores
    return shuffled if context is None else min(shuffled, int(context.defaultParallelism))
