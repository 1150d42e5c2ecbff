"""Rows packed into packs before a shuffle, key group by key group.

A shuffle moves a pack of thousands of rows as if it were one row, and Python unpacks it as fast as
it reads memory.  A key group is a share of the keys; all rows of a key are in one key group.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext
from pyspark.sql import Column
from pyspark.sql import functions as F

from windrow.columnar.narrowed import narrowed
from windrow.columnar.packs import column_of
from windrow.windows import Order

__all__ = [
    "HASH",
    "HOT",
    "PACKS",
    "Work",
    "first_number",
    "hash_of",
    "in_key_groups",
    "numbered",
    "packs",
    "rank_column",
    "resplit",
    "result_schema",
    "rows_of_pack",
]

Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

HASH = "h"
HOT = "hot"
PACKS = "key_group int, low long, pack binary"
_PACKS = pa.schema([("key_group", pa.int32()), ("low", pa.int64()), ("pack", pa.binary())])

# Rows gathered before they are split into key groups, and results that go back to the JVM at once.
_GATHERED = 1 << 17
_GATHERED_BYTES = 1 << 26
_RESULTS = 1 << 16
# The size of a pack.  Spark sends packs to Python by the thousand, so their bytes limit the memory
# that takes, however wide rows are.
_PACK_ROWS = 1 << 13
_PACK_BYTES = 1 << 16

# Arrival numbers: the task's number in the upper bits, the row's number in the task in the lower.
_TASK_SHIFT = 40


def hash_of(keys: Iterable[str]) -> Column:
    """A number below 2^31 for each key: the same wherever the key occurs."""
    columns = [F.col(key) for key in keys]
    if not columns:
        return F.lit(0)
    return F.pmod(F.xxhash64(*columns), F.lit((1 << 31) - 1)).cast("int")


def numbered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Rows as they come, in larger tables, each with its arrival number `n`."""
    number = first_number()
    for table in _gathered(batches):
        arrivals = pa.array(np.arange(number, number + table.num_rows))
        number += table.num_rows
        yield table.append_column("n", arrivals)


def first_number() -> int:
    """The first arrival number of this task; no other task uses the same numbers."""
    context = TaskContext.get()
    return (0 if context is None else context.partitionId()) << _TASK_SHIFT


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.get_total_buffer_size()  # at once, where `nbytes` looks at every column
        if rows >= _GATHERED or size >= _GATHERED_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(waiting)


def in_key_groups(
    table: pa.Table, key_groups: NDArray[Any], ranks: NDArray[np.int64], *, keep_ties: bool = True
) -> Iterator[pa.RecordBatch]:
    """A table as packs, each of one key group, with its lowest rank (time, or arrival number).

    Long packs are cut at round ranks, so that packs of different tables do not overlap much, and
    merging them in order needs few of them at a time.  Rows of the same rank stay in order if ties
    are kept, which takes longer.
    """
    order = _by_key_group(key_groups, ranks, keep_ties=keep_ties)
    if order is not None:
        key_groups, ranks = key_groups[order], ranks[order]
    rows = narrowed(table, order)
    cuts = _cuts(key_groups, ranks, rows_of_pack(rows.table))
    starts = cuts[:-1]
    contents = [rows.pack(start, end) for start, end in pairwise(cuts.tolist())]
    yield packs(key_groups[starts], ranks[starts], contents)


def rows_of_pack(table: pa.Table) -> int:
    """How many of these rows a pack should hold."""
    fitting: int = table.num_rows * _PACK_BYTES // max(table.nbytes, 1)
    return max(min(_PACK_ROWS, fitting), 1)


def packs(key_groups: Any, lows: Any, contents: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    """Packs as rows: the key group of each, its lowest rank, and what is packed."""
    columns = [
        pa.array(key_groups, pa.int32()),
        pa.array(lows, pa.int64()),
        column_of(contents),
    ]
    return pa.record_batch(columns, schema=_PACKS)


def _by_key_group(
    key_groups: NDArray[Any], ranks: NDArray[np.int64], *, keep_ties: bool
) -> NDArray[np.int64] | None:
    """The order by key group and then by rank; None if rows are already in it.

    Rows mostly arrive by rank, and sorting by few key groups is fast.
    """
    if key_groups.max(initial=0) < 1 << 15:
        key_groups = key_groups.astype(np.int16)  # numpy sorts 16 bits by counting
    if (ranks[1:] >= ranks[:-1]).all():
        if (key_groups[1:] >= key_groups[:-1]).all():
            return None
        return np.argsort(key_groups, kind="stable")
    by_rank = np.argsort(ranks, kind="stable" if keep_ties else "quicksort")
    return by_rank[np.argsort(key_groups[by_rank], kind="stable")]


def _cuts(key_groups: NDArray[Any], ranks: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """Where packs of about this many rows begin, and the end."""
    borders = np.flatnonzero(key_groups[1:] != key_groups[:-1]) + 1
    borders = np.concatenate([[0], borders, [len(key_groups)]])
    cuts = [borders]
    for start, end in pairwise(borders.tolist()):
        if end - start <= 2 * rows:
            continue
        span = int(ranks[end - 1]) - int(ranks[start])
        width = max(span * rows // (end - start), 1).bit_length()
        rounded = ranks[start:end] >> width
        cuts.append(np.flatnonzero(rounded[1:] != rounded[:-1]) + 1 + start)
    return np.unique(np.concatenate(cuts))


def result_schema(results: pa.Schema, *others: str) -> pa.Schema:
    """The columns of results that leave Python: not arrival numbers, which only Python needs."""
    return pa.schema([field for field in results if field.name not in ("n", *others)])


def resplit(tables: Iterable[pa.Table]) -> Iterator[pa.RecordBatch]:
    """Results in batches of moderate size."""
    for table in tables:
        yield from table.combine_chunks().to_batches(max_chunksize=_RESULTS)


def rank_column(order: Order) -> str:
    """The column that says which row comes first."""
    return "t" if order is Order.TIME else "n"
