"""Parcels back to rows."""

from collections.abc import Iterator

import pyarrow as pa

from windrow.spark.packing import Work, resplit
from windrow.wire.parcels import unpack

__all__ = ["unpacked"]


def unpacked(schema: pa.Schema) -> Work:
    """The rows of the parcels in a partition's only column."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from resplit(unpack(parcel.as_buffer(), schema) for parcel in batch.column(0))

    return work
