"""Parcels on their way from task to task: cut into packets, shuffled, put in order, and joined."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow.spark.packing import Work, first_number
from windrow.spark.workers import in_workers
from windrow.wire.narrowed import widened
from windrow.wire.packets import cut, joined

__all__ = ["arrived", "parcels_of", "sent"]

_PACKETS = "lane int, low long, packet long, rest int, parcel binary"
_SCHEMA = pa.schema(
    [
        ("lane", pa.int32()),
        ("low", pa.int64()),
        ("packet", pa.int64()),
        ("rest", pa.int32()),
        ("parcel", pa.binary()),
    ]
)


def sent(rows: DataFrame, work: Work) -> DataFrame:
    """The parcels that `work` makes of the rows of a batch, on their way."""
    return in_workers(rows, _in_packets(work), _PACKETS)


def arrived(parcels: DataFrame, tasks: int) -> DataFrame:
    """Parcels in so many partitions, the lanes dealt out in turn; each lane's by lowest rank."""
    lane = F.col("lane")  # of its name alone Spark would look it up
    dealt = parcels.repartitionById(tasks, lane)
    return dealt.sortWithinPartitions(lane, F.col("low"), F.col("packet"))


def parcels_of(
    batches: Iterable[pa.RecordBatch], schema: pa.Schema
) -> Iterator[tuple[int, Iterator[tuple[int, pa.Table]]]]:
    """Each lane of a partition as it `arrived`, and its pieces with their lowest rank."""

    def rows() -> Iterator[tuple[int, int, Any]]:
        for batch, last, parcel in joined(batches):
            yield batch.column("lane")[last].as_py(), batch.column("low")[last].as_py(), parcel

    for lane, pieces in groupby(rows(), key=itemgetter(0)):
        yield lane, ((low, widened(parcel, schema)) for _, low, parcel in pieces)


def _in_packets(work: Work) -> Work:
    """The same work, its parcels cut into packets, which are numbered."""

    def cutting(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        number = first_number()
        for parcels in work(batches):
            packets, owners, rests = cut(parcels.column("parcel"))
            numbered = np.arange(number, number + len(packets))
            number += len(packets)
            own = parcels.select(["lane", "low"]).take(pa.array(owners))
            columns = [*own.columns, pa.array(numbered), pa.array(rests), packets]
            yield pa.record_batch(columns, schema=_SCHEMA)

    return cutting
