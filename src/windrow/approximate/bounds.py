"""What bounds of results are made of: what is left of the oldest bucket, traces, codes.

Bounds are worked out on flat tuples of numbers by plain functions, which `ApproximateAmta` calls as
they are, and which kernels compile.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from windrow.algebra.monoid import Monoid
from windrow.algebra.numeric import Dtypes, State
from windrow.algebra.optional import optional, same

__all__ = [
    "NO_TRACE",
    "BoundCode",
    "Remainder",
    "counted",
    "trace_of",
]


@dataclass(frozen=True)
class Remainder:
    """What is left of the oldest bucket: between `least` and `most` of its `size` newest updates.

    Below zero, `least` is how many of the buckets behind it may be gone too.
    """

    size: int
    least: int
    most: int

    @property
    def middle(self) -> int:
        """A number of updates in between."""
        return (self.least + self.most) // 2

    @property
    def is_whole(self) -> bool:
        """Whether the bucket is in the window as it is."""
        return self.least == self.size


def counted(values: Any, size: Any, least: Any, most: Any) -> Any:
    """How many of a bucket's values that are not null may be among what is left of it."""
    return max(least - (size - values), 0), min(most, values)


def trace_of(
    name: str, lift: Callable[[Any], Any], combine: Callable[[Any, Any], Any]
) -> Monoid[Any, Any]:
    """What a bucket remembers beside its aggregate: a monoid over rows; that of none is None."""
    return Monoid(
        name=name,
        lift=lift,
        combine=optional(combine),
        lower=same,
        identity=None,
        inputs=("row",),
        nullable=frozenset({"row"}),
    )


NO_TRACE = trace_of("nothing", lambda row: None, lambda older, newer: None)


class BoundCode(NamedTuple):
    """What compiled buckets keep of one aggregate, and how its results are bounded.

    Sizes are those of buckets, in updates.
    """

    result: np.dtype[Any]
    state: Dtypes
    identity: State
    lift: Any  # lift(number, known) → the state of one update
    combine: Any  # combine(older, newer, older_size, newer_size) → state; none is empty
    answer: Any  # answer(state) → (value, status), of whole buckets
    adopt: Any  # adopt(state, trace) → the state of a bucket of Python's; not compiled
    interval: Any  # interval(bucket, rest, size, least, most) → (value, low, high, status)
    worst: Any = None  # worst(state, size) → the error a bucket may cause, of sums
    total: Any = None  # total(state) → their sum, a float
    deciding: Any = None  # deciding(state) → (whether there is one, the number), of extrema
