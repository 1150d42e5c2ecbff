"""A window of Python's buckets as compiled ones: both forms are the same, to the last digit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.numeric import FLOAT
from windrow.approximate.compiled import method_cells as at
from windrow.approximate.compiled.method_cells import Kinds
from windrow.approximate.compiled.operator import BucketOperator
from windrow.approximate.compiled.window import (
    BEHIND,
    LEAST,
    LIMIT,
    MOST,
    REACHED,
    bucket_at,
    first_method_of,
)
from windrow.approximate.footprint import Footprint
from windrow.approximate.hop import Hop
from windrow.approximate.layout import Bucket
from windrow.approximate.max_like import MaxLike
from windrow.approximate.sum_like import SumLike
from windrow.structures.base import Snapshot

__all__ = ["adopted"]


def adopted(
    snapshot: Snapshot,
    operator: BucketOperator,
    kinds: Kinds,
    methods: Sequence[Any],
    cells: NDArray[np.int64],
) -> tuple[tuple[int, int, int], NDArray[np.int64]]:
    """Write a snapshot of an `ApproximateAmta` into cells; the numbers and leaves of its forest."""
    middle, (behind, least, most, oldest, newest, _), learned = snapshot.data
    _, numbers, *_, rings = middle.data
    evicted, _, inserted = numbers
    ring = rings[0] if rings else ()
    leaves = [ring[number % len(ring)] for number in range(evicted, inserted)]
    cells[BEHIND], cells[LEAST], cells[MOST] = behind, least, most
    for which, bucket in enumerate((oldest, newest)):
        cells[bucket_at(operator, which)] = _fields([bucket], operator)[:, 0]
    _learn(cells[first_method_of(operator) :], kinds, methods, learned, cells)
    return numbers, _fields(leaves, operator)


def _learn(
    cells: NDArray[np.int64],
    kinds: Kinds,
    methods: Sequence[Any],
    learned: Sequence[Any],
    head: NDArray[np.int64],
) -> None:
    floats = cells.view(np.float64)
    for method, own in zip(methods, learned, strict=True):
        match method:
            case SumLike():
                for number, dimension in enumerate(own):
                    start = kinds.dimension(number)
                    floats[start + at.ALLOWED : start + at.DIMENSION] = dimension
            case MaxLike():
                for number, (maxima, lengths, block) in enumerate(own):
                    start = kinds.extremum(number)
                    (
                        floats[start + at.HIGHEST],
                        cells[start + at.TAKEN],
                        floats[start + at.THRESHOLD],
                    ) = block
                    cells[start + at.MAXIMA], cells[start + at.LENGTHS] = (
                        len(maxima),
                        len(lengths) - 1,
                    )
                    ring = start + at.RINGS
                    floats[ring : ring + len(maxima)] = maxima
                    cells[ring + at.BLOCKS : ring + at.BLOCKS + len(lengths)] = lengths
            case Hop():
                floats[kinds.hop : kinds.hop + at.SAMPLE], cells[kinds.hop + at.LAST] = own
            case Footprint():
                head[LIMIT], head[REACHED] = own


def _fields(buckets: Sequence[Bucket], operator: BucketOperator) -> NDArray[np.int64]:
    """A row of cells for each field, a column for each bucket."""
    rows = [_flat(bucket, operator) for bucket in buckets]
    cells = np.empty((len(operator.state), len(rows)), np.int64)
    for number, dtype in enumerate(operator.state):
        values = [row[number] for row in rows]
        own = np.array(values, np.float64).view(np.int64) if dtype == FLOAT else values
        cells[number] = own
    return cells


def _flat(bucket: Bucket, operator: BucketOperator) -> Sequence[Any]:
    if not bucket.size:
        return operator.identity
    fields: list[Any] = [bucket.size]
    for part, state, trace in zip(operator.parts, bucket.states, bucket.traces, strict=True):
        fields += part.code.adopt(state, trace)
    if operator.watch.state:
        (whole,), (first,), (others,) = bucket.watched, bucket.first, bucket.others
        fields += [first[0], others[0] if bucket.size > 1 else first[0], whole[1]]
    return fields
