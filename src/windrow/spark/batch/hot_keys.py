"""Hot keys: keys with so many rows that one task would hold up all others, and rows without a key.

Windows can be cut by time if it is known how far back they reach, as of trailing windows and those
on a grid, or if their parts can be merged, as of sessions.  Hot keys are found in a sample of the
rows, if `sampling` allows it: one job without a shuffle.  `cutting.py` chooses how they are cut.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.columnar.keyed import numbers
from windrow.parallel import Method
from windrow.spark.analysis.resolve import Request
from windrow.spark.batch.cutting import Cutting, HotKeys
from windrow.spark.batch.facts import cut_of, facts_of
from windrow.spark.batch.sampling import LIMIT_S, UNKNOWN_BYTES, look_at, why_not
from windrow.windows import Emit, Order

__all__ = [
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
# Where all keys are to be cut one by one, as many of them: each costs every row a comparison.
_MOST_KEYS = 16

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


def hot_keys(request: Request, tasks: int) -> HotKeys:
    """The keys to split, if any, of a request whose keys can be split."""
    keys, forced = request.definition.keys, request.method is Method.TIME
    tasks = tasks if request.units is None else request.units
    one_in = 1 if forced and _may_be_small(request.rows) else _ONE_IN
    what = "sample", one_in, len(keys)
    look = look_at(request, ["t", *keys], what, lambda: _sample(request.rows, keys, one_in))
    if look.found is None:
        return HotKeys(notes=(_unseen(f"it took longer than {LIMIT_S:.0f} s"),))
    cutting = Cutting(request, tasks, look.found, even=forced)
    seen = str(look)
    slots = cutting.in_slots() if request.ordered and not forced and _gives_rows(request) else None
    if slots is not None:
        cut = f"all rows are cut into {tasks} slots of time, as results come in order"
        return _noted(_known(slots, look.found), f"{seen}; {cut}")
    if not forced:
        found = _known(cutting.of(_heavy(look.found, keys, tasks)), look.found)
        return _noted(found, _seen(look.found, seen, len(found.keys)))
    if not keys or not cutting.by_rows:
        found = _known(cutting.of([(None, look.found)]), look.found)
        return _noted(found, f"{seen}; all keys are cut into {found.keys[0].split.slots} blocks")
    # How far back in time a number of rows reaches differs from key to key.
    if not is_hashable(request):
        return HotKeys(notes=(f"{seen}; nested keys are not cut by numbers of rows",))
    found = _known(cutting.of(_heaviest(look.found, keys)), look.found)
    cut = f"{len(found.keys)} of {_keys_in(look.found)} keys are cut into up to {tasks} blocks"
    return _noted(found, f"{seen}; {cut}")


def _known(found: HotKeys, sample: pa.Table) -> HotKeys:
    """With what the sample says of all rows."""
    rows = int(numbers(sample["seen"]).sum())
    cuts = [cut_of(key.split, key.counts, rows) for key in found.keys if key.counts is not None]
    return replace(found, facts=facts_of(sample, cuts))


def _noted(found: HotKeys, note: str) -> HotKeys:
    states = ", and sent states for rows between those that windows begin and end with"
    return replace(found, notes=(note + states * found.folds,))


def why_unsampled(request: Request) -> str | None:
    """In words, why `hot_keys` must not sample rows; None if it may."""
    reason = why_not(request)
    return None if reason is None else _unseen(reason)


def is_cuttable(request: Request) -> bool:
    """Whether the windows of one key can be divided among several tasks, by time."""
    if request.order is not Order.TIME or request.definition.context is None:
        return False
    window = request.windows[0][1]
    # Which count windows of a batch are unfinished, the last rows of a key say.
    by_count = window.span_rows is not None and not window.per_row
    return not (by_count and request.emit is Emit.ON_CHANGE and not request.streaming)


def is_hashable(request: Request) -> bool:
    """Whether Spark's hash tells all keys apart: it would skip nulls inside of nested ones."""
    schema, keys = request.definition.schema, request.definition.keys
    return not any(pa.types.is_nested(schema.field(key).type) for key in keys)


def is_splittable(request: Request, tasks: int) -> bool:
    """Whether the windows of a batch's hot keys can be divided among several tasks, by time."""
    if request.streaming or not is_cuttable(request):
        return False
    if request.method is not Method.AUTO:
        return request.method is Method.TIME
    return tasks > 1 and is_hashable(request)


def _gives_rows(request: Request) -> bool:
    """Whether there is a result for each row, known as soon as the row is."""
    return request.windows[0][1].per_row


def _unseen(reason: str) -> str:
    return f"no rows ({reason}): no key is split by time; sample='always' would look for hot keys"


def _seen(sample: pa.Table, notes: str, split: int) -> str:
    if sample.num_rows:
        _, owners = np.unique(numbers(sample["mark"]), return_inverse=True)
        counts = np.bincount(owners, numbers(sample["seen"]))
        notes += f": the largest key has about {counts.max() / counts.sum():.0%} of all rows"
    return (
        f"{notes}; {split or 'no'} {'key is' if split == 1 else 'keys are'} worth splitting by time"
    )


def _may_be_small(rows: DataFrame) -> bool:
    """Whether to sample all rows: a sample of few rows would say little."""
    java = getattr(rows, "_jdf", None)
    if java is None:  # Spark Connect
        return True
    size = int(java.queryExecution().optimizedPlan().stats().sizeInBytes())
    return size < _SMALL_BYTES or size >= UNKNOWN_BYTES


def _sample(rows: DataFrame, keys: tuple[str, ...], one_in: int) -> pa.Table:
    """Some rows: their times `t`, a `mark` for each key, and how many rows each stands for.

    Every step of a query takes Spark a hundredth of a second to plan, so there are few here.
    """
    sampled = rows.sample(1 / one_in, _SEED) if one_in > 1 else rows
    found = sampled.selectExpr("t", f"{_mark(keys)} AS mark", _ID).where(_DRAWN).toArrow()
    places = numbers(found["id"]) & _NUMBERS
    doubled = np.log2((places + 1) / _SOME).clip(0).astype(np.int64)
    return found.append_column("seen", pa.array(one_in << doubled))


def _keys_in(sample: pa.Table) -> int:
    return len(np.unique(numbers(sample["mark"])))


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


def _heaviest(sample: pa.Table, keys: tuple[str, ...]) -> Iterator[tuple[Column | None, pa.Table]]:
    """The same of the keys with most rows, however many these are."""
    marks, seen = numbers(sample["mark"]), numbers(sample["seen"])
    different, owners = np.unique(marks, return_inverse=True)
    heaviest = np.argsort(-np.bincount(owners, seen), kind="stable")[:_MOST_KEYS]
    for place in heaviest.tolist():
        key = F.expr(f"{_mark(keys)} = {different[place]}")
        yield key, sample.filter(pa.array(owners == place))
