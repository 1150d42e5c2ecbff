"""States that are sets of values: windows count which values their states have.

A window over many states is never put together: each state comes in once and leaves once.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.columnar.arrays import read_only, whole
from windrow.columnar.object_states import ObjectStates
from windrow.columnar.results import typed
from windrow.columnar.spans import Spans
from windrow.kernels.multiset import count_different

__all__ = ["SetStates"]


class SetStates(ObjectStates):
    """The states of a number of different values."""

    def over(self, states: Sequence[pa.Array], spans: Spans, result: pa.DataType) -> pa.Array:
        """How many different values the states of each window have."""
        if (spans.until - spans.since).max(initial=0) <= 1:  # sets of their own have their length
            return super().over(states, spans, result)
        (column,) = states
        numbers: dict[Any, int] = {}
        codes: list[int] = []
        offsets = [0]
        for state in whole(column).to_pylist():
            if state is not None:
                # A value's code is the place where it came first.
                codes.extend(map(numbers.setdefault, self._decode(state), count(len(codes))))
            offsets.append(len(codes))
        found = count_different(
            read_only(np.array(codes, np.int64)),
            read_only(np.array(offsets, np.int64)),
            read_only(spans.since),
            read_only(spans.until),
        )
        return typed(pa.array(found), result, self._inputs.aggregate)
