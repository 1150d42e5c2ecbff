"""Results in one total order, however they were computed: by end, start, window name and keys.

A batch is sorted by Spark, and results of rows where they are computed if tasks have slots of
time.  A micro-batch of a stream has the windows that ended since the one before, so sorted
micro-batches, one after the other, are sorted as a whole.  Spark does not sort streams: one Python
task sorts the results of each micro-batch.
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from windrow.errors import InputError
from windrow.spark.analysis.columns import quoted
from windrow.spark.transport.packing import Work, resplit
from windrow.spark.transport.workers import in_workers

__all__ = ["sort_micro_batch", "sort_results"]

# What tells results apart, the most important first; a row's own result has only its time.
_PLACE = ("end", "start", "name", "t")
_WINDOW = "window"  # Spark's own, on a stream


def sort_results(results: DataFrame, *, in_slots: bool = False) -> DataFrame:
    """A batch in order.

    Where each task has a slot of time, every task sorts its own.  Windows are mostly few: one task
    sorts them.  To sort in several tasks what is not in slots, Spark computes all results twice,
    the first time for a sample of them: only as many results as rows are worth that.
    """
    ranks = [quoted(name) for name in _ranks(results, MapType, VariantType)]
    if in_slots:
        return results.sortWithinPartitions(*ranks)
    if "t" in results.columns:
        return results.orderBy(*ranks)
    return results.repartition(1).sortWithinPartitions(*ranks)


def sort_micro_batch(results: DataFrame) -> DataFrame:
    """A stream, each micro-batch in order."""
    columns = results.columns
    if _WINDOW in columns:
        bounds = {side: F.col(f"{_WINDOW}.{side}") for side in ("start", "end")}
        results = results.withColumns(bounds)
    ranks = _ranks(results, ArrayType, MapType, StructType, VariantType)
    unordered = [name for name in results.columns if _is_key(name) and name not in ranks]
    if unordered:
        kind = results.schema[unordered[0]].dataType.simpleString()
        raise InputError(
            f"ordered() cannot sort a stream by a key of type {kind}; give its fields to by=, "
            "each as a key of its own"
        )
    work = _sorting(ranks)
    return in_workers(results.repartition(1), work, results.schema).select(*map(quoted, columns))


def _ranks(results: DataFrame, *unordered: type[DataType]) -> list[str]:
    """The columns to sort by: where results belong, then keys, then whatever else has an order."""
    names = [field.name for field in results.schema if not _holds(field.dataType, *unordered)]
    place = [name for name in _PLACE if name in names]
    keys = [name for name in names if _is_key(name)]
    rest = [name for name in names if name not in (*place, *keys)]
    return [*place, *keys, *rest]


def _holds(kind: DataType, *unordered: type[DataType]) -> bool:
    """Whether values are of these types, or hold such, as the structs of several windows may."""
    if isinstance(kind, unordered):
        return True
    if isinstance(kind, ArrayType):
        return _holds(kind.elementType, *unordered)
    return isinstance(kind, StructType) and any(
        _holds(field.dataType, *unordered) for field in kind
    )


def _is_key(name: str) -> bool:
    return name[0] == "k" and name[1:].isdigit()


def _sorting(ranks: Sequence[str]) -> Work:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        held = list(batches)
        if not held:
            return
        table = pa.Table.from_batches(held)
        keys = pa.table(dict(_sort_keys(table, ranks)))
        order = [(name, "ascending") for name in keys.schema.names]
        places = pc.sort_indices(keys, sort_keys=order, null_placement="at_start")
        yield from resplit([table.take(places)])

    return work


def _sort_keys(table: pa.Table, ranks: Sequence[str]) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """The columns to sort by, as Arrow sorts them like Spark: NaN comes last, and -0.0 is 0.0."""
    for place, name in enumerate(ranks):
        column = table[name]
        if not pa.types.is_floating(column.type):
            yield f"{place}", column
            continue
        is_nan = pc.is_nan(column)
        yield f"{place} nan", is_nan
        zero = pa.scalar(0.0, column.type)
        yield f"{place}", pc.add(pc.if_else(is_nan, zero, column), zero)
