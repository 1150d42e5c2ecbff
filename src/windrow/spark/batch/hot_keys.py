"""Hot keys: keys with so many rows that one task would hold up all others, and rows without a key.

Windows can be cut by time if it is known how far back they reach, as of trailing windows and those
on a grid, or if their parts can be merged, as of sessions.  Hot keys are found in a sample of the
rows, if `sampling` allows it: one job without a shuffle.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.columnar.keyed import numbers
from windrow.engines.splits import Split, best_split, even_split
from windrow.parallel import Method
from windrow.plan.facts import Cut, Facts
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch.facts import cut_of, facts_of
from windrow.spark.batch.sampling import LIMIT_S, look_at, why_not
from windrow.windows import Order, Reach

__all__ = [
    "NONE",
    "HotKey",
    "HotKeys",
    "hot_keys",
    "is_cuttable",
    "is_splittable",
    "why_unsampled",
]

# A key with fewer rows is processed before splitting it would have paid off.
_FEW_ROWS = 500_000
# About one row in this many is sampled; large partitions are sampled more sparsely, half as densely
# each time their size doubles, so that the sample stays small.
_ONE_IN = 64
_SOME = 1 << 12
_SMALL_BYTES = 1 << 24
_SEED = 1
_BINS = 512

# In SQL: Spark's unique id of a row, whose lower bits are its number in its partition; and whether
# the row is sampled.  A hash of the whole id decides: systematic sampling aliases with periodic
# input, and partitions that all draw the same numbers would all be wrong together.
_ID = "monotonically_increasing_id() AS id"
_NUMBERS = (1 << 33) - 1
_DRAWN = f"""
    id & {_NUMBERS} < {2 * _SOME} OR pmod(
        xxhash64(id), CAST(pow(2, floor(log2(((id & {_NUMBERS}) + 1) / {_SOME}))) AS long)
    ) = 0
"""


@dataclass(frozen=True)
class HotKey:
    """Which rows belong to the key, and how to split them."""

    rows: Column | None  # None: all rows, there being no key
    split: Split


@dataclass(frozen=True)
class HotKeys:
    """The keys to split, how they were found, in words, and what else the sample says."""

    keys: tuple[HotKey, ...] = ()
    notes: tuple[str, ...] = ()
    facts: Facts | None = None


NONE = HotKeys()


def hot_keys(request: Request, tasks: int) -> HotKeys:
    """The keys to split, if any, of a request whose keys can be split."""
    reach = request.definition.context
    assert reach is not None  # as `is_cuttable` says
    keys, forced = request.definition.keys, request.method is Method.TIME
    tasks = tasks if request.units is None else request.units
    one_in = 1 if forced and _is_small(request.rows) else _ONE_IN
    look = look_at(request, lambda: _sample(request.rows, keys, one_in))
    if look.found is None:
        return HotKeys(notes=(_unseen(f"it took longer than {LIMIT_S:.0f} s"),))
    if forced:
        return _all_rows(look.found, look.seconds, reach, tasks)
    found: list[HotKey] = []
    cuts: list[Cut] = []
    rows = int(numbers(look.found["seen"]).sum())
    for key, own in _heavy(look.found, keys, tasks):
        most, histogram = int(numbers(own["seen"]).max()), _histogram(own)
        split = best_split(histogram, reach, tasks, one_in=most)
        if split.slots > 1:
            found.append(HotKey(key, split))
            cuts.append(cut_of(split, histogram, rows))
    notes = (_seen(look.found, look.seconds, len(found)),)
    return HotKeys(tuple(found), notes, facts_of(look.found, cuts))


def why_unsampled(request: Request) -> str | None:
    """In words, why `hot_keys` must not sample rows; None if it may."""
    reason = why_not(request)
    return None if reason is None else _unseen(reason)


def _all_rows(sample: pa.Table, seconds: float, reach: Reach, slots: int) -> HotKeys:
    """All rows cut at the same times, whatever their keys."""
    seen = f"{sample.num_rows:,} rows in {seconds:.1f} s"
    most = int(numbers(sample["seen"]).max()) if sample.num_rows else 1
    histogram = _histogram(sample) if sample.num_rows else {}
    split = even_split(histogram, reach, slots, one_in=most)
    notes = (f"{seen}; all keys are cut into {split.slots} blocks",)
    cuts = [cut_of(split, histogram, sum(histogram.values()))] if histogram else []
    return HotKeys((HotKey(None, split),), notes, facts_of(sample, cuts))


def is_cuttable(request: Request) -> bool:
    """Whether the windows of one key can be divided among several tasks, by time."""
    return request.order is Order.TIME and request.definition.context is not None


def is_splittable(request: Request, tasks: int) -> bool:
    """Whether the windows of a batch's hot keys can be divided among several tasks, by time."""
    if request.streaming or not is_cuttable(request):
        return False
    if request.method is not Method.AUTO:
        return request.method is Method.TIME
    if tasks < 2:
        return False
    keys = request.definition.keys
    # Nulls inside of nested keys would be skipped by their hash.
    return not any(pa.types.is_nested(request.definition.schema.field(key).type) for key in keys)


def _unseen(reason: str) -> str:
    return f"no rows ({reason}): no key is split by time; sample='always' would look for hot keys"


def _seen(sample: pa.Table, seconds: float, split: int) -> str:
    notes = f"{sample.num_rows:,} rows in {seconds:.1f} s"
    if sample.num_rows:
        _, owners = np.unique(numbers(sample["mark"]), return_inverse=True)
        counts = np.bincount(owners, numbers(sample["seen"]))
        notes += f": the largest key has about {counts.max() / counts.sum():.0%} of all rows"
    return (
        f"{notes}; {split or 'no'} {'key is' if split == 1 else 'keys are'} worth splitting by time"
    )


def _is_small(rows: DataFrame) -> bool:
    """Whether to sample all rows: a sample of few rows would say little."""
    java = getattr(rows, "_jdf", None)
    return java is not None and int(java.queryExecution().optimizedPlan().stats().sizeInBytes()) < (
        _SMALL_BYTES
    )


def _sample(rows: DataFrame, keys: tuple[str, ...], one_in: int) -> pa.Table:
    """Some rows: their times `t`, a `mark` for each key, and how many rows each stands for.

    Every step of a query takes Spark a hundredth of a second to plan, so there are few here.
    """
    sampled = rows.sample(1 / one_in, _SEED) if one_in > 1 else rows
    found = sampled.selectExpr("t", f"{_mark(keys)} AS mark", _ID).where(_DRAWN).toArrow()
    places = numbers(found["id"]) & _NUMBERS
    doubled = np.log2((places + 1) / _SOME).clip(0).astype(np.int64)
    return found.append_column("seen", pa.array(one_in << doubled))


def _mark(keys: tuple[str, ...]) -> str:
    """In SQL, a hash of 64 bits: collisions are practically impossible.

    Spark's hash skips nulls, so which are null is hashed too.
    """
    return f"xxhash64({', '.join(f'{key}, isnull({key})' for key in keys)})" if keys else "0"


def _heavy(
    sample: pa.Table, keys: tuple[str, ...], tasks: int
) -> Iterator[tuple[Column | None, pa.Table]]:
    """Conditions that select the keys with more than half of a task's share, and their rows."""
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
