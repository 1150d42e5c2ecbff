"""Which states or rows make up each window, and windows that slide over them on two stacks."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.structures.two_stacks import TwoStacks

__all__ = ["Spans", "slid"]


@dataclass(frozen=True)
class Spans:
    """Windows over states that stand in a line: window w has the states [since[w], until[w]).

    They slide: neither where windows begin nor where they end goes back from one to the next.
    """

    since: NDArray[np.int64]
    until: NDArray[np.int64]


def slid(kept: TwoStacks, values: Sequence[Any], spans: Spans) -> Iterator[Any]:
    """The result of each window over values, of which None counts for nothing.

    It is computed only where it has changed.
    """
    places: deque[int] = deque()  # of the values that are kept
    answer, changed, end = None, True, 0
    for since, until in zip(spans.since.tolist(), spans.until.tolist(), strict=True):
        before = len(places)
        while places and places[0] < since:
            places.popleft()
        kept.evict(before - len(places))
        changed |= before > len(places)
        for place in range(max(end, since), until):
            value = values[place]
            if value is not None:
                kept.insert(value)
                places.append(place)
                changed = True
        end = max(end, until)
        if changed:
            answer, changed = kept.query(), False
        yield answer
