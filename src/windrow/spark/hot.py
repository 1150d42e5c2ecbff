"""Keys with so many rows that one task would hold up all others, and rows without a key.

Only windows that reach back a known way can be split by time: trailing ones.  Finding hot keys
takes a pass of its own over the keys, which Spark runs when the query is built.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.slicing.splits import Split, best_split
from windrow.spark.packing import hash_of
from windrow.spark.request import Request
from windrow.windows import Order, TrailingRows, TrailingTime

__all__ = ["HotKey", "hot_keys"]

# A key with fewer rows is done before a task more would have begun.
_FEW_ROWS = 100_000
_HASH_BINS = 1024
_TIME_BINS = 1024
_REFINEMENTS = 3
_PERCENTILES = 64
_ACCURACY = 1000


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
    found = []
    for key in _heavy(rows, keys, tasks) if keys else [None]:
        own = rows if key is None else rows.where(key)
        by_rows = isinstance(window, TrailingRows)
        histogram = _counted_exactly(own, tasks) if by_rows else _by_percentiles(own)
        split = best_split(histogram, window, tasks)
        if split.slots > 1:
            found.append(HotKey(key, split))
    return found


def _heavy(rows: DataFrame, keys: tuple[str, ...], tasks: int) -> Iterator[Column]:
    """Conditions for the keys that hold more than half of a task's share."""
    hashes = F.pmod(hash_of(keys), F.lit(_HASH_BINS))
    counts = {
        row["bin"]: row["count"] for row in rows.groupBy(hashes.alias("bin")).count().collect()
    }
    most = max(sum(counts.values()) // (2 * tasks), _FEW_ROWS)
    crowded = [place for place, count in counts.items() if count > most]
    if not crowded:
        return
    suspects = rows.where(hashes.isin(crowded)).groupBy(*keys).count()
    for row in suspects.where(F.col("count") > most).collect():
        same = [F.col(key).eqNullSafe(F.lit(row[key])) for key in keys]
        yield reduce(Column.__and__, same)


def _by_percentiles(rows: DataFrame) -> dict[int, int]:
    """About as many rows in each bin: near enough where a context is a stretch of time."""
    shares = [k / _PERCENTILES for k in range(_PERCENTILES)]
    edges = F.percentile_approx("t", shares, _ACCURACY)
    (found, count) = rows.agg(edges, F.count("t")).collect()[0]
    if count <= _FEW_ROWS:
        return {0: count}
    return {edge: n * count // _PERCENTILES for edge, n in Counter(found).items()}


def _counted_exactly(rows: DataFrame, tasks: int) -> dict[int, int]:
    """Exact counts of rows by time: where many rows are close together, in finer bins."""
    bounds = rows.agg(F.min("t").alias("low"), F.max("t").alias("high"), F.count("t").alias("n"))
    (low, high, count) = bounds.collect()[0]
    if count <= _FEW_ROWS:
        return {low or 0: count}
    counts, widths = _counted(rows, low, high)
    for _ in range(_REFINEMENTS):
        heaviest = max(counts, key=counts.__getitem__)
        width = widths[heaviest]
        if counts[heaviest] <= count // (8 * tasks) or width == 1:
            break
        inside = rows.where((F.col("t") >= heaviest) & (F.col("t") < heaviest + width))
        finer, finer_widths = _counted(inside, heaviest, heaviest + width - 1)
        del counts[heaviest]
        counts |= finer
        widths |= finer_widths
    return counts


def _counted(rows: DataFrame, low: int, high: int) -> tuple[dict[int, int], dict[int, int]]:
    width = (high - low) // _TIME_BINS + 1
    start = F.col("t") - F.pmod(F.col("t") - low, F.lit(width))
    counts = rows.groupBy(start.alias("start")).count().collect()
    return {r["start"]: r["count"] for r in counts}, {r["start"]: width for r in counts}
