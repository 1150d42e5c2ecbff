"""Keys with so many rows that one task would hold up all others, and rows without a key.

Only windows that reach back a known way can be split by time: trailing ones.  Finding hot keys
takes a look at a sample of the rows, which Spark runs when the query is built.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.slicing.keyed import numbers
from windrow.slicing.splits import EVER, Split, best_split
from windrow.spark.request import Request
from windrow.windows import Order, TrailingRows, TrailingTime

__all__ = ["HotKey", "hot_keys"]

# A key with fewer rows is done before counting and splitting them would have paid.
_FEW_ROWS = 1_500_000
# Every so many rows one is looked at; of few rows there are enough to tell that they are few.
_ONE_IN = 64
_SEED = 1
_BINS = 256  # of each partition's times
# By how much more rows than needed a context should have, as those counted are a sample.
_MARGIN = 1.25


@dataclass(frozen=True)
class HotKey:
    """Which rows are of the key, and how to split them."""

    rows: Column | None  # None: all rows, there being no key
    split: Split


def hot_keys(request: Request, tasks: int) -> list[HotKey]:
    """The keys to split, if any."""
    _, window = request.windows[0]
    if request.order is not Order.TIME or not isinstance(window, TrailingRows | TrailingTime):
        return []
    if tasks < 2:
        return []
    keys = request.definition.keys
    rows = request.rows.select(*keys, "t")
    sample = rows.sample(1 / _ONE_IN, _SEED)
    found = []
    for key in _heavy(sample, keys, tasks) if keys else [None]:
        histogram = _histogram(sample if key is None else sample.where(key))
        if histogram.total() <= _FEW_ROWS:
            continue
        split = best_split(histogram, window, tasks, margin=_MARGIN)
        if split.slots > 1 and isinstance(window, TrailingRows):
            split = _assured(split, rows if key is None else rows.where(key), window)
        if split.slots > 1:
            found.append(HotKey(key, split))
    return found


def _heavy(sample: DataFrame, keys: tuple[str, ...], tasks: int) -> Iterator[Column]:
    """Conditions for the keys that hold more than half of a task's share.

    By a hash of 64 bits: two keys that share one are as good as never met.
    """
    mark = F.xxhash64(*keys)
    counts = sample.groupBy(mark.alias("mark")).count()
    many = F.col("count") > _FEW_ROWS // _ONE_IN
    crowded = F.collect_list(F.when(many, F.struct("mark", "count")))
    ((total, suspects),) = counts.agg(F.sum("count"), crowded).collect()
    for suspect in suspects:
        if suspect["count"] > (total or 0) // (2 * tasks):
            yield mark == suspect["mark"]


def _histogram(sample: DataFrame) -> Counter[int]:
    """About how many rows there are from one time to the next."""
    counts: Counter[int] = Counter()
    for row in sample.select("t").mapInArrow(_binned, "edge long, seen long").collect():
        counts[row["edge"]] += row["seen"] * _ONE_IN
    return counts


def _binned(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A partition's times in bins of as many rows each: where a bin begins, and how many it has.

    In Python and not by Spark's percentiles: those need a shuffle, and as long again.
    """
    times = np.sort(np.concatenate([np.zeros(0, np.int64), *(numbers(b["t"]) for b in batches)]))
    places = np.unique(np.linspace(0, len(times), _BINS + 1, dtype=np.int64))
    edges, seen = pa.array(times[places[:-1]]), pa.array(np.diff(places))
    yield pa.record_batch([edges, seen], names=["edge", "seen"])


def _assured(split: Split, rows: DataFrame, window: TrailingRows) -> Split:
    """The same split, but every context certainly has the rows that windows reach back to.

    Where the sample promised too many, all rows before are the context.
    """
    time = F.col("t")
    contexts = zip(split.reaches, split.cuts, strict=True)
    counts = rows.agg(
        *(F.count_if((time >= reach) & (time < cut)).alias(f"{cut}") for reach, cut in contexts)
    ).collect()[0]
    reaches = tuple(
        reach if count >= window.rows - 1 else EVER
        for reach, count in zip(split.reaches, counts, strict=True)
    )
    return replace(split, reaches=reaches)
