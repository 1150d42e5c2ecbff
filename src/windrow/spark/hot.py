"""Keys with so many rows that one task would hold up all others, and rows without a key.

Only windows that reach back a known way can be split by time: trailing ones.  Finding hot keys
takes a look at a sample of the rows, which Spark runs when the query is built: one job without a
shuffle, as small queries wait for it too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.slicing.keyed import numbers
from windrow.slicing.splits import EVER, Split, best_split
from windrow.spark.request import Request
from windrow.windows import Order, TrailingRows, TrailingTime

__all__ = ["HotKey", "hot_keys"]

# A key with fewer rows is done before counting and splitting them would have paid.
_FEW_ROWS = 500_000
# About one row in so many is looked at, and of a partition with more than some of these fewer: one
# in twice as many whenever there are twice as many.  The sample stays small, whatever there is.
_ONE_IN = 64
_SOME = 1 << 12
_SEED = 1
_BINS = 512
# By how much more rows than needed a context should have, as those counted are a sample.
_MARGIN = 1.25

# In SQL: the number of a row in its partition, which is the lower part of Spark's unique ids; and
# whether it is looked at, which a hash decides: of what comes in turns, every so manieth row would
# always be the same.
_NUMBER = "monotonically_increasing_id() & 8589934591 AS number"
_DRAWN = f"""
    number < {2 * _SOME}
    OR pmod(xxhash64(number), CAST(pow(2, floor(log2((number + 1) / {_SOME}))) AS long)) = 0
"""


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
    if any(pa.types.is_nested(request.definition.schema.field(key).type) for key in keys):
        return []  # nulls inside of them would be skipped by their hash
    rows = request.rows
    sample = _sample(rows, keys)
    found = []
    for key, own in _heavy(sample, keys, tasks):
        split = best_split(_histogram(own), window, tasks, margin=_MARGIN)
        if split.slots > 1 and isinstance(window, TrailingRows):
            split = _assured(split, rows if key is None else rows.where(key), window)
        if split.slots > 1:
            found.append(HotKey(key, split))
    return found


def _sample(rows: DataFrame, keys: tuple[str, ...]) -> pa.Table:
    """Some rows: their times `t`, a `mark` for each key, and for how many rows each stands.

    Every step of a query is a hundredth of a second to plan: there are few here.
    """
    sampled = rows.sample(1 / _ONE_IN, _SEED)
    found = sampled.selectExpr("t", f"{_mark(keys)} AS mark", _NUMBER).where(_DRAWN).toArrow()
    doubled = np.log2((numbers(found["number"]) + 1) / _SOME).clip(0).astype(np.int64)
    return found.append_column("seen", pa.array(_ONE_IN << doubled))


def _mark(keys: tuple[str, ...]) -> str:
    """In SQL, a hash of 64 bits: two keys that share one are as good as never met.

    Spark's hash skips nulls, so which are null is hashed too.
    """
    return f"xxhash64({', '.join(f'{key}, isnull({key})' for key in keys)})" if keys else "0"


def _heavy(
    sample: pa.Table, keys: tuple[str, ...], tasks: int
) -> Iterator[tuple[Column | None, pa.Table]]:
    """Conditions for the keys that hold more than half of a task's share, and their rows."""
    marks, seen = numbers(sample["mark"]), numbers(sample["seen"])
    total = int(seen.sum())
    if total <= _FEW_ROWS:
        return
    different, owners = np.unique(marks, return_inverse=True)
    counts = np.bincount(owners, seen)
    for place in np.flatnonzero((counts > _FEW_ROWS) & (counts > total / (2 * tasks))).tolist():
        key = F.expr(f"{_mark(keys)} = {different[place]}") if keys else None
        yield key, sample.filter(pa.array(owners == place))


def _histogram(sample: pa.Table) -> dict[int, int]:
    """About how many rows there are from one time to the next."""
    times, seen = numbers(sample["t"]), numbers(sample["seen"])
    order = np.argsort(times)
    times, until = times[order], np.cumsum(seen[order])
    places = np.searchsorted(until, np.linspace(0, until[-1], _BINS, endpoint=False), "right")
    edges = np.unique(times[places])
    starts = np.searchsorted(times, edges)
    before = np.append(np.concatenate([[0], until])[starts], until[-1])
    counts: NDArray[np.int64] = np.diff(before)
    return dict(zip(edges.tolist(), counts.tolist(), strict=True))


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
