"""A window of Python's buckets as compiled ones: both forms are the same, to the last digit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.algebra.numeric import FLOAT
from windrow.approximate.compiled.operator import BucketOperator
from windrow.approximate.compiled.window import BEHIND, LEAST, MOST, bucket_at, first_method_of
from windrow.approximate.layout import Bucket
from windrow.approximate.method import MethodCells
from windrow.structures.base import Snapshot

__all__ = ["adopted", "in_cells"]


def adopted(
    snapshot: Snapshot, operator: BucketOperator, methods: MethodCells, cells: NDArray[np.int64]
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
    methods.require(learned)
    cells[first_method_of(operator) :][methods.learned] = in_cells(learned)
    return numbers, _fields(leaves, operator)


def in_cells(numbers: Sequence[float]) -> NDArray[np.int64]:
    """Numbers as compiled code has them: integers as they are, floats by their bits."""
    cells = np.zeros(len(numbers), np.int64)
    floats = cells.view(np.float64)
    for place, number in enumerate(numbers):
        (floats if type(number) is float else cells)[place] = number
    return cells


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
